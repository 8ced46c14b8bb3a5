"""The choice where equations are undefined, or have poles, between the rows."""

import numpy as np

from ddsr.engine import values
from ddsr.selection.select import select
from selection_cases import X, engine_for, is_same, parsed

BAND = X[X[:, 0] + X[:, 1] > 3.0]  # x and y alone go down to 0.5


def test_what_is_undefined_between_the_rows_has_to_halve_the_error() -> None:
    engine = engine_for("x * z + 0.3 * sqrt(x + y - 2.99)", 0.01, BAND)
    found = select(parsed("x * z + 0.3 * sqrt(x + y - 2.99)", "x * z + 0.1 * (x + y)", "x * z"), engine)
    assert found[0].is_finite_between_rows and values([found[0].expression], X)[1].all()
    undefined = next(one for one in found if not one.is_finite_between_rows)
    assert undefined.description_length < found[0].description_length
    assert undefined.nrmse > 0.5 * found[0].nrmse


def test_what_has_a_pole_between_the_rows_has_to_halve_the_error() -> None:
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
    rows = X[X[:, 0] > X[:, 1]]
    best = select(parsed("log(x - y)", "0.5 * x - y", "x"), engine_for("log(x - y)", 0.01, rows))[0]
    assert is_same(best.expression, "log(x - y)") and not best.is_finite_between_rows


def test_shortening_leads_to_nothing_undefined() -> None:
    rows = X[X[:, 0] > X[:, 1]]
    engine = engine_for("sqrt(x - y)", 0.05, rows)
    guarded, bare = parsed("sqrt(x - y + exp(y - x))", "sqrt(x - y)")
    assert engine.refit([guarded]).nrmse[0] > engine.refit([bare]).nrmse[0]
    best = select([guarded], engine)[0]
    assert best.is_finite_between_rows and values([best.expression], X)[1].all()


def test_what_is_undefined_between_the_rows_is_chosen_if_there_is_nothing_else() -> None:
    best = select(parsed("2.1 * log(x + y - 2.9)"), engine_for("2 * log(x + y - 2.9)", 0.0, BAND))[0]
    assert not best.is_finite_between_rows
    assert is_same(best.expression, "2 * log(x + y - 2.9)")
