"""What only a GPU can show."""

import numpy as np
import pytest
import torch

from ddsr.config import DenoiserConfig, PaperConfig
from ddsr.expression import Vocabulary
from ddsr.generators.diffusion.d3pm import D3PM
from ddsr.generators.diffusion.denoiser import Denoiser
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.grammar import Grammar

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
CUDA = torch.device("cuda")


@pytest.mark.parametrize("hidden", [64, 2048])
def test_the_fused_layer_agrees_with_the_plain_one(hidden):
    torch.manual_seed(0)
    network = Denoiser(19, 32, DenoiserConfig(feed_forward_width=hidden)).to(CUDA)
    tokens = torch.randint(-2, 19, (300, 32), dtype=torch.int16, device=CUDA)
    step = torch.randint(1, 33, (300,), device=CUDA)
    plain = network(tokens, step).detach()
    with torch.inference_mode():
        fused = network(tokens, step)
    torch.testing.assert_close(fused, plain, rtol=1e-2, atol=1e-2)


def test_graphs_predict_as_plain_calls_do_and_follow_the_weights():
    vocabulary = Vocabulary(("x", "y"))
    grammar = Grammar(vocabulary, max_length=16)
    generator = MaskedDiffusion(grammar, PaperConfig(max_length=16), 0, CUDA)
    tokens = grammar.sample(700, seed=0)
    for scale in (1.0, 3.0):
        with torch.no_grad():
            generator.network.to_logits.weight.mul_(scale)
            plain = generator.network(torch.from_numpy(tokens).to(CUDA), torch.full((700,), 5, device=CUDA))
        np.testing.assert_allclose(generator.predict(tokens, 5), plain.cpu().numpy(), rtol=1e-2, atol=1e-2)


def test_d3pm_predicts_through_graphs_and_follows_the_weights():
    grammar = Grammar(Vocabulary(("x", "y")), max_length=16)
    generator = D3PM(grammar, PaperConfig(max_length=16), 0, CUDA)
    noisy = torch.randint(0, len(grammar.vocabulary), (700, 16), device=CUDA)
    for scale in (1.0, 3.0):
        with torch.no_grad():
            generator.network.to_logits.weight.mul_(scale)
            plain = generator.network(noisy, torch.full((700,), 5, device=CUDA))
        torch.testing.assert_close(generator.predictor.predict(noisy, 5), plain, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("kind", (MaskedDiffusion, D3PM))
def test_draws_are_legal_and_repeat(kind):
    config = PaperConfig(max_length=16)
    vocabulary = Vocabulary(("x", "y"))
    grammar = Grammar(vocabulary, max_length=16)
    one, other = (kind(grammar, config, 0, CUDA, n_threads) for n_threads in (1, 4))
    drawn = one.draw(1500, epoch=0)
    assert grammar.is_legal(drawn).all()
    assert (drawn == other.draw(1500, epoch=0)).all()


def test_variations_are_legal_and_repeat():
    grammar = Grammar(Vocabulary(("x", "y")), max_length=16)
    config = PaperConfig(max_length=16)
    one, other = (MaskedDiffusion(grammar, config, 0, CUDA, n_threads) for n_threads in (1, 4))
    batch = one.sample(50, epoch=0)
    varied = one.vary(batch, 1500, epoch=0)
    assert len(varied) > 0 and grammar.is_legal(varied.tokens).all()
    assert np.array_equal(varied.tokens, other.vary(batch, 1500, epoch=0).tokens)
