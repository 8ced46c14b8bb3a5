import numpy as np
import pytest
import torch

from ddsr._core import MASK, PAD
from ddsr.config import DenoiserConfig
from ddsr.generators.categorical import constrain
from ddsr.generators.diffusion.denoiser import Denoiser, encode
from ddsr.generators.diffusion.generator import is_complete, keep_more
from ddsr.generators.diffusion.masking import mask
from diffusion_cases import (
    VOCABULARY,
    assert_drawn_from,
    exact_distribution,
    make_generator,
    make_tiny_generator,
)


def test_every_drawn_expression_is_legal_and_the_kept_ones_are_distinct():
    generator = make_generator()
    drawn = generator.draw(500, epoch=0)
    assert generator.grammar.is_legal(drawn).all()
    batch = generator.sample(100, epoch=0)
    keys = batch.keys()
    assert len(set(keys)) == len(keys) <= 100


def test_same_seed_same_draws_on_any_number_of_threads():
    one, other = make_generator(n_threads=1), make_generator(n_threads=3)
    assert (one.draw(300, epoch=2) == other.draw(300, epoch=2)).all()
    assert (one.draw(300, epoch=2) != one.draw(300, epoch=3)).any()
    assert (one.draw(300, epoch=2) != make_generator(seed=1).draw(300, epoch=2)).any()


def test_rows_that_are_alike_are_predicted_once_each_in_its_place(monkeypatch):
    generator = make_generator(n_threads=2)
    distinct = np.array(
        [[MASK] * 6, [1, MASK, 2, MASK, MASK, MASK], [1, MASK, MASK, MASK, MASK, 2]], np.int16
    )
    rows = distinct[np.random.default_rng(0).integers(3, size=200)]
    n_shown, forward = [], generator.network.forward
    monkeypatch.setattr(
        generator.network,
        "forward",
        lambda tokens, step: n_shown.append(len(tokens)) or forward(tokens, step),
    )
    found = generator.predict(rows, 4)
    assert n_shown == [3]
    with torch.no_grad():
        expected = forward(torch.from_numpy(rows), torch.full((200,), 4)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_sampled_frequencies_match_the_enumerated_distribution():
    generator = make_tiny_generator(3)
    expected = exact_distribution(generator, np.full(3, MASK, np.int16))
    assert_drawn_from(expected, generator.draw(20_000, epoch=0))


def test_log_probs_of_sampling_equal_those_recomputed():
    generator = make_generator()
    clean = generator.draw(60, epoch=0)
    masked = mask(clean, np.full(60, 3), np.random.default_rng(0))
    logits = generator.predict(masked.noisy_tokens, 3)
    filled, recorded = generator.grammar.fill(logits, masked.noisy_tokens, seed=1)
    is_legal = torch.from_numpy(generator.legal_tokens(filled))
    with torch.no_grad():
        recomputed = generator.log_probs(generator.network, generator.inputs(masked), is_legal).numpy()
    is_token = filled != PAD
    chosen = np.take_along_axis(recomputed, np.maximum(filled, 0)[..., None].astype(int), axis=-1)[..., 0]
    np.testing.assert_allclose(chosen[is_token], recorded[is_token], rtol=1e-5, atol=1e-5)


def test_constrained_distribution_is_one_over_the_legal_tokens():
    generator = make_generator()
    clean = generator.draw(40, epoch=0)
    is_legal = torch.from_numpy(generator.legal_tokens(clean))
    probabilities = constrain(torch.randn(40, 6, len(VOCABULARY)), is_legal).exp()
    assert torch.allclose(probabilities.sum(-1), torch.ones(40, 6))
    on_tree = torch.from_numpy(clean != PAD)
    assert (probabilities[on_tree][~is_legal[on_tree]] == 0).all()


def test_a_position_outside_the_tree_reveals_nothing():
    kept = np.array([[MASK, MASK, MASK]], np.int16)
    filled = np.array([[5, PAD, PAD]], np.int16)
    assert keep_more(kept, filled, np.array([[2]])).tolist() == [[MASK, MASK, MASK]]
    assert keep_more(kept, filled, np.array([[0]])).tolist() == [[5, MASK, MASK]]
    assert is_complete(np.array([[5, MASK, MASK]], np.int16), filled).tolist() == [True]
    waiting = np.array([[MASK, MASK, 4]], np.int16)  # of a longer tree drawn earlier
    assert keep_more(waiting, filled, np.array([[0]])).tolist() == [[5, MASK, MASK]]
    overridden = np.array([[2, 5, PAD]], np.int16)
    assert keep_more(np.array([[2, 4, MASK]], np.int16), overridden, np.array([[2]])).tolist() == [
        [2, 5, MASK]
    ]


def test_the_codes_are_the_papers():
    width, wavelength = 8, 10_000.0  # D/2 and the appendix's base
    places = torch.arange(5)
    codes = encode(places, width)
    for place in range(5):
        for i in range(width // 2):
            angle = place / wavelength ** (4 * i / (2 * width))
            assert codes[place, 2 * i].item() == pytest.approx(np.sin(angle), abs=1e-6)
            assert codes[place, 2 * i + 1].item() == pytest.approx(np.cos(angle), abs=1e-6)


def test_the_network_sees_position_step_and_mask():
    torch.manual_seed(0)
    network = Denoiser(5, 4, DenoiserConfig(feed_forward_width=16))
    tokens = torch.tensor([[1, 2, MASK, MASK]], dtype=torch.int16)
    base = network(tokens, torch.tensor([2]))
    assert base.shape == (1, 4, 5)
    assert not torch.allclose(base, network(tokens, torch.tensor([3])))
    assert not torch.allclose(
        base, network(torch.tensor([[2, 1, MASK, MASK]], dtype=torch.int16), torch.tensor([2]))
    )
    assert not torch.allclose(base[0, 2], base[0, 3])
