"""Losses of the native fit against SciPy's minimisers, and what their errors mean."""

import numpy as np
import pytest
from scipy import optimize, special, stats

from ddsr.data.dataset import Dataset
from ddsr.data.losses import Loss
from ddsr.engine import Engine, FitOptions, FitStatus
from ddsr.errors import DataError
from ddsr.expression import Expression, Vocabulary

RNG = np.random.default_rng(0)
N = 120
X = RNG.uniform(0.3, 3.0, (N, 1))
x = X[:, 0]
LAW = 2.0 + 3.0 * np.exp(-0.8 * x)
VOCABULARY = Vocabulary(["x"], ["+", "*", "exp"])
START = Expression.parse("1.5 + 2 * exp(-0.5 * x)", VOCABULARY)
SHAPE = Expression.parse("exp(-0.5 * x)", VOCABULARY)
STUDENT = LAW + 0.2 * RNG.standard_t(2, N)
OUTLYING = np.where(RNG.random(N) < 0.05, 10.0, 1.0) * (LAW + 0.1 * RNG.normal(size=N))
COUNTS = RNG.poisson(LAW).astype(float)
LABELS = (RNG.random(N) < special.expit(2.0 - 3.0 * np.exp(-0.3 * x) * x)).astype(float)


def curve(c: np.ndarray) -> np.ndarray:
    return c[0] + c[1] * np.exp(c[2] * x)


def huber(r: np.ndarray, c: float = 1.345) -> float:
    """Huber's joint estimate of location and scale, as an error that is σ for normal residuals."""
    inside = stats.norm.cdf(c) - stats.norm.cdf(-c)
    chi = 0.5 * (inside - 2 * c * stats.norm.pdf(c)) + 0.5 * c * c * (1 - inside)

    def loss(log_scale: float) -> float:
        s = np.exp(log_scale)
        return s * (special.huber(c, r / s).mean() + chi) / inside

    return optimize.minimize_scalar(loss, bounds=(-10, 5), method="bounded", options={"xatol": 1e-9}).fun


def mean_loss(name: str, y: np.ndarray, f: np.ndarray) -> float:
    """The mean loss from its definition."""
    r = y - f
    if name == "absolute":
        return np.abs(r).mean()
    if name.startswith("quantile"):
        q = float(name.partition(":")[2])
        return np.maximum(q * r, (q - 1) * r).mean()
    if name == "huber":
        return huber(r)
    if name == "poisson":
        return np.inf if (f <= 0).any() else 2 * (special.xlogy(y, y / f) - r).mean()
    return (np.logaddexp(0, f) - y * f).mean()


CASES = [
    ("absolute", STUDENT),
    ("quantile:0.8", STUDENT),
    ("huber", OUTLYING),
    ("poisson", COUNTS),
    ("logistic", LABELS),
]


def engine_of(name: object, y: np.ndarray, **options: object) -> Engine:
    return Engine(
        VOCABULARY, Dataset.of(X, y, names=["x"], loss=Loss.of(name)), options=FitOptions(**options)
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "y"), CASES)
def test_fits_reach_the_minimum(name: str, y: np.ndarray) -> None:
    engine = engine_of(name, y)
    scores = engine.refit([START], max_steps=300, tolerance=1e-13)
    found = mean_loss(name, y, curve(scores.batch.constants[0]))
    best = min(
        (
            optimize.minimize(
                lambda c: mean_loss(name, y, curve(c)),
                start,
                method="Nelder-Mead",
                options={"maxiter": 3000, "maxfev": 3000, "xatol": 1e-10, "fatol": 1e-13},
            )
            for start in ([1.5, 2.0, -0.5], [2.0, 3.0, -0.8], [0.5, 1.0, -1.0])
        ),
        key=lambda each: each.fun,
    ).fun
    assert found <= best * (1.0 + 2e-4) + 1e-9
    assert Loss.of(name).mean(scores.nrmse[0] * engine.spread) == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize(("name", "y"), CASES)
def test_the_unit_of_the_error_is_the_best_constant(name: str, y: np.ndarray) -> None:
    engine = engine_of(name, y)
    best = optimize.minimize_scalar(
        lambda c: mean_loss(name, y, np.full(N, c)), bounds=(-5, y.max() + 1), method="bounded"
    ).fun
    assert Loss.of(name).mean(engine.spread) == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize(("name", "y"), CASES)
def test_a_free_scale_and_offset_are_fitted_by_the_loss(name: str, y: np.ndarray) -> None:
    free = engine_of(name, y, is_scale_free=True, max_steps=200, tolerance=1e-13).score([SHAPE])
    bound = engine_of(name, y).refit([START], max_steps=300, tolerance=1e-13)
    assert free.nrmse[0] == pytest.approx(bound.nrmse[0], rel=2e-3)
    f = free.scale[0] * np.exp(free.batch.constants[0, 0] * x) + free.offset[0]
    error = free.nrmse[0] * engine_of(name, y).spread
    assert mean_loss(name, y, f) == pytest.approx(Loss.of(name).mean(error), rel=1e-6)


@pytest.mark.parametrize(("name", "y"), CASES)
def test_weights_are_repetitions(name: str, y: np.ndarray) -> None:
    times = RNG.integers(1, 4, N)
    loss = Loss.of(name)
    weighted = Engine(VOCABULARY, Dataset.of(X, y, times, names=["x"], loss=loss))
    repeated = Engine(
        VOCABULARY, Dataset.of(np.repeat(X, times, axis=0), np.repeat(y, times), names=["x"], loss=loss)
    )
    assert weighted.spread == pytest.approx(repeated.spread, rel=1e-9)
    one, other = (each.refit([START], max_steps=0) for each in (weighted, repeated))
    assert one.nrmse[0] == pytest.approx(other.nrmse[0], rel=1e-9)


