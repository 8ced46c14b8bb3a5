"""The final notation of equations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddsr.expression import Expression
from ddsr.price.model import Model
from ddsr.selection.notation import rewritten
from strategies import PLAIN, expressions, mild_floats


@pytest.mark.parametrize(
    ("start", "written"),
    [
        ("exp(log(x / y) / z)", "(x / y)^(1 / z)"),
        ("exp(z * log(x))", "x^z"),
        ("exp(log(x) * z) + y", "x^z + y"),
        ("exp(log(x) + z)", "exp(log(x) + z)"),
        ("log(x^3.5)", "3.5 * log(x)"),
        ("-log(x^3.5)", "-3.5 * log(x)"),
        ("log((x + y)^3)", "3 * log(x + y)"),
        ("log(x^2)", "log(x^2)"),  # x may be negative
        ("sqrt(exp(x * y))", "exp(0.5 * x * y)"),
        ("sqrt(exp(-x^2))", "exp(-0.5 * x^2)"),
        ("sqrt(exp(-1 * x^2 / y))", "exp(-0.5 * x^2 / y)"),
        ("sqrt(exp(x / 2))", "exp(0.25 * x)"),
        ("sqrt(exp(y * (3 * x)))", "exp(1.5 * x * y)"),
        ("sqrt(exp(-x) / 6.25)", "exp(-0.5 * x) / 2.5"),
        ("sqrt(4 * exp(x))", "2 * exp(0.5 * x)"),
        ("sqrt(exp(x) * 4)", "2 * exp(0.5 * x)"),
        ("sqrt(6.25 / exp(x^2))", "2.5 / exp(0.5 * x^2)"),
        ("sqrt(1 / exp(x^2))", "1 / exp(0.5 * x^2)"),
        ("sqrt(y * exp(x))", "sqrt(y * exp(x))"),
        ("exp(3 * x)^2", "exp(6 * x)"),
        ("sqrt(exp(3 * x / 2))", "exp(0.75 * x)"),
        ("exp(3 * (2 * x))^2", "exp(12 * x)"),
        ("sqrt(exp(x / (2 * y)))", "exp(0.5 * x / (2 * y))"),
        ("exp(x)^-0.7 + y", "exp(-0.7 * x) + y"),
        ("exp(x)^y", "exp(x)^y"),
        ("3 * x * (x / y)", "3 * x^2 / y"),
        ("3 * (x^2 / y)", "3 * x^2 / y"),
        ("x * (y / (z / x))", "x * y / (z / x)"),
        ("sin(x) * (y + y)", "2 * y * sin(x)"),
        ("x * x + y", "x^2 + y"),
        ("y^2 * x * 3", "3 * x * y^2"),
        ("cos(z) * (z * (y * x))", "x * y * z * cos(z)"),
        ("x / (z * y)", "x / (y * z)"),
        ("x / (z + y)", "x / (y + z)"),
        ("2 * x / sqrt(y / x)", "2 * x * sqrt(x / y)"),
        ("1 / sqrt(y / x)", "sqrt(x / y)"),
        ("z + (sin(x) + (y + x))", "x + sin(x) + y + z"),
        ("2 - (z + x)", "2 - (x + z)"),
        ("x + -2.5", "x - 2.5"),
        ("-2.5 + x", "x - 2.5"),
        ("x - -2.5 * y", "x + 2.5 * y"),
        ("-0.5 * x * z + y", "y - 0.5 * x * z"),
        ("x + -2 / y", "x - 2 / y"),
        ("-2 + -0.5 * x", "-2 - 0.5 * x"),
        ("-2 - x", "-2 - x"),
    ],
)
@pytest.mark.parametrize("is_fixed", [False, True])
def test_the_usual_notation_of_equations(start: str, written: str, is_fixed: bool) -> None:
    expression = Expression.parse(start, PLAIN)
    model = Model(expression, (is_fixed,) * expression.n_constants)
    found = rewritten(model).expression
    assert found == Expression.parse(written, PLAIN)
    rows = np.random.default_rng(0).uniform(0.5, 2.0, (20, 3))
    np.testing.assert_allclose(found.to_callable()(rows), expression.to_callable()(rows), rtol=1e-12)


def test_an_exponential_is_a_power_once_its_sign_is_turned() -> None:
    model = Model(Expression.parse("exp(-1 * log(y / x) / z)", PLAIN), (True,))
    assert rewritten(model).expression == Expression.parse("(x / y)^(1 / z)", PLAIN)


def test_a_factor_is_moved_out_of_a_fixed_power() -> None:
    """With a fitted power it would be a second constant to fit."""
    expression = Expression.parse("(1.5 * exp(x))^2", PLAIN)
    assert rewritten(Model(expression, (True, True))).expression.text() == "2.25 * exp(2 * x)"
    assert rewritten(Model.free(expression)).expression == expression


def test_a_fixed_one_is_dropped() -> None:
    for text in ("sqrt(exp(x * 2))", "sqrt(exp(2 * x))", "exp(x / 2)^2"):
        model = Model(Expression.parse(text, PLAIN), (True,) * text.count("2"))
        assert rewritten(model).expression.text() == "exp(x)"


@pytest.mark.parametrize(
    "text",
    [
        "(1e-200 * exp(x))^2",
        "(1e160 * exp(x))^2",
        "exp(1e308 * x)^10",
        "exp(1e-300 * x)^1e-300",
        "exp(x / 1e-200)^1e200",
    ],
)
def test_numbers_that_would_leave_double_precision_stay_apart(text: str) -> None:
    expression = Expression.parse(text, PLAIN)
    found = rewritten(Model(expression, (True,) * expression.n_constants)).expression
    assert np.all(np.isfinite(found.constants)) and np.all(np.array(found.constants) != 0.0)


def test_a_notation_that_rules_forbid_is_not_used() -> None:
    model = Model.free(Expression.parse("exp(z * log(x))", PLAIN))
    assert rewritten(model, lambda other: "^" not in other.text()).expression == model.expression


@settings(max_examples=200, deadline=None)
@given(expressions(PLAIN, 13, mild_floats), st.booleans())
def test_notation_keeps_values(expression: Expression, is_fixed: bool) -> None:
    rows = np.random.default_rng(0).uniform(0.5, 2.0, (20, 3))
    with np.errstate(all="ignore"):
        before = expression.to_callable()(rows)
        found = rewritten(Model(expression, (is_fixed,) * expression.n_constants)).expression
        after = found.to_callable()(rows)
    known = np.isfinite(before) & (np.abs(before) < 1e6)
    np.testing.assert_allclose(after[known], before[known], rtol=1e-6, atol=1e-9)
