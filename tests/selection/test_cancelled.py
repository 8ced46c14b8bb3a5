"""Selection among notations as ratios of polynomials: cancelled, and in the plainest form."""

import numpy as np
import pytest
from hypothesis import given, settings

from ddsr.engine import values
from ddsr.expression import Expression
from ddsr.selection import select as selector
from ddsr.selection.select import select
from selection_cases import X, engine_for, parsed
from strategies import PLAIN, expressions, mild_floats

BELOW = X * [1.0, 0.8, 1.0] + [3.0, 0.0, 0.0]  # y is smaller than x, as speeds are smaller than that of light


@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize(
    ("found", "shorter"),
    [
        ("z * y * sqrt(1 + 1 / (x^2 / y^2 - 1))", "z * y / sqrt(1 - y^2 / x^2)"),
        ("z * y * sqrt(x^2 / (x^2 - y^2))", "z * y / sqrt(1 - y^2 / x^2)"),
        ("x * z / sqrt((x - y) * (x + y))", "z / sqrt(1 - y^2 / x^2)"),
        ("x^3 * z / sqrt((x - y) * (x + y))", "z * x^2 / sqrt(1 - (y / x)^2)"),
        ("z * y * sqrt(y^2 / ((x - y) * (x + y)) + 1)", "z * y / sqrt(1 - y^2 / x^2)"),
        ("-1 * x * z * log(y / z) + 7e-17", "x * z * log(z / y)"),
        ("1.02 / (0.99 / x + 1.01 / y)", "x * y / (x + y)"),
        ("x / y * sqrt(1 + 3.02 * y^2 / (z^2 * x^2))", "sqrt(3 / z^2 + x^2 / y^2)"),
        ("x * sqrt(x / (y * z)) + 0.01", "sqrt(x^3 / (y * z))"),
    ],
)
def test_ratios_are_cancelled(found: str, shorter: str, noise: float) -> None:
    best = select(parsed(found), engine_for(shorter, noise, BELOW))[0]
    assert len(best.expression) == len(Expression.parse(shorter, PLAIN)) and not any(best.is_free)
    (expected,), (value,) = (values([e], BELOW)[0] for e in (*parsed(shorter), best.expression))
    np.testing.assert_allclose(value, expected, rtol=1e-12)


def test_the_notation_that_names_variables_fewer_times_is_chosen() -> None:
    best = select(parsed("x * z / sqrt(x^2 - y^2)"), engine_for("z / sqrt(1 - y^2 / x^2)", 0.0, BELOW))[0]
    assert str(best.expression) == "z / sqrt(1 - y^2 / x^2)"


def test_fitted_constants_stay_free_in_a_cancelled_ratio() -> None:
    best = select(parsed("2.7 * x^2 / (x * y + x * z)"), engine_for("2.7182818 * x / (y + z)", 0.001))[0]
    assert best.is_free == (True,) and len(best.expression) == 7
    assert best.expression.constants[0] == pytest.approx(2.7182818, rel=1e-3)


@settings(max_examples=25, deadline=None)
@given(expressions(PLAIN, 15, mild_floats))
def test_cancelling_never_lengthens(expression: Expression) -> None:
    engine = engine_for("x / (1 + y^2)", 0.05, X[:60])
    if not np.isfinite(engine.refit([expression], max_steps=0).nrmse[0]):
        return
    cancelled = select([expression], engine)[0]
    with pytest.MonkeyPatch.context() as without:
        without.setattr(selector, "N_RATIONAL", 0)
        plain = select([expression], engine)[0]
    assert cancelled.description_length <= plain.description_length + 1e-3
    assert cancelled.is_finite_between_rows >= plain.is_finite_between_rows


def test_among_equally_short_forms_the_plainest_is_chosen() -> None:
    best = select(parsed("0.517 * z / ((x + y) / z)"), engine_for("0.517 * z^2 / (x + y)", 0.01))[0]
    assert best.expression.skeleton().count("/") == 1


@pytest.mark.parametrize(
    ("found", "written"),
    [
        ("z * y / sqrt(z^2 / x^2 - 1)", "x * y / sqrt(1 - x^2 / z^2)"),
        ("2 / sqrt(z * (x + y) / x^3)", "2 * x * sqrt(x / (z * (x + y)))"),
        ("x * z * sqrt(1 + (y / x)^2)", "z * sqrt(x^2 + y^2)"),
        ("x * sqrt(4 + ((z - y) / x)^2)", "sqrt(4 * x^2 + (z - y)^2)"),
    ],
)
def test_among_equal_notations_the_plainest_order_is_chosen(found: str, written: str) -> None:
    """Not the one with more divisions, nor x - 1 where 1 - x would do."""
    rows = np.random.default_rng(5).uniform((0.5, 0.5, 4.0), (2.0, 4.0, 6.0), size=(500, 3))
    best = select(parsed(found), engine_for(found, 0.0, rows))[0]
    assert best.expression.to_sympy() == Expression.parse(written, best.expression.vocabulary).to_sympy()