def test_the_logarithm_of_the_error_is_the_likelihood() -> None:
    """N log(error) differs between two fits as the log-likelihoods do."""
    first, second = curve(np.array([2.0, 3.0, -0.8])), curve(np.array([2.2, 2.9, -0.7]))
    texts = ["2 + 3 * exp(-0.8 * x)", "2.2 + 2.9 * exp(-0.7 * x)"]
    expressions = [Expression.parse(text, VOCABULARY) for text in texts]

    def nats(name: str, y: np.ndarray) -> float:
        one, other = engine_of(name, y).refit(expressions, max_steps=0).nrmse
        return N * np.log(other / one)

    def laplace(f: np.ndarray) -> float:
        return -stats.laplace.logpdf(STUDENT, f, np.abs(STUDENT - f).mean()).sum()

    assert nats("absolute", STUDENT) == pytest.approx(laplace(second) - laplace(first), rel=1e-9)

    def bernoulli(f: np.ndarray) -> float:
        return -stats.bernoulli.logpmf(LABELS, special.expit(f)).sum()

    assert nats("logistic", LABELS) == pytest.approx(bernoulli(second) - bernoulli(first), rel=1e-9)


def test_counts_may_vary_more_than_poissons_but_not_less() -> None:
    few = np.arange(1.0, 41.0)
    rows = few[:, None]
    law, bent = (Expression.parse(text, VOCABULARY) for text in ("x + 0", "x + 0.3"))
    engine = Engine(VOCABULARY, Dataset.of(rows, few + 0.01, names=["x"], loss=Loss.of("poisson")))
    one, other = engine.refit([law, bent], max_steps=0).nrmse
    deviance = [
        2 * (special.xlogy(few + 0.01, (few + 0.01) / f) - (few + 0.01 - f)).sum() for f in (few, few + 0.3)
    ]
    assert 40 * np.log(other / one) == pytest.approx(0.5 * (deviance[1] - deviance[0]), rel=1e-6)


def test_known_errors_give_the_likelihood_of_chi_squared() -> None:
    sigma = RNG.uniform(0.05, 0.4, N)
    y = LAW + sigma * RNG.normal(size=N)
    engine = Engine(VOCABULARY, Dataset.of(X, y, names=["x"], y_err=sigma))
    expressions = [
        Expression.parse(text, VOCABULARY) for text in ("2 + 3 * exp(-0.8 * x)", "2.01 + 3 * exp(-0.8 * x)")
    ]
    nrmse = engine.refit(expressions, max_steps=0).nrmse
    chi2 = [(((y - offset - 3 * np.exp(-0.8 * x)) / sigma) ** 2).sum() for offset in (2.0, 2.01)]
    found = [N * engine.dataset.loss.mean(each * engine.spread) / engine.dataset.loss.known for each in nrmse]
    np.testing.assert_allclose(found, chi2, rtol=1e-6)
    if max(chi2) < N:
        assert N * np.log(nrmse[1] / nrmse[0]) == pytest.approx(0.5 * (chi2[1] - chi2[0]), rel=1e-6)
    assert engine.n_counted == engine.n_observed == N


def test_a_function_of_ones_own_is_minimised() -> None:
    def absolute(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        return np.abs(y - predicted)

    own, built_in = (
        engine_of(loss, STUDENT).refit([START], max_steps=300, tolerance=1e-13)
        for loss in (absolute, "absolute")
    )
    f, g = (curve(each.batch.constants[0]) for each in (own, built_in))
    assert np.abs(STUDENT - f).mean() <= 1.001 * np.abs(STUDENT - g).mean()


def test_errors_in_a_function_of_ones_own_reach_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        engine_of(lambda y, f: 1 // 0, STUDENT)
    with pytest.raises(DataError, match="one value for each of 120 rows"):
        engine_of(lambda y, f: y[:3], STUDENT)


def test_impossible_predictions_have_no_finite_error() -> None:
    falling = Expression.parse("1 + (-1) * x", VOCABULARY)
    scores = engine_of("poisson", COUNTS).refit([falling], max_steps=0)
    assert scores.status[0] == FitStatus.NON_FINITE


def test_separable_labels_end_in_a_finite_fit() -> None:
    y = (x > 1.5).astype(float)
    line = Expression.parse("1 + 2 * x", VOCABULARY)
    scores = engine_of("logistic", y).refit([line], max_steps=50)
    assert np.isfinite(scores.batch.constants).all() and np.isfinite(scores.nrmse[0])


@pytest.mark.parametrize(
    ("loss", "y", "said"),
    [
        ("poisson", np.r_[-1.0, COUNTS[1:]], "value -1 in row 0: counts"),
        ("logistic", np.r_[2.0, LABELS[1:]], "use DDSRClassifier"),
        ("relative", np.r_[0.0, LAW[1:]], "y is 0 in row 0"),
        ("quantile:2", LAW, "between 0 and 1"),
        ("huberr", LAW, "unknown loss 'huberr'"),
        (3, LAW, "must be a name or a function"),
    ],
)
def test_bad_losses_and_targets_are_refused(loss: object, y: np.ndarray, said: str) -> None:
    with pytest.raises(DataError, match=said):
        engine_of(loss, y)
