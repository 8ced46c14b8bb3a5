"""`DDSRRegressor.outliers`, and that a table with wrong entries gives the law of the other rows."""

import numpy as np
import pandas as pd
import pytest

from ddsr import DDSRRegressor
from ddsr.errors import DataError

WRONG = [17, 42, 111]
QUICK = {
    "preset": "ddsr:generator=none",
    "max_epochs": 1,
    "random_state": 0,
    "prior": None,
    "config": {"evaluations_per_epoch": 500},
}


def make_table() -> tuple[pd.DataFrame, np.ndarray]:
    """y = 2 x / z with some noise, and three wrong entries among 200."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0.5, 3, size=(200, 3)), columns=["x", "z", "w"])
    y = np.array(2 * X["x"] / X["z"]) + 0.03 * rng.normal(size=200)
    y[WRONG] += 1.5, -2.0, 2.5
    return X, y


@pytest.fixture(scope="module")
def fitted() -> DDSRRegressor:
    return DDSRRegressor(**QUICK, guesses=["2 * x / z"]).fit(*make_table())


def test_wrong_entries_do_not_make_another_law(fitted):
    assert fitted.get_best()["equation"] == "2 * x / z"


def test_outliers_are_listed_largest_first(fitted):
    X, y = make_table()
    assert fitted.outliers(X, y).tolist() == [111, 42, 17]
    assert fitted.outliers(X[:100], y[:100]).tolist() == [42, 17]


def test_a_lost_decimal_point_is_found(fitted):
    X, y = make_table()
    y[60] *= 100.0
    assert fitted.outliers(X, y)[0] == 60


def test_outliers_of_another_equation_by_its_row(fitted):
    X, y = make_table()
    last = len(fitted.equations_) - 1
    assert fitted.outliers(X, fitted.predict(X, last), index=last).tolist() == []


def test_outliers_of_each_output():
    X, y = make_table()
    right = np.array(X["x"] + X["w"])
    model = DDSRRegressor(**QUICK, guesses=["2 * x / z", "x + w"]).fit(X, np.column_stack([y, right]))
    first, second = model.outliers(X, np.column_stack([y, right]))
    assert set(WRONG) <= set(first.tolist())
    assert second.tolist() == []
    with pytest.raises(DataError, match="shape"):
        model.outliers(X, y)


def test_other_lengths_are_refused(fitted):
    X, y = make_table()
    with pytest.raises(DataError, match="shape"):
        fitted.outliers(X, y[:100])
    y[3] = np.nan
    with pytest.raises(DataError, match="y"):
        fitted.outliers(X, y)
