"""Trees over fewer inputs, and back."""

import numpy as np
import pytest

from ddsr.expression import OPERATORS, Expression, Node, Vocabulary
from ddsr.search.contributors.symmetry.reduction import Input, Reduction, monomial

VOCABULARY = Vocabulary(("x", "y", "z"), tuple(OPERATORS))
X = np.random.default_rng(0).uniform(1, 3, size=(40, 3))


def tree(text: str) -> Node:
    return Expression.parse(text, VOCABULARY).tree


def value(node: Node) -> np.ndarray:
    return Expression.from_tree(VOCABULARY, node).to_callable()(X) * np.ones(len(X))


def columns(reduction: Reduction) -> np.ndarray:
    return np.column_stack([value(node) for node in reduction.trees])


def restored(text: str, reduction: Reduction) -> Expression:
    inner = Expression.parse(text, Vocabulary(reduction.names, tuple(OPERATORS)))
    return Expression.from_tree(VOCABULARY, reduction.restored(inner.tree))


# x / y and z * y^2 in the unit y; the target has the unit y^3
UNITS = Reduction((Input(tree("x"), (1.0,)), Input(tree("z"), (-2.0,))), (tree("y"),), (3.0,))
FORMS = (
    "sin(u0) * u1 + 2 * u0",
    "1 - u0^2",
    "sqrt(1 + u0^2) / (u1 - 3)",
    "exp(u0 * u1) / u0^1.37",
    "u0^u1 + 2^u0",
    "(u0 + u1) * (1 - u1)",
    "1 / (u0 - 0.3)^2 + 5",
    "2",
    "log(u0 + 2 * u1) - atan(u0^0.5)",
)


@pytest.mark.parametrize("text", FORMS)
@pytest.mark.parametrize(
    "reduction", [UNITS, Reduction((Input(tree("x / y")), Input(tree("y - z"))))], ids=["units", "none"]
)
def test_restored_is_the_factor_times_the_function_of_the_inputs(text: str, reduction: Reduction) -> None:
    g = Expression.parse(text, Vocabulary(reduction.names, tuple(OPERATORS)))
    expected = value(reduction.factor) * g.to_callable()(columns(reduction))
    np.testing.assert_allclose(restored(text, reduction).to_callable()(X), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "text, target, expected",
    [
        ("1 - u0", 1.0, "y - x"),
        ("sqrt(1 + u0^2)", 1.0, "sqrt(y^2 + x^2)"),
        ("u0^2 - 3", 2.0, "x^2 - 3 * y^2"),
        ("sqrt(1 + u0^1.98)", 1.0, "sqrt(y^2 + x^2)"),  # approximate, as noise leaves it
        ("u0^1.8 - 3", 0.0, "(x / y)^1.8 - 3"),
        ("1 / (1 - u0)^2", -2.0, "1 / (y - x)^2"),
        ("sin(u0)", 0.0, "sin(x / y)"),
    ],
)
def test_units_are_restored(text: str, target: float, expected: str) -> None:
    reduction = Reduction((Input(tree("x"), (1.0,)),), (tree("y"),), (target,))
    assert restored(text, reduction).text() == expected


def test_joined_inputs_have_the_units_of_the_first() -> None:
    joined = UNITS.joined(0, 1, -1.0)
    (both,) = columns(Reduction((joined,), UNITS.units, UNITS.powers)).T
    first, second = columns(UNITS).T
    np.testing.assert_allclose(both, first - second, rtol=1e-12)


def test_monomials_are_products_of_powers() -> None:
    bases = [tree("x"), tree("y"), tree("z")]
    for exponents in ([1, -1, 0], [2, 0.5, -1.5], [0, 0, 0], [-1, 0, 0]):
        made = value(monomial(bases, exponents))
        np.testing.assert_allclose(made, np.prod(X**exponents, axis=1) * np.ones(40), rtol=1e-12)
