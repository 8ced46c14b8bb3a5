"""asin and acos replaced by each other."""

from __future__ import annotations

import numpy as np
import pytest

from ddsr.expression import Expression
from ddsr.price.model import Model
from ddsr.selection.moves.complements import complements
from ddsr.selection.notation import rewritten
from strategies import FULL, PLAIN

HALF_PI = repr(np.pi / 2)


@pytest.mark.parametrize(
    ("given", "first"),
    [
        (f"{HALF_PI} - acos(x)", "1.0 * asin(x)"),
        (f"asin(x) - {HALF_PI}", "-1.0 * acos(x)"),
        (f"{np.pi + 1.0!r} - 2 * acos(x * y)", "2.0 * asin(x * y) + 1.0"),
        (f"3 * asin(x) + {0.5 - 1.5 * np.pi!r}", "-3.0 * acos(x) + 0.5"),
    ],
)
def test_complements_are_simple_and_equal(given: str, first: str) -> None:
    expression = Expression.parse(given, FULL)
    turned = [Expression.from_tree(FULL, node) for node in complements(expression.tree)]
    assert Expression.parse(first, FULL) in turned
    rows = np.random.default_rng(0).uniform(0.1, 0.9, (20, 3))
    for other in turned:
        np.testing.assert_allclose(other.to_callable()(rows), expression.to_callable()(rows), rtol=1e-6)


@pytest.mark.parametrize("text", ["1.2345 - acos(x)", f"{HALF_PI} - sin(x)", f"x - {HALF_PI}", "asin(x) + y"])
def test_other_sums_have_no_complement(text: str) -> None:
    assert list(complements(Expression.parse(text, FULL).tree)) == []


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (f"z * ({HALF_PI} - asin(x / y))", "z * acos(x / y)"),
        (f"{HALF_PI} - acos(x)", "asin(x)"),
        (f"{HALF_PI} - 2 * acos(x)", f"{HALF_PI} - 2 * acos(x)"),
    ],
)
def test_quarter_turns_are_removed(given: str, written: str) -> None:
    assert rewritten(Model.free(Expression.parse(given, FULL))).expression == Expression.parse(written, FULL)


def test_without_the_other_function_nothing_changes() -> None:
    assert "asin" not in PLAIN.operators
    model = Model.free(Expression.parse("x + 1.5707963267948966", PLAIN))
    assert rewritten(model).expression == model.expression
