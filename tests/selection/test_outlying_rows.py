"""Outliers: rows that no law explains are named, and do not change the law."""

from math import comb, e, log, pi

import numpy as np
import pytest

from ddsr.engine import Engine
from ddsr.expression import Expression, Vocabulary
from ddsr.selection.guards.outliers import outliers_of, outlying_rows
from ddsr.selection.samples import Samples
from ddsr.selection.select import select

VOCABULARY = Vocabulary(["x", "y"])
LEAST_NRMSE = 1e-13


def saved(text: str, engine: Engine) -> float:
    return outliers_of([Expression.parse(text, VOCABULARY)], Samples(engine), LEAST_NRMSE)[0].saved


def noisy(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 2, size=(n_rows, 2))
    return X, X[:, 0] + X[:, 1] + 0.05 * rng.normal(size=n_rows)


@pytest.mark.parametrize("n_rows", [20, 50, 200, 2999])
@pytest.mark.parametrize("seed", range(3))
def test_gaussian_noise_has_no_outliers(n_rows: int, seed: int) -> None:
    assert saved("x + y", Engine(VOCABULARY, *noisy(n_rows, seed))) == 0.0


def test_one_outlier_saves_what_its_code_says() -> None:
    X, y = noisy(60)
    y[7] += 2.0
    errors = y - X.sum(axis=1)
    others = np.delete(errors, 7)
    as_noise = 30.0 * log(2 * pi * e * (errors @ errors) / 60)
    named = 29.5 * log(2 * pi * e * (others @ others) / 59) + log(np.ptp(y)) + log(comb(60, 1)) + log(2)
    assert as_noise - named > 50.0
    assert saved("x + y", Engine(VOCABULARY, X, y)) == pytest.approx(as_noise - named)


def test_at_most_one_row_in_fifty_is_an_outlier() -> None:
    X, y = noisy(100)
    engines = []
    for n_far in (2, 3):
        far = y.copy()
        far[:n_far] += 2.0
        engines.append(Engine(VOCABULARY, X, far))
    assert saved("x + y", engines[0]) > 2 * saved("x + y", engines[1]) > 0.0


def test_few_rows_have_no_outliers() -> None:
    X, y = noisy(19)
    y[3] += 2.0
    assert saved("x + y", Engine(VOCABULARY, X, y)) == 0.0


def test_a_prediction_out_of_range_is_not_an_outlier() -> None:
    X, y = noisy(60)
    X[7, 0], y[7] = 1.5, X[7, 1] + 1.5
    spike = f"x + y + 100 * exp(-100000 * (x - {X[7, 0]:.17g})^2)"
    assert saved(spike, Engine(VOCABULARY, X, y)) == 0.0
    assert saved(spike.replace("100 *", "2 *", 1), Engine(VOCABULARY, X, y)) > 50.0


def test_rows_that_carry_the_variance_of_y_are_not_outliers() -> None:
    """Such rows are what a law has to explain, not outliers of the law y = 0."""
    X, y = noisy(100)
    events = np.zeros(100)
    events[[4, 61]] = 3.0, 4.0
    assert saved("0 * x", Engine(VOCABULARY, X, events)) == 0.0
    y[[4, 61]] += 3.0, 4.0
    assert saved("x + y", Engine(VOCABULARY, X, y)) > 50.0


def test_undefined_predictions_are_not_outliers() -> None:
    X, y = noisy(60)
    assert saved("log(x)", Engine(VOCABULARY, X, y)) == 0.0


def test_the_unit_of_y_does_not_matter() -> None:
    X, y = noisy(60)
    y[7] += 2.0
    first = saved("x + y", Engine(VOCABULARY, X, y))
    assert saved("1e9 * (x + y)", Engine(VOCABULARY, X, 1e9 * y)) == pytest.approx(first)


def test_rows_of_weight_zero_are_not_outliers() -> None:
    X, y = noisy(60)
    y[7] += 2.0
    weights = np.ones(60)
    weights[7] = 0.0
    assert saved("x + y", Engine(VOCABULARY, X, y, weights)) == 0.0


def test_sampled_rows_have_no_outliers() -> None:
    """Spikes that happen to be in the sample would be excused for all rows."""
    X, y = noisy(2999)
    y[7] += 2.0
    assert saved("x + y", Engine(VOCABULARY, X, y)) > 50.0
    more_X, more_y = np.concatenate([X, X]), np.concatenate([y, y])
    assert saved("x + y", Engine(VOCABULARY, more_X, more_y)) == 0.0


