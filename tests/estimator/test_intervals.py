"""Intervals of constants: those of linear regression for linear equations, and fixed constants are exact."""

import numpy as np
import pytest
from scipy.stats import t

from ddsr import DataError, DDSRRegressor, Expression, Vocabulary
from ddsr.estimator.intervals import intervals_table, named_constants, standard_errors

rng = np.random.default_rng(0)
X = rng.uniform(0.5, 3.0, size=(50, 1))
NOISE = rng.normal(size=50)
LINE = ["C * x0 + C"]


def line(y, weights=None, **parameters):
    """A straight line, fitted without changes of its form."""
    parameters = {"max_epochs": 1, "random_state": 0, "model_selection": "accuracy"} | parameters
    model = DDSRRegressor(
        "uniform", operators=["+", "*"], config={"max_length": 5, "batch_size": 5}, guesses=LINE, **parameters
    )
    return model.fit(X, y, sample_weight=weights)


def by_hand(y, weights, level=0.95):
    """Weighted least squares: values, standard errors, half widths."""
    A, w = np.column_stack([X[:, 0], np.ones(len(X))]), weights / weights.mean()
    inverse = np.linalg.inv(A.T @ (w[:, None] * A))
    values = inverse @ A.T @ (w * y)
    variance = (w * (y - A @ values) ** 2).sum() / (len(X) - 2)
    errors = np.sqrt(variance * np.diagonal(inverse))
    return values, errors, errors * t.ppf(0.5 + level / 2, len(X) - 2)


@pytest.mark.parametrize(
    "weights", [np.ones(50), np.linspace(0.1, 3.3, 50), 1e-6 * np.linspace(0.1, 3.3, 50)]
)
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_a_line_has_the_intervals_of_linear_regression(weights, level):
    y = 3.3 * X[:, 0] - 1.7 + NOISE
    table = line(y, weights).confidence_intervals(level=level)
    values, errors, reach = by_hand(y, weights, level)
    assert list(table.index) == ["c0", "c1"] and table.attrs["equation"] == "c0 * x0 + c1"
    np.testing.assert_allclose(table["value"], values, rtol=1e-5)
    np.testing.assert_allclose(table["standard_error"], errors, rtol=1e-4)
    np.testing.assert_allclose(table["low"], values - reach, rtol=1e-3)
    np.testing.assert_allclose(table["high"], values + reach, rtol=1e-3)
    assert not table["is_exact"].any()


def test_intervals_have_their_stated_coverage():
    n_held = 0
    for seed in range(60):
        y = 3.3 * X[:, 0] - 1.7 + np.random.default_rng(seed).normal(size=50)
        table = line(y).confidence_intervals(level=0.8)
        n_held += table["low"]["c0"] < 3.3 < table["high"]["c0"]
    assert 0.65 < n_held / 60 < 0.93


def test_fixed_constants_are_exact():
    y = 2 * X[:, 0] + 0.3371 + 0.01 * NOISE
    table = line(y, model_selection="description_length").confidence_intervals()
    fixed = table[table["is_exact"]]
    assert 2.0 in fixed["value"].to_numpy()
    assert (fixed["low"] == fixed["value"]).all() and (fixed["high"] == fixed["value"]).all()
    assert (fixed["standard_error"] == 0).all()
    free = table[~table["is_exact"]]
    assert len(free) == 1 and (free["low"] < 0.3371).all() and (free["high"] > 0.3371).all()


def test_every_row_of_the_table_has_its_intervals():
    model = line(3.3 * X[:, 0] - 1.7 + NOISE, max_epochs=3)
    for row in range(len(model.equations_)):
        table = model.confidence_intervals(row)
        assert len(table) == model.front_.entries[row].equation.n_constants
    for level in (0, 1, "high", True):
        with pytest.raises(DataError, match="level must be"):
            model.confidence_intervals(level=level)


def test_unidentifiable_constants_have_infinite_intervals():
    together = np.array([[1.0, 1.0], [1.0, 1.0]])  # only their sum matters
    assert (standard_errors([True, True], together, 1.0, 100) == np.inf).all()
    alone = np.array([[1.0, 0.0], [0.0, 0.0]])
    errors = standard_errors([True, True], alone, 1.0, 102)
    assert errors[0] == pytest.approx(0.1) and errors[1] == np.inf
    assert (standard_errors([True, False], alone, 1.0, 1) == [np.inf, 0.0]).all()


def test_derivatives_beyond_double_precision_give_infinite_intervals():
    information = np.array([[np.inf, np.inf], [np.inf, 1.0]])
    assert np.isinf(standard_errors([True, True], information, 1.0, 50)).all()
    np.testing.assert_allclose(standard_errors([False, True], information, 1.0, 50), [0.0, 1 / 7])


def test_without_spare_rows_intervals_are_infinite():
    equation = Expression.parse("2.5 * x + 3.5", Vocabulary(("x",)))
    table = intervals_table(equation, [False, True], np.eye(2), loss=0.0, n_observed=1, level=0.9)
    assert table["low"].tolist()[0] == -np.inf and table["high"].tolist()[0] == np.inf
    assert table["is_exact"].tolist() == [False, True]


def test_constants_are_named_as_they_stand_in_the_text():
    equation = Expression.parse("sin(2.5 * x) * 3.5 + 4.5", Vocabulary(("x",)))
    order, names, text = named_constants(equation)
    assert names == ["c0", "c1", "c2"]
    assert text == "sin(c0 * x) * c1 + c2"
    assert [equation.constants[k] for k in order] == [2.5, 3.5, 4.5]


def test_an_interrupted_fit_has_no_intervals(monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("ddsr.estimator.fit.information_of", interrupted)
    model = line(3.3 * X[:, 0] - 1.7 + NOISE)
    with pytest.raises(DataError, match="no confidence intervals"):
        model.confidence_intervals()
