"""Constants are moved to places where they are simple numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr.engine import Engine, values
from ddsr.expression import Expression, Kind, Node, Vocabulary
from ddsr.price.model import Numbered
from ddsr.selection.moves.moved_constants import moved_into_factors, moved_into_logarithm
from ddsr.selection.moves.shared_factors import cancelled_factors
from ddsr.selection.select import select

NAMES = Vocabulary(("x", "y", "z"))
X = np.random.default_rng(0).uniform(0.5, 5.0, size=(300, 3))


def chosen(truth: str, candidate: str, noise: float = 0.0) -> str:
    clean = Expression.parse(truth, NAMES).to_callable()(X)
    y = clean + noise * clean.std() * np.random.default_rng(1).normal(size=len(X))
    return select([Expression.parse(candidate, NAMES)], Engine(NAMES, X, y))[0].expression.text()


@pytest.mark.parametrize(
    ("truth", "candidate"),
    [
        ("y + exp(x - 1.7)", "0.18 * exp(x) + y"),
        ("y * exp(x - 1.7) / z", "0.18 * y * exp(x) / z"),
        ("y * exp(1.7 - x)", "5.4 * y / exp(x)"),
        ("1 / (1 + exp(0.7 * x - 1.33))", "1 / (0.26 * exp(0.7 * x) + 1)"),
        ("y + sqrt(2.8 * x)", "1.67 * sqrt(x) + y"),
        ("log(1 + 0.37 * x) / x", "(log(x + 2.7) - 0.99) / x"),
        ("sqrt(9.869604401089358 / z^2 + x^2 / y^2)", "x * sqrt(1 + 9.9 * y^2 / (x * z)^2) / y"),
        ("y - log(2.6 * x)", "(y - 0.95) - log(x)"),
    ],
)
def test_a_constant_moves_to_where_it_is_simple(truth, candidate):
    assert chosen(truth, candidate) == truth


@pytest.mark.parametrize("candidate", ["3.78 / (exp(0.7 * x) + 3.78)", "3.78 / (3.78 + exp(0.7 * x))"])
def test_a_factor_is_cancelled_against_a_term_of_the_divisor(candidate):
    assert chosen("1 / (exp(0.7 * (x - 1.9)) + 1)", candidate) == "1 / (1 + exp(0.7 * x - 1.33))"


@pytest.mark.parametrize(
    ("law", "noise"), [("3.7182 * exp(x)", 0.0), ("0.3 * x^2", 0.0), ("y + 1.5 * sqrt(x)", 0.0)]
)
def test_a_constant_that_is_simple_stays(law, noise):
    assert chosen(law, law, noise) == law


@pytest.mark.parametrize("seed", range(6))
def test_a_truncated_constant_is_moved_too(seed):
    """9.87 is good enough until its root, which is pi, is needed."""
    law = "sqrt((x / y)^2 + (3.141592653589793 / z)^2)"
    X = np.random.default_rng(seed).uniform(0.5, 5.0, size=(1000, 3))
    clean = Expression.parse(law, NAMES).to_callable()(X)
    y = clean + 1e-3 * clean.std() * np.random.default_rng(100 + seed).normal(size=len(X))
    candidate = Expression.parse("sqrt((x / y)^2 + 9.9 / z^2)", NAMES)
    best = select([candidate], Engine(NAMES, X, y))[0]
    assert np.pi**2 in best.expression.constants and not any(best.is_free)


def test_noise_leaves_a_constant_in_its_place():
    """With 2 % noise, 3.7183 may be 2.4^1.5 as well as many other numbers."""
    assert chosen("3.7182818 * x^1.5", "3.6 * x^1.5", 0.02).endswith("* x^1.5")


def numbered(expression: Expression) -> Node:
    """The tree with all constants free, each with its number, breadth-first."""
    numbers: dict[int, Node] = {}
    nodes = [expression.tree]
    for node in nodes:  # grows during the loop
        nodes.extend(node.children)
        if node.kind is Kind.CONSTANT:
            numbers[id(node)] = Numbered(Kind.CONSTANT, str(len(numbers)), node.value)

    def rebuilt(node: Node) -> Node:
        if node.kind is not Kind.OPERATOR:
            return numbers.get(id(node), node)
        return Node.operator(node.name, *map(rebuilt, node.children))

    return rebuilt(expression.tree)


@pytest.mark.parametrize(
    ("move", "form"),
    [
        (moved_into_factors, "{c} * exp(x)"),
        (moved_into_factors, "z / ({c} * exp(x * y))"),
        (moved_into_factors, "{s} * x * {c} * y^1.4 / z"),
        (moved_into_factors, "{s} * sqrt(x) / (y * {c})"),
        (moved_into_logarithm, "{s} * log(x + y) + {c}"),
        (moved_into_logarithm, "{c} - log(x + {c}) * {s} - y"),
        (moved_into_logarithm, "y - (log({c} - 0.01 * x) - {s})"),
        (cancelled_factors, "{c} * y / ({c} * x + {c} * z)"),
        (cancelled_factors, "{s} / (exp(x) - y + {s})"),
    ],
)
@given(st.floats(0.1, 10.0), st.sampled_from([-2.4, -1.0, 1.0, 1.7, 3.0]))
def test_allowed_alternatives_have_the_same_values(move, form, constant, scale):
    expression = Expression.parse(form.format(c=repr(constant), s=repr(scale)), NAMES)

    def nats_lost(number: int, value: float) -> float:
        error = 1e-9 * expression.constants[number]
        return 0.5 * ((value - expression.constants[number]) / error) ** 2

    others = [Expression.from_tree(NAMES, tree) for tree in move(numbered(expression), nats_lost)]
    before, *found = values([expression, *others], X)[0]
    # absolute, too: a difference may be nearly zero
    assert all(np.allclose(each, before, rtol=1e-6, atol=1e-6, equal_nan=True) for each in found)
