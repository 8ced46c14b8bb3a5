"""Selection if equations are undefined or have poles between the rows."""

import numpy as np

from ddsr.engine import values
from ddsr.selection.guards.domain import are_defined
from ddsr.selection.select import select
from selection_cases import X, engine_for, is_same, parsed

LEAST = float(np.round(np.min(X[:, 0] + X[:, 1]) - 0.005, 2))  # just below the minimum of x + y on the rows
ORDERED = X[X[:, 0] > X[:, 1]]


def test_an_equation_undefined_between_rows_must_halve_the_error() -> None:
    root = f"x * z + 0.6 * log(x + y - {LEAST})"
    engine = engine_for(root, 0.1)
    found = select(parsed(root, "x * z"), engine, is_allowed=lambda _: False)  # no alternatives are allowed
    assert found[0].is_finite_between_rows and values([found[0].expression], engine.shuffled_rows)[1].all()
    undefined = next(one for one in found if not one.is_finite_between_rows)
    assert undefined.description_length < found[0].description_length
    assert undefined.nrmse > 0.5 * found[0].nrmse


def test_an_equation_with_a_pole_between_rows_must_halve_the_error() -> None:
    engine = engine_for("x * z + 0.05 / (y - 1.7)", 0.01, X[np.abs(X[:, 1] - 1.7) > 0.3])
    found = select(parsed("x * z + 0.05 / (y - 1.7)", "x * z + 0.01", "x * z"), engine)
    with_pole = next(one for one in found if len(one.expression) > 5)
    assert found[0].is_finite_between_rows and not with_pole.is_finite_between_rows
    assert with_pole.description_length < found[0].description_length
    assert with_pole.nrmse > 0.5 * found[0].nrmse


def test_a_pole_in_the_truth_is_found_where_it_is_needed() -> None:
    engine = engine_for("x / (y - 1.5)", 0.01, X[np.abs(X[:, 1] - 1.5) > 0.3])
    best = select(parsed("x / (y - 1.49)", "x * y", "x"), engine)[0]
    assert is_same(best.expression, "x / (y - 1.5)") and not best.is_finite_between_rows


def test_the_truth_wins_where_one_column_bounds_another() -> None:
    best = select(parsed("log(x - y)", "0.5 * x - y", "x"), engine_for("log(x - y)", 0.01, ORDERED))[0]
    assert is_same(best.expression, "log(x - y)") and best.is_finite_between_rows


def test_a_law_of_two_levels_is_defined_for_all_levels() -> None:
    pairs = [(lower, upper, 1.0) for lower in range(1, 12) for upper in range(lower + 1, 13)]
    engine = engine_for("log(1 / x^2 - 1 / y^2)", 0.02, np.array(pairs, dtype=float))
    assert are_defined(parsed("log(1 / x^2 - 1 / y^2)", "log(y - x)"), engine).tolist() == [True, True]


def test_a_gap_reached_by_mixtures_of_rows_is_not_a_bound() -> None:
    apart = X[np.abs(X[:, 0] - X[:, 1]) > 0.5]
    expressions = parsed("log((x - y)^2 - 0.2)", "log(x - y + 4)")
    assert are_defined(expressions, engine_for("x", 0.0, apart)).tolist() == [False, True]


def test_shortening_does_not_lead_to_undefined_equations() -> None:
    engine = engine_for("sqrt(x - y)", 0.05, ORDERED[:8])  # so few rows may be in order by chance
    guarded, bare = parsed("sqrt(x - y + exp(y - x))", "sqrt(x - y)")
    assert engine.refit([guarded]).nrmse[0] > engine.refit([bare]).nrmse[0]
    best = select([guarded], engine)[0]
    assert best.is_finite_between_rows and values([best.expression], X)[1].all()


def test_an_equation_undefined_between_rows_is_the_last_resort() -> None:
    root = f"2 * sqrt(x + y - {LEAST})"
    best = select(parsed(root.replace("2 ", "2.1 ")), engine_for(root))[0]
    assert not best.is_finite_between_rows
    assert is_same(best.expression, root)
