"""Scales taken out of trees: the value stays, the constants become usual ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr.expression import Expression
from ddsr.limits.scales import joined, split_scale
from strategies import FULL, expressions

X = np.random.default_rng(0).uniform(0.5, 2.0, size=(20, 3))


@pytest.mark.parametrize(
    ("text", "scale", "rest"),
    [
        ("sqrt(2e-8 * x + 4e-8 * y)", 2e-4, "sqrt(0.5 * x + y)"),
        ("1e-6 * x * (2 * y)", 2e-6, "x * y"),
        ("(3 * x)^2 / (2 * y)", 4.5, "x^2 / y"),
        ("sin(1e-3 * x)", 1.0, "sin(0.001 * x)"),
        ("x + 3 * y", 1.0, "x + 3 * y"),
        ("4 / x", 4.0, "1 / x"),
        ("neg(cube(2 * x))", -8.0, "cube(x)"),
        ("sqrt(x * (-2.0))", 1.0, "sqrt(-2 * x)"),
        ("2.5", 2.5, "1.0"),
    ],
)
def test_the_scale_is_taken_out(text, scale, rest):
    found, tree = split_scale(Expression.parse(text, FULL).tree)
    assert found == pytest.approx(scale)
    assert Expression.from_tree(FULL, joined((1.0, tree))).text(12) == rest


@given(expressions(FULL, max_size=9, constants=st.sampled_from((0.25, 3.0, -2.0, 1e-5))))
def test_values_stay(expression):
    again = Expression.from_tree(FULL, joined(split_scale(expression.tree)))
    function = expression.to_callable()
    expected, found = function(X), again.to_callable()(X)
    with np.errstate(all="ignore"):
        sensitivity = np.abs(function(X * (1 + 1e-9)) - expected)
        # Behind huge values on the way, or at the edge of a domain, rounding decides.
        is_tame = np.isfinite(sensitivity) & (np.abs(expected) < 1e6) & (sensitivity < 1e-6)
        left = np.abs(found - expected) - (1e-6 * np.abs(expected) + 10 * sensitivity + 1e-9)
    assert (left[is_tame] <= 0.0).all()


def test_what_leaves_double_precision_is_not_finite():
    scale, _ = split_scale(Expression.parse("(1e200 * x)^3", FULL).tree)
    assert scale == np.inf
