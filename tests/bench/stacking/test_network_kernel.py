"""The kernel agrees with the networks, one by one."""

import pytest
import torch
from benchmarks.stack_kernels import predict

from ddsr.config import DenoiserConfig
from ddsr.grammar import Grammar
from ddsr_bench.stacking.network import KernelWeights
from ddsr_bench.stacking.parameters import StackedParameters
from stacking_cases import DEVICE, GRAMMARS, LAUNCH, make_network, needs_kernels, weights_of

pytestmark = needs_kernels


def make_networks(config, max_length):
    grammars = [Grammar(grammar.vocabulary, max_length) for grammar in GRAMMARS[:2]]
    return [make_network(grammar, seed, config) for seed, grammar in enumerate(grammars)]


def errors(networks, config, max_length, step):
    """Largest error of each problem's logits, relative to their largest value."""
    max_vocab_size = max(network.vocab_size for network in networks) + 1
    parameters = StackedParameters(len(networks), max_vocab_size, max_length, config, DEVICE)
    for problem, network in enumerate(networks):
        parameters.load_network(problem, weights_of(network), network.vocab_size)
    tokens = torch.stack(
        [torch.randint(-2, network.vocab_size, (11, max_length), dtype=torch.int16) for network in networks]
    ).to(DEVICE)
    logits = predict(KernelWeights(parameters), tokens, step, LAUNCH)
    for network, own_tokens, own_logits in zip(networks, tokens, logits, strict=True):
        with torch.no_grad():
            expected = network(own_tokens, torch.full((11,), step, device=DEVICE))
        yield float((own_logits[..., : network.vocab_size] - expected).abs().max() / expected.abs().max())


@pytest.mark.parametrize(
    ("width", "hidden", "max_length", "step"), [(16, 64, 8, 3), (16, 192, 32, 32), (32, 64, 20, 1)]
)
def test_logits_agree(width, hidden, max_length, step):
    config = DenoiserConfig(width=width, feed_forward_width=hidden)
    networks = make_networks(config, max_length)
    assert max(errors(networks, config, max_length, step)) < 1e-2


@pytest.mark.parametrize("max_length", [8, 20])
def test_without_feed_forward_they_agree_to_single_precision(max_length):
    config = DenoiserConfig(feed_forward_width=64)
    networks = make_networks(config, max_length)
    with torch.no_grad():
        for network in networks:
            for layer in (network.encoder[0], network.decoder[0]):
                layer.feed_forward.narrow.weight.zero_()
    assert max(errors(networks, config, max_length, step=2)) < 1e-5
