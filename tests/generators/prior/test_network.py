"""Invariance to the order of rows and variables, to padding, and to units."""

import numpy as np
import pytest
import torch

from ddsr._core import MASK
from ddsr.expression import Vocabulary
from ddsr.generators.diffusion.variation import parent_positions
from ddsr.generators.prior.config import NetworkConfig
from ddsr.generators.prior.denoiser import UNKNOWN, find_parents
from ddsr.generators.prior.network import PriorNetwork
from ddsr.grammar import Grammar
from prior_cases import TINY

N_FIXED = TINY.vocabulary.first_variable


@pytest.fixture
def network():
    torch.manual_seed(1)
    return PriorNetwork(TINY).eval()


def make_data(n_variables=3, n_rows=20):
    generator = torch.Generator().manual_seed(2)
    x = torch.rand((2, n_rows, n_variables), generator=generator) * 4 + 0.5
    y = x[..., 0] * x[..., 1] - x[..., 2].log()
    return x, y, torch.ones(y.shape, dtype=torch.bool), torch.ones((2, n_variables), dtype=torch.bool)


def masked_rows(n=2, length=TINY.max_length):
    return torch.full((n, length), MASK)


@torch.no_grad()
def test_order_of_rows_does_not_change_the_encoding(network):
    x, y, is_row, is_variable = make_data()
    order = torch.randperm(y.shape[1], generator=torch.Generator().manual_seed(3))
    one = network.encode(x, y, is_row, is_variable)
    other = network.encode(x[:, order], y[:, order], is_row, is_variable)
    torch.testing.assert_close(one.memory, other.memory, atol=2e-5, rtol=0)
    torch.testing.assert_close(one.variables, other.variables, atol=2e-5, rtol=0)
    changed = network.encode(x, y.flip(1), is_row, is_variable)  # breaking up rows gives other data
    assert (one.memory - changed.memory).abs().max() > 1e-2


@torch.no_grad()
def test_order_of_variables_permutes_their_vectors(network):
    x, y, is_row, is_variable = make_data()
    order = [2, 0, 1]
    one = network.encode(x, y, is_row, is_variable)
    other = network.encode(x[..., order], y, is_row, is_variable)
    torch.testing.assert_close(one.variables[:, order], other.variables, atol=2e-5, rtol=0)
    assert (one.variables - other.variables).abs().max() > 1e-2


@torch.no_grad()
def test_padding_changes_nothing(network):
    x, y, is_row, is_variable = make_data()
    expected = network(masked_rows(), x, y, is_row, is_variable)
    wider = torch.nn.functional.pad(x, (0, 2, 0, 5), value=7.0)
    taller = torch.nn.functional.pad(y, (0, 5), value=-3.0)
    is_row = torch.nn.functional.pad(is_row, (0, 5))
    is_variable = torch.nn.functional.pad(is_variable, (0, 2))
    logits = network(masked_rows(), wider, taller, is_row, is_variable)
    torch.testing.assert_close(logits[..., : N_FIXED + 3], expected, atol=2e-5, rtol=0)
    assert (logits[..., N_FIXED + 3 :] < -20).all()


@torch.no_grad()
@pytest.mark.parametrize("scale", [1e20, 1e-20])
def test_scale_of_the_target_changes_nothing(network, scale):
    x, y, is_row, is_variable = make_data()
    expected = network(masked_rows(), x, y, is_row, is_variable)
    logits = network(masked_rows(), x, scale * y, is_row, is_variable)
    torch.testing.assert_close(logits, expected, atol=1e-4, rtol=0)


@torch.no_grad()
def test_extreme_numbers_stay_finite(network):
    x, y, is_row, is_variable = make_data()
    x[0, 0, 0], y[1, 3] = 1e30, 1e30
    y[0] = 5.0
    assert network(masked_rows(), x, y, is_row, is_variable).isfinite().all()


@torch.no_grad()
def test_expressions_of_one_data_set_are_consecutive(network):
    x, y, is_row, is_variable = make_data()
    shown = masked_rows(6)
    shown[:, 0] = torch.arange(6) % 4
    together = network(shown, x, y, is_row, is_variable)
    alone = network(shown[3:], x[1:], y[1:], is_row[1:], is_variable[1:])
    torch.testing.assert_close(together[3:], alone, atol=2e-5, rtol=0)


def test_parents_are_those_of_whole_trees():
    vocabulary = Vocabulary.of_size(3)
    tokens = Grammar(vocabulary, max_length=16).sample(200, seed=5)
    arities = torch.tensor([*vocabulary.arities[: vocabulary.first_variable], 0])
    shown = torch.from_numpy(np.where(tokens < 0, MASK, tokens))
    parents, _ = find_parents(shown, arities)
    is_token = tokens >= 0
    np.testing.assert_array_equal(
        parents.numpy()[is_token], parent_positions(tokens, vocabulary.arities)[is_token]
    )


def test_parents_are_known_as_far_as_the_prefix_determines_them():
    vocabulary = Vocabulary.of_size(2)
    add, sin, x0 = (vocabulary.token(name) for name in ("add", "sin", "x0"))
    arities = torch.tensor([*vocabulary.arities[: vocabulary.first_variable], 0])
    shown = torch.tensor([[add, sin, MASK, MASK, MASK, MASK], [add, MASK, x0, MASK, MASK, MASK]])
    parents, sides = find_parents(shown, arities)
    assert parents[0].tolist() == [0, 0, 0, 1, UNKNOWN, UNKNOWN]
    assert sides[0].tolist() == [2, 0, 1, 0, 2, 2]
    assert parents[1].tolist() == [0, 0, 0, UNKNOWN, UNKNOWN, UNKNOWN]


@pytest.mark.parametrize(
    ("sizes", "millions"),
    [
        ({}, 4.6),
        ({"cell_width": 64, "width": 96, "n_heads": 3}, 1.2),
        ({"cell_width": 192, "width": 288, "n_heads": 9, "n_layers": 6, "n_row_layers": 5}, 12.2),
    ],
)
def test_sizes_of_the_docs(sizes, millions):
    n_parameters = PriorNetwork(NetworkConfig(**sizes)).n_parameters
    assert round(n_parameters / 1e6, 1) == millions
    assert 2 * n_parameters < 30e6  # bytes of a file
