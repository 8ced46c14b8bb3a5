"""Which inputs remain after the symmetries of a function are used."""

import numpy as np
import pytest

from ddsr.expression import OPERATORS, Batch, Expression, Vocabulary
from ddsr.search.contributors.symmetry import Reduction, Slopes, find_reduction, slopes_of

NAMES = ("a", "b", "c", "d", "e", "f")
VOCABULARY = Vocabulary(NAMES, tuple(OPERATORS))
TOLERANCE = 0.02


def rows(n: int = 128, low: float = 1.0, high: float = 3.0) -> np.ndarray:
    return np.random.default_rng(0).uniform(low, high, size=(n, len(NAMES)))


def slopes(text: str, X: np.ndarray) -> Slopes:
    batch = Batch.of([Expression.parse(text, VOCABULARY)])
    found = slopes_of(batch, np.ones(1), np.zeros(1), X)
    assert found is not None
    return found


def reduction(text: str, X: np.ndarray | None = None) -> Reduction | None:
    X = rows() if X is None else X
    return find_reduction(slopes(text, X), NAMES, (X > 0).all(axis=0).tolist(), TOLERANCE)


def inputs_used(found: Reduction, text: str) -> set[frozenset[str]]:
    """The variables of each input on which the function depends, without those of the factor."""
    used = set(Expression.parse(text, VOCABULARY).variables_used)
    trees = [Expression.from_tree(VOCABULARY, tree) for tree in found.trees]
    return {frozenset(tree.variables_used) for tree in trees if set(tree.variables_used) <= used}


@pytest.mark.parametrize(
    "text, n_inputs",
    [
        ("a * b / (exp(a * b / (c * d)) - 1)", 1),  # Planck's
        ("a * b / ((c - d)^2 + (e - f)^2)", 2),
        ("a / sqrt(1 - (b / (4 * c))^2)", 1),
        ("a * sqrt(b^2 + c^2) * sin(d - e)", 2),
        ("(a * b + c * d) / (a + c)", 2),
        ("log(a / b) * c", 1),
        ("a + b", 0),
        ("sin(a + b + c)", 1),
        ("sqrt(a^3 / (b + c))", 0),
        ("2 * a * b^2 / c", 0),
    ],
)
def test_symmetries_leave_fewer_inputs(text: str, n_inputs: int) -> None:
    found = reduction(text)
    assert found is not None
    assert len(inputs_used(found, text)) == n_inputs


@pytest.mark.parametrize("text", ["a + b^2 + sin(a * b)", "exp(a) + cos(a * b)", "a^b + b"])
def test_functions_without_symmetry_keep_their_inputs(text: str) -> None:
    X = rows()[:, :2]
    names = NAMES[:2]
    vocabulary = Vocabulary(names, tuple(OPERATORS))
    found = slopes_of(Batch.of([Expression.parse(text, vocabulary)]), np.ones(1), np.zeros(1), X)
    assert found is not None
    assert find_reduction(found, names, [True, True], TOLERANCE) is None


@pytest.mark.parametrize(
    "text", ["a * b / (exp(a * b / (c * d)) - 1)", "a / cos(b / (4 * c))", "d * sin(e - f)"]
)
def test_the_target_is_the_factor_times_a_function_of_the_inputs(text: str) -> None:
    """Sort rows by the one input that is used: the rest of the target then lies on a curve."""
    X = rows(400)
    found = reduction(text, X)
    assert found is not None
    used = set(Expression.parse(text, VOCABULARY).variables_used)
    trees = [Expression.from_tree(VOCABULARY, tree) for tree in found.trees]
    (place,) = [number for number, tree in enumerate(trees) if set(tree.variables_used) <= used]
    factor = Expression.from_tree(VOCABULARY, found.factor)
    inputs = trees[place].to_callable()(X)
    left = Expression.parse(text, VOCABULARY).to_callable()(X) / factor.to_callable()(X)
    order = np.argsort(inputs)
    curve = np.interp(inputs, inputs[order][::2], left[order][::2])
    assert np.abs(curve - left).mean() < 0.01 * np.ptp(left)


def test_units_are_taken_from_positive_columns_alone() -> None:
    X = rows()
    X[:, 1] -= 2.0
    found = reduction("a * b", X)
    assert found is not None
    trees = [Expression.from_tree(VOCABULARY, tree).text() for tree in found.trees]
    assert "b" in trees and Expression.from_tree(VOCABULARY, found.factor).text() == "a"


def test_an_approximation_has_the_symmetries() -> None:
    """cos(v / c) has the symmetry of sqrt(1 - v^2 / c^2), and a small remainder changes nothing."""
    found = reduction("a / cos(b / (2 * c)) + 0.001 * sin(5 * b)")
    assert found is not None
    assert inputs_used(found, "a * b * c") == {frozenset("bc")}


def test_a_symmetry_that_does_not_hold_is_not_taken() -> None:
    found = reduction("a / cos(b / (2 * c)) + 0.2 * sin(5 * b)")
    assert found is None or frozenset("bc") not in inputs_used(found, "a * b * c")
