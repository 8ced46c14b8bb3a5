"""The fast computation of the next token's logits agrees with the full network."""

import numpy as np
import pytest
import torch

from ddsr._core import MASK
from ddsr.config import DefaultConfig
from ddsr.expression import Vocabulary
from ddsr.generators.prior import next_token
from ddsr.generators.prior.distinct_diffusion import DistinctDiffusion
from ddsr.generators.prior.network import PriorNetwork
from ddsr.generators.prior.next_token import LENGTH_STEP, NextToken
from ddsr.grammar import Grammar
from prior_cases import TINY

X = np.random.default_rng(0).uniform(0.5, 4.0, size=(90, 3))
Y = X[:, 0] * np.sin(X[:, 1]) + 0.3 * X[:, 2]


def make_generator(n_threads=1):
    torch.manual_seed(4)
    network = PriorNetwork(TINY).eval()
    with torch.no_grad():  # a sharper distribution than a fresh network's, so that errors show
        network.denoiser.fixed_out.weight.mul_(30.0)
        network.denoiser.variable_out.weight.mul_(5.0)
    vocabulary = Vocabulary(
        ("a", "b", "c"), ("add", "mul", "sin", "tanh")
    )  # one that the prior does not know
    grammar = Grammar(vocabulary, max_length=14)
    return DistinctDiffusion(network, X, Y, grammar, DefaultConfig(), 0, torch.device("cpu"), n_threads)


def beginnings_of(generator, position, n=300):
    drawn = generator.grammar.sample(n, seed=1)
    rows = np.where(drawn < 0, MASK, drawn)[(drawn >= 0).sum(axis=1) > position]
    rows[:, position:] = MASK
    return rows.astype(np.int16)


@pytest.mark.parametrize("position", [0, 2, 5, 13])
@pytest.mark.parametrize(("is_half", "tolerance"), [(False, 1e-4), (True, 0.3)])
def test_logits_are_those_of_the_network(monkeypatch, position, is_half, tolerance):
    if is_half and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        pytest.skip("this processor has no half precision, and torch would do without oneDNN from here on")
    monkeypatch.setattr(next_token, "has_matrix_units", lambda: is_half)
    monkeypatch.setattr(next_token, "CHUNK_TOKENS", 50)
    generator = make_generator()
    rows = beginnings_of(generator, position)
    assert len(rows) > 10
    length = min(-(-(position + 1) // LENGTH_STEP) * LENGTH_STEP, 14)
    expected = generator.predict(rows[:, :length], 1)[:, position]
    found = NextToken(generator.network, generator.predictor).logits(rows, position)
    assert found.dtype == np.float32 and np.ptp(expected) > 3
    np.testing.assert_allclose(found, expected, atol=tolerance)


def test_weights_that_were_taught_meanwhile_are_used():
    generator = make_generator()
    before = generator.draw_distinct(20, 0)
    with torch.no_grad():
        generator.network.denoiser.fixed_out.bias.add_(torch.linspace(-5, 5, len(before.T) - 2))
    assert not np.array_equal(generator.draw_distinct(20, 0), before)


def test_samples_do_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setattr(next_token, "CHUNK_TOKENS", 40)
    one, two = (make_generator(n_threads).draw_distinct(50, 0) for n_threads in (1, 2))
    np.testing.assert_array_equal(one, two)
