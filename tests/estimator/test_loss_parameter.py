"""The estimator's parameter `loss` and known errors: results, files, and what is refused."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize
from sklearn.base import clone

from ddsr import DDSRRegressor, RunError, RunFolder
from ddsr.errors import DataError
from ddsr.report import report_html

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({"a": RNG.uniform(0.5, 3.0, 150), "b": RNG.uniform(0.5, 3.0, 150)})
LAW = 3.0 * TABLE.a / (1.0 + TABLE.b)
NOISY = LAW + 0.05 * RNG.normal(size=150)
BRIEF = {"max_epochs": 1, "random_state": 0, "prior": None}
LITTLE = {"evaluations_per_epoch": 200, "max_length": 7}
LOSSES = {
    "absolute": NOISY,
    "huber": NOISY,
    "relative": LAW * (1.0 + 0.05 * RNG.normal(size=150)),
    "quantile:0.7": NOISY,
    "poisson": RNG.poisson(5.0 * LAW),
    "logistic": (RNG.random(150) < 0.5).astype(float),
}


def cosh(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    return np.logaddexp(y - predicted, predicted - y) - np.log(2.0)


def brief(**parameters: object) -> DDSRRegressor:
    return DDSRRegressor(**BRIEF | {"config": LITTLE} | parameters)  # type: ignore[arg-type]


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_has_equations_files_and_uncertainty(loss: str, tmp_path: Path) -> None:
    model = brief(loss=loss).fit(TABLE, LOSSES[loss])
    assert np.isfinite(model.predict(TABLE)).all()
    assert (model.equations_["loss"] >= 0.0).all()
    assert str(model)
    assert pickle.loads(pickle.dumps(model)).predict(TABLE).tolist() == model.predict(TABLE).tolist()
    model.save(tmp_path / "model.json")
    loaded = DDSRRegressor.load(tmp_path / "model.json")
    assert loaded.loss == loss and clone(loaded).loss == loss
    pd.testing.assert_frame_equal(loaded.equations_, model.equations_)
    low, high = loaded.predict_interval(TABLE, of_measurements=False).T
    assert (low <= high).all()


def test_a_formula_is_fitted_by_the_loss() -> None:
    """The constants are those of SciPy's robust fit."""
    y = NOISY.to_numpy().copy()
    y[::15] *= 10.0
    model = DDSRRegressor(template="A * a / (B + b)", loss="absolute").fit(TABLE, y)

    def mean_error(c: np.ndarray) -> float:
        return float(np.abs(y - c[0] * TABLE.a / (c[1] + TABLE.b)).mean())

    best = optimize.minimize(
        mean_error, [3.0, 1.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    )
    found = mean_error(model.best_.equation.constants[:2])
    assert (
        found <= best.fun * (1.0 + 1e-3)
        or mean_error(model.confidence_intervals()["value"].to_numpy()) <= best.fun * 1.001
    )
    assert model.equations_["loss"].iloc[-1] == pytest.approx(best.fun, rel=1e-3)


def test_known_errors_give_the_intervals_of_curve_fit() -> None:
    t = np.linspace(0.2, 6.0, 30)
    sigma = RNG.uniform(0.05, 0.3, 30)
    y = 5.0 * (1.0 - np.exp(-t / 1.9)) + sigma * RNG.normal(size=30)
    model = DDSRRegressor(template="A * (1 - exp(-t / T))").fit(pd.DataFrame({"t": t}), y, y_err=sigma)
    best, covariance = optimize.curve_fit(
        lambda t, A, T: A * (1.0 - np.exp(-t / T)), t, y, [5.0, 2.0], sigma=sigma, absolute_sigma=True
    )
    table = model.confidence_intervals()
    np.testing.assert_allclose(table["value"], best, rtol=1e-5)
    np.testing.assert_allclose(table["standard_error"], np.sqrt(np.diag(covariance)), rtol=1e-3)
    assert model.has_errors_ and not model.is_weighted_


def test_errors_of_one_size_are_those_that_are_given() -> None:
    """Without a misfit, standard errors are proportional to the given errors, not to the residuals."""
    t = pd.DataFrame({"t": np.linspace(0.2, 6.0, 30)})
    y = 2.0 * t.t + 0.1 * RNG.normal(size=30)
    tables = [
        DDSRRegressor(template="A * t").fit(t, y, y_err=np.full(30, s)).confidence_intervals()
        for s in (0.1, 0.2)
    ]
    one, other = (table["standard_error"].iloc[0] for table in tables)
    assert other == pytest.approx(2.0 * one)
    assert one == pytest.approx(0.1 / np.sqrt((t.t**2).sum()), rel=1e-6)


def test_a_function_is_named_in_files_and_asked_for_again(tmp_path: Path) -> None:
    model = DDSRRegressor(template="A * a / (B + b)", loss=cosh).fit(TABLE, NOISY)
    np.testing.assert_allclose(model.confidence_intervals()["value"], [3.0, 1.0], atol=0.1)
    model.save(tmp_path / "model.json")
    loaded = DDSRRegressor.load(tmp_path / "model.json")
    assert (loaded.predict(TABLE) == model.predict(TABLE)).all()
    with pytest.raises(DataError, match="'cosh' is not in the file: pass it with set_params"):
        loaded.fit(TABLE, NOISY)
    again = loaded.set_params(loss=cosh).fit(TABLE, NOISY)
    np.testing.assert_allclose(again.predict(TABLE), model.predict(TABLE), rtol=1e-6)


def test_a_run_with_a_function_is_resumed_with_it(tmp_path: Path) -> None:
    known = BRIEF | {
        "config": LITTLE | {"evaluations_per_epoch": 50, "max_length": 5},
        "model_selection": "best",
    }
    first = RunFolder.create(tmp_path / "run", TABLE, NOISY, parameters=known | {"loss": cosh})
    assert first.fit().n_epochs_ == 1
    with pytest.raises(RunError, match=r"'cosh' is a Python function.*RunFolder.open\(path, loss=cosh\)"):
        RunFolder.open(tmp_path / "run").resume(more_epochs=1)
    with pytest.raises(RunError, match="the loss of this run is 'cosh', but 'hypot' was given"):
        RunFolder.open(tmp_path / "run", loss=np.hypot).resume(more_epochs=1)
    assert RunFolder.open(tmp_path / "run", loss=cosh).resume(more_epochs=1).n_epochs_ == 2


@pytest.mark.parametrize(
    ("parameters", "given", "said"),
    [
        ({"loss": "cauchy"}, {}, "unknown loss 'cauchy'"),
        ({"loss": "absolute"}, {"y_err": np.ones(150)}, "cannot be combined with loss='absolute'"),
        (
            {},
            {"y_err": np.ones(150), "sample_weight": np.ones(150)},
            "cannot be combined with weights or counts",
        ),
        ({}, {"y_err": np.zeros(150)}, "y_err is zero in every row"),
        ({}, {"y_err": np.r_[0.0, np.ones(149)]}, "y_err is 0 in row 0"),
        ({}, {"y_err": -np.ones(150)}, "y_err is negative in row 0"),
        ({}, {"y_err": np.ones(3)}, "y_err"),
        ({"loss": "relative"}, {"counts": np.full(150, 2)}, "cannot be combined with counts"),
    ],
)
def test_what_does_not_go_together_is_refused(parameters: dict, given: dict, said: str) -> None:
    with pytest.raises(DataError, match=said):
        brief(**parameters).fit(TABLE, NOISY, **given)


def test_a_function_that_is_no_loss_is_refused() -> None:
    with pytest.raises(DataError, match=r"the loss returned -.* in row .*: a loss must be finite"):
        brief(loss=lambda y, predicted: y - predicted).fit(TABLE, NOISY)
    with pytest.raises(DataError, match="the loss returned nan in row 0"):
        brief(loss=lambda y, predicted: np.full(len(y), np.nan)).fit(TABLE, NOISY)


def test_log_odds_have_the_r2_of_their_likelihood() -> None:
    model = brief(loss="logistic").fit(TABLE, LOSSES["logistic"])
    assert model.score(TABLE, LOSSES["logistic"]) == pytest.approx(1.0 - model.best_.nrmse**2, abs=1e-9)
    assert str(model).startswith("log-odds of y = ")
    page = report_html(model, TABLE, LOSSES["logistic"])
    assert "mean logistic loss" in page and "mean squared error</" not in page and "log-odds of y" in page


def test_the_report_names_the_loss() -> None:
    model = brief(loss="absolute", model_selection="best").fit(TABLE, NOISY)
    assert "mean absolute error" in report_html(model, TABLE, NOISY)


def test_a_quantile_has_no_interval_of_measurements() -> None:
    model = DDSRRegressor(template="A * a / (B + b)", loss="quantile:0.9").fit(TABLE, NOISY)
    low, high = model.predict_interval(TABLE, of_measurements=False).T
    assert (low < high).all()
    with pytest.raises(DataError, match="pass of_measurements=False for its own interval"):
        model.predict_interval(TABLE)