def test_outliers_are_listed_by_size() -> None:
    X, y = noisy(200)
    assert outlying_rows(X.sum(axis=1), y).tolist() == []
    y[[4, 61]] += 1.5, -2.0
    assert outlying_rows(X.sum(axis=1), y).tolist() == [61, 4]
    y[9] += 1e6  # whatever its share of the variance
    assert outlying_rows(X.sum(axis=1), y).tolist()[0] == 9
    predicted = X.sum(axis=1)
    predicted[100] = np.inf
    y[9] -= 1e6
    assert outlying_rows(predicted, y).tolist() == [100, 61, 4]
    assert outlying_rows(1e300 * X.sum(axis=1), 1e300 * y).tolist() == [61, 4]


def test_counts_are_rows() -> None:
    X, y = noisy(90)
    y[7] += 2.0
    for count in (1, 2, 30):
        counts = np.arange(90) % 2 + 1
        counts[7] = count
        weighted = Engine(VOCABULARY, X, y, counts=counts)
        repeated = Engine(VOCABULARY, np.repeat(X, counts, axis=0), np.repeat(y, counts))
        assert saved("x + y", weighted) == pytest.approx(saved("x + y", repeated))
    assert saved("x + y", weighted) == 0.0  # thirty rows are not outliers


def test_a_counted_outlier_is_left_out_completely() -> None:
    X, y = noisy(90)
    y[7] += 2.0
    counts = np.ones(90)
    counts[7] = 3.0  # one of them may be an outlier
    samples = Samples(Engine(VOCABULARY, X, y, counts=counts))
    found = outliers_of([Expression.parse("x + y", VOCABULARY)], samples, LEAST_NRMSE)
    squares = counts * (y - X.sum(axis=1)) ** 2
    assert found[0].rows.tolist() == [7]
    assert found[0].share_left == pytest.approx(np.delete(squares, 7).sum() / 89 / (squares.sum() / 92))


def test_an_infinite_error_is_an_outlier_too() -> None:
    X = np.random.default_rng(0).uniform(1.0, 1.05, (60, 2))
    y = 1e-10 * X[:, 0] * np.random.default_rng(1).normal(1.0, 0.01, 60)
    candidates = [Expression.parse(text, VOCABULARY) for text in ("1e150 * y", "x")]
    assert select(candidates, Engine(VOCABULARY, X, y))[0].nrmse < 1.1


def test_weighted_rows_have_no_outliers() -> None:
    X, y = noisy(90)
    y[7] += 2.0
    assert saved("x + y", Engine(VOCABULARY, X, y, np.linspace(0.5, 1.5, 90))) == 0.0


def test_an_exact_law_is_not_longer_than_one_with_outliers() -> None:
    """A kink that three of 150 rows show; without it all others are exact."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, size=(150, 2))
    X[:3, 0] = 1.2, 1.3, 1.4
    base = "0.731 * x + 0.217 * y + 0.317 * x * y + 1.193"
    law = f"{base} + 0.0713 * sqrt((x - 1.01)^2) - 0.0713 * (1.01 - x)"
    engine = Engine(VOCABULARY, X, Expression.parse(law, VOCABULARY).to_callable()(X))
    assert saved(base, engine) > 50.0
    found = select([Expression.parse(text, VOCABULARY) for text in (base, law)], engine)[0]
    assert found.nrmse < 1e-12


def test_guards_ignore_outliers() -> None:
    """The second outlier, which is named, must not hide that a tower of exponentials fits the first."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 2, size=(60, 2))
    X[7] = 2.4
    for first, second in ((0.5, 3.0), (0.5, 6.0), (0.5, 9.0), (1.0, 9.0)):
        y = X.sum(axis=1) + 0.05 * np.random.default_rng(1).normal(size=60)
        y[[7, 20]] += first, second
        candidates = [Expression.parse(text, VOCABULARY) for text in ("x + y", "x + y + 1e-5 * exp(exp(x))")]
        assert select(candidates, Engine(VOCABULARY, X, y))[0].expression.text() == "x + y"


@pytest.mark.parametrize("text", ["exp(x * y)^9", "exp(x * (y + x * y))", "exp(x^2 * y)"])
def test_outliers_do_not_change_the_chosen_law(text: str) -> None:
    """Two outliers where both x and y are large, and a term that vanishes elsewhere."""
    X, y = noisy(160)
    is_low = X.prod(axis=1) < 1.5
    X, y = X[is_low][:100], y[is_low][:100]
    X[:2], y[:2] = ((1.95, 1.97), (1.91, 1.97)), (1.5, 1.51)
    engine = Engine(VOCABULARY, X, y)
    candidates = [Expression.parse(each, VOCABULARY) for each in ("x + y", f"x + y - 1e-6 * {text}")]
    error, other_error = engine.refit(candidates).nrmse
    assert other_error < 0.3 * error
    assert select(candidates, engine)[0].expression.text() == "x + y"
