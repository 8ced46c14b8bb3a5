"""The inputs of each part of the network."""

import pytest
import torch

from ddsr._core import MASK
from ddsr.config import DenoiserConfig
from ddsr.generators.diffusion.denoiser import Denoiser

TOKENS = torch.tensor([[0, 3, MASK, 2], [1, MASK, MASK, 4]])
STEP = torch.tensor([1, 2])


@pytest.fixture
def network():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Denoiser(5, 4, DenoiserConfig(width=8, feed_forward_width=16))


def logits_of(network):
    with torch.no_grad():
        return network(TOKENS, STEP)


def change(layers):
    with torch.no_grad():
        for parameter in layers.parameters():
            parameter.add_(0.3 * torch.sin(torch.arange(parameter.numel())).view_as(parameter))


def test_encoder_and_decoder_are_fed_the_same_sequence(network):
    fed = {}
    for name in ("encoder", "decoder"):
        layer = getattr(network, name)[0]
        layer.register_forward_pre_hook(lambda _, inputs, name=name: fed.setdefault(name, inputs))
    logits_of(network)
    assert len(fed["encoder"]) == 1 and len(fed["decoder"]) == 2
    assert torch.equal(fed["encoder"][0], fed["decoder"][0])
    assert not torch.equal(fed["decoder"][0], fed["decoder"][1])  # the second is the encoder's output


def test_the_encoder_reaches_the_decoder_only_by_cross_attention(network):
    before = logits_of(network)
    cross = network.decoder[0].cross_attention.out
    with torch.no_grad():
        cross.weight.zero_()
        cross.bias.zero_()
    alone = logits_of(network)
    change(network.encoder)
    assert torch.equal(logits_of(network), alone)
    assert not torch.allclose(alone, before)
    change(cross)
    first = logits_of(network)
    change(network.encoder)
    assert not torch.allclose(logits_of(network), first)
