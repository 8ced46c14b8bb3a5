"""The estimator's known constants: equations may use them, and tables need no column for them."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from ddsr import DDSRClassifier, DDSRRegressor, RunFolder
from ddsr.data.units import Units, read_unit
from ddsr.errors import DataError
from ddsr.estimator.unit_parameters import Quantities
from unit_cases import holds_in_all_units

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.uniform(1.0, 3.0, size=(40, 2)), columns=["t", "m"])
HEIGHT = pd.Series(0.5 * 9.80665 * X.t**2, name="s")
BRIEF = {
    "max_epochs": 1,
    "random_state": 0,
    "prior": None,
    "config": {"evaluations_per_epoch": 400, "max_length": 12},
}
FALL = "0.5 * g * t^2"


def brief(**parameters: object) -> DDSRRegressor:
    given = {"constants": ["g"], "guesses": [FALL], "model_selection": "best"}
    return DDSRRegressor(**BRIEF | given | parameters)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def fitted() -> DDSRRegressor:
    return brief().fit(X, HEIGHT)


def test_tables_need_no_column(fitted: DDSRRegressor, tmp_path: Path):
    assert fitted.best_.equation.variables_used == ("t", "g") and fitted.n_features_in_ == 2
    assert list(fitted.feature_names_in_) == ["t", "m"] and list(fitted.prepare(X)) == ["t", "m"]
    assert list(fitted.fit_inputs_) == ["t"]
    np.testing.assert_allclose(fitted.predict(X), HEIGHT)
    np.testing.assert_allclose(fitted.to_numpy()(X.to_numpy()), HEIGHT)
    fitted.save(tmp_path / "model.json")
    for same in (DDSRRegressor.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(fitted))):
        assert (same.predict(X) == fitted.predict(X)).all()
        assert same.constants == ["g"] and clone(same).constants == ["g"]


@pytest.mark.parametrize("given", [{"g": None}, {"g": 9.80665}, {"g": "9.80665 m/s^2"}, ("g",)])
def test_constants_are_given_in_several_ways(given):
    assert brief(constants=given).fit(X, HEIGHT).score(X, HEIGHT) > 1.0 - 1e-9


def test_a_choice_with_known_constants():
    noisy = HEIGHT * (1.0 + 0.02 * np.random.default_rng(1).normal(size=len(X)))
    model = brief(model_selection=None, max_epochs=2).fit(X, noisy)
    assert model.best_.nrmse < 0.2 and np.isfinite(model.predict(X)).all()
    assert model.predict_interval(X).shape == (40, 2) and len(model.suggest(X)) == 1


def test_known_constants_have_units():
    pytest.importorskip("pint")
    units = {"t": "min", "m": "kg"}
    model = brief(units=units, y_units="km", constants={"g": None, "c": None}, max_epochs=2).fit(
        X, HEIGHT * 3.6
    )
    (gravity, light) = model.best_.equation.vocabulary.known_constants
    assert gravity.value == pytest.approx(9.80665 * 3.6) and light.value == pytest.approx(299792.458 * 60.0)
    read = Units.read(list(X), units, "km")
    both = read.with_columns(["g", "c"], [read_unit("km/min^2", ""), read_unit("km/min", "")])
    equations = [entry.equation for entry in model.front_]
    assert all(holds_in_all_units(equation, both) for equation in equations)
    with pytest.raises(DataError, match="no expression of the columns has the unit 'km' of y"):
        brief(units=units, y_units="km", constants=(), guesses=()).fit(X, HEIGHT)


def test_names_of_columns_are_refused():
    with pytest.raises(DataError, match="known constant 't' has the name of a column"):
        brief(constants={"t": 3.0}).fit(X, HEIGHT)


def test_a_template_may_use_them():
    model = brief(template="k * g * t^2", guesses=()).fit(X, HEIGHT)
    assert model.best_.equation.constants == pytest.approx((0.5,))


def test_a_classifier_may_use_them():
    model = DDSRClassifier(**BRIEF, constants=["g"], model_selection="best").fit(X, X.t > 2.0)  # type: ignore[arg-type]
    assert model.predict(X).shape == (40,)


def test_tools_of_scikit_learn_work():
    assert np.mean(cross_val_score(brief(), X, HEIGHT, cv=2)) > 0.99


def test_runs_resume(tmp_path: Path):
    parameters = brief(stop_at="r2 > 2").get_params(deep=False)
    noisy = HEIGHT * (1.0 + 0.02 * np.random.default_rng(1).normal(size=len(X)))
    run = RunFolder.create(tmp_path / "run", X, noisy, parameters=parameters)
    run.fit()
    model = RunFolder.open(tmp_path / "run").resume(more_epochs=1)
    assert model.n_epochs_ == 2 and np.isfinite(model.predict(X)).all()


def test_a_constant_of_the_table_needs_its_unit():
    table = pd.DataFrame({"m": [1.0, 2.0, 3.0], "r": [1.0, 2.0, 4.0]})
    units = {"units": {"m": "kg", "r": "m"}, "y_units": "m^2/s^2"}
    with pytest.raises(DataError, match="'G' is 6.674e-11 without a unit, but G is known as 6.6743e-11 m"):
        brief(constants={"G": 6.674e-11}, **units).fit(table, table.m / table.r)
    Quantities.of(
        ["m", "r"], ["y"], constants={"alpha": 0.0073, "q": 3.0, "G": "6.674e-11 m^3/kg/s^2"}, **units
    )
    Quantities.of(["m", "r"], ["y"], units=None, constants={"G": 6.674e-11})
