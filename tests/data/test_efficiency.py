"""Standard errors of constants agree with how much the constants vary from table to table."""

import numpy as np
import pytest

from ddsr import Engine, Expression, Vocabulary
from ddsr.data.dataset import Dataset
from ddsr.data.efficiency import efficiency
from ddsr.data.losses import Loss
from ddsr.estimator.intervals import standard_errors
from ddsr.search.front import measured_information

N_TABLES, N_ROWS = 150, 80
X = np.linspace(0.0, 4.0, N_ROWS)[:, None]
VOCABULARY = Vocabulary(["x"], ("add", "mul"))
LINE = Expression.parse("2.5 + 0.7 * x", VOCABULARY)
ERRORS = {
    "normal": lambda rng: rng.normal(size=N_ROWS),
    "laplace": lambda rng: rng.laplace(size=N_ROWS),
    "with outliers": lambda rng: rng.normal(size=N_ROWS) * np.where(rng.random(N_ROWS) < 0.05, 10.0, 1.0),
}


def deviations(loss, kind, weights=None):
    """Return the standard deviations of the constants over tables, and the means of their standard errors."""
    rng = np.random.default_rng(0)
    constants, errors = [], []
    for _ in range(N_TABLES):
        y = 2.5 + 0.7 * X[:, 0] + 0.3 * ERRORS[kind](rng)
        engine = Engine(VOCABULARY, Dataset.of(X, y, weights, names=["x"], loss=Loss.of(loss)))
        scores = engine.refit([LINE])
        variance, _ = engine.dataset.loss.variance(float(scores.nrmse[0]) * engine.spread)
        information = measured_information(scores.batch[0], engine)
        constants.append(scores.batch[0].constants)
        errors.append(standard_errors((True, True), information, variance, N_ROWS))
    return np.std(constants, axis=0), np.mean(errors, axis=0)


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("loss", ["absolute", "huber", "quantile:0.9", "quantile:0.3"])
def test_standard_errors_are_what_they_say(loss, kind):
    varied, stated = deviations(loss, kind)
    assert stated == pytest.approx(varied, rel=0.3)


def test_weights_of_zero_leave_rows_out():
    weights = np.where(np.arange(N_ROWS) % 2 == 0, 1.0, 0.0)
    residuals = np.random.default_rng(0).normal(size=N_ROWS)
    for loss in map(Loss.of, ("absolute", "huber", "quantile:0.8")):
        kept = efficiency(loss, 1.0, residuals[::2], None)
        assert efficiency(loss, 1.0, residuals, weights) == pytest.approx(kept)


def test_other_losses_and_few_rows_keep_their_likelihood():
    residuals = np.random.default_rng(0).normal(size=N_ROWS)
    for name in ("squared", "poisson", "logistic"):
        assert efficiency(Loss.of(name), 1.0, residuals, None) == 1.0
    assert efficiency(Loss.of("absolute"), 1.0, residuals[:9], None) == 1.0
    assert efficiency(Loss.of("huber"), 0.0, np.zeros(N_ROWS), None) == 1.0
    assert efficiency(Loss.of("absolute"), 0.0, np.zeros(N_ROWS), None) == 1.0
