"""The estimator's units: every listed equation holds in all units, and what cannot be is refused."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from ddsr import DDSRClassifier, DDSRRegressor, RunFolder
from ddsr.data.units import Units
from ddsr.errors import DataError
from ddsr.report.page import report_html
from unit_cases import holds_in_all_units

pytest.importorskip("pint")
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.uniform(1.0, 3.0, size=(80, 4)), columns=list("mvhg"))
UNITS = {"m": "kg", "v": "m/s", "h": "m", "g": "m/s^2"}
ENERGY = 0.5 * X.m * X.v**2 + X.m * X.g * X.h
SPEED = np.sqrt(X.v**2 + 2.0 * X.g * X.h)
BRIEF = {
    "max_epochs": 2,
    "random_state": 0,
    "prior": None,
    "config": {"evaluations_per_epoch": 600, "max_length": 15},
}


def noisy(y: pd.Series) -> np.ndarray:
    return y.to_numpy() * (1.0 + 0.03 * np.random.default_rng(1).normal(size=len(y)))


def brief(**parameters: object) -> DDSRRegressor:
    return DDSRRegressor(**BRIEF | {"units": UNITS} | parameters)  # type: ignore[arg-type]


@pytest.mark.parametrize(("y", "unit"), [(ENERGY, "J"), (SPEED, "m/s"), (ENERGY / X.m / X.v**2, "")])
def test_every_listed_equation_holds_in_all_units(y, unit):
    model = brief(y_units=unit).fit(X, noisy(y))
    units = Units.of(list(X), UNITS, unit)
    equations = [entry.equation for entry in model.front_]
    assert equations and all(holds_in_all_units(equation, units) for equation in equations)
    assert all(holds_in_all_units(each.entry.equation, units) for each in model.outcomes_[0].forms)


def test_a_constant_may_have_a_unit():
    y = 4.0 * X.m + 3.0
    units = {"m": "kg", "v": "m/s"}
    model = brief(units=units, y_units="J", unit_constants=2, operators=("+", "*")).fit(X[["m", "v"]], y)
    assert model.best_.nrmse < 1e-6


def test_targets_have_their_own_units(tmp_path: Path):
    y = pd.DataFrame({"E": noisy(ENERGY), "w": noisy(SPEED)})
    model = brief(y_units=["J", "m/s"], model_selection="best").fit(X, y)
    for front, unit in zip(model.front_, ("J", "m/s"), strict=True):
        units = Units.of(list(X), UNITS, unit)
        assert all(holds_in_all_units(entry.equation, units) for entry in front)
    with pytest.raises(DataError, match="y_units has 1 units, but y has 2 columns"):
        brief(y_units=["J"]).fit(X, y)


def test_files_keep_the_units(tmp_path: Path):
    model = brief(y_units="J", model_selection="best").fit(X, noisy(ENERGY))
    model.save(tmp_path / "model.json")
    loaded = DDSRRegressor.load(tmp_path / "model.json")
    assert loaded.units == UNITS and loaded.y_units == "J" and clone(loaded).units == UNITS
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()


def test_a_run_is_resumed_with_its_units(tmp_path: Path):
    known = {"units": UNITS, "y_units": "J"} | BRIEF | {"max_epochs": 1, "model_selection": "best"}
    run = RunFolder.create(tmp_path / "run", X, noisy(ENERGY), feature_names=list(X), parameters=known)
    run.fit()
    again = RunFolder.open(tmp_path / "run").resume(more_epochs=1)
    units = Units.of(list(X), UNITS, "J")
    assert again.n_epochs_ == 2
    assert all(holds_in_all_units(entry.equation, units) for entry in again.front_)


def test_units_come_from_names():
    named = X.rename(columns={name: f"{name} [{unit}]" for name, unit in UNITS.items()})
    y = pd.Series(noisy(ENERGY), name="E [J]")
    model = DDSRRegressor(**BRIEF, units="names", model_selection="best").fit(named, y)  # type: ignore[arg-type]
    assert model.score(named, y) > 0.9


def test_a_classifier_has_odds_without_a_unit():
    labels = np.where(X.v**2 > X.g * X.h, "fast", "slow")
    model = DDSRClassifier(**BRIEF, units=UNITS, model_selection="best").fit(X, labels)  # type: ignore[arg-type]
    units = Units.of(list(X), UNITS, "")
    assert all(holds_in_all_units(entry.equation, units) for entry in model.front_)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"y_units": "J", "preset": "dsr", "config": None}, "the preset 'dsr' knows no units"),
        (
            {"y_units": "J", "preset": "uniform", "config": None, "unit_constants": 1},
            "cannot combine units with unit_constants",
        ),
        ({"y_units": "J", "units": None}, "y_units and unit_constants need units"),
        ({}, "y_units is missing"),
        ({"y_units": "A"}, "no expression of the columns has the unit 'A' of y"),
        ({"y_units": "J", "guesses": ["m * v"]}, "does not have the unit of the target"),
        (
            {"y_units": "J", "rules": ["symmetric in h, m"]},
            "rule 'symmetric in h, m': h has the unit 'm' and m has 'kg'",
        ),
    ],
)
def test_what_cannot_be_is_refused(parameters, said):
    with pytest.raises(ValueError, match=said):
        brief(**parameters).fit(X, noisy(ENERGY))


def test_units_are_shown():
    y = pd.DataFrame({"E": noisy(ENERGY), "w": noisy(SPEED)})
    model = brief(y_units=["J", "m/s"], model_selection="best", max_epochs=1).fit(X, y)
    assert "E [J] = " in str(model) and "w [m/s] = " in str(model)
    page = report_html(model, X, y, target="w", output=1)
    assert "w [m/s]" in page and "<td>g [m/s^2]</td>" in page
    number = brief(y_units="", model_selection="best", max_epochs=1).fit(X, noisy(X.m))
    assert "y = " in str(number) and "[" not in str(number)


@pytest.mark.parametrize("selection", ["best", "description_length"])
def test_exponents_of_quantities_are_part_of_the_structure(selection):
    given = {"operators": ("*", "^"), "guesses": ["m * v^2.0", "0.4 * m^1.0 * v^2.0"]}
    model = brief(y_units="J", model_selection=selection, **given).fit(X, noisy(0.5 * X.m * X.v**2))
    assert all("^1" not in str(entry.equation) for entry in model.front_)
    table = model.confidence_intervals()
    assert table.is_exact[table.value == 2.0].all() and np.isfinite(table.standard_error).all()


def test_intervals_have_the_units_of_constants(tmp_path: Path):
    given = {"units": {"m": "kg", "h": "m"}, "guesses": ["C * m * h"], "unit_constants": 1}
    model = brief(y_units="J", **given).fit(X[["m", "h"]], noisy(9.3 * X.m * X.h))
    model.save(tmp_path / "model.json")
    for same in (model, DDSRRegressor.load(tmp_path / "model.json")):
        tables = [same.confidence_intervals(row) for row in range(len(same.front_))]
        assert all(set(table.unit) <= {"", "?"} or (table.unit != "").sum() == 1 for table in tables)
    assert "unit" not in brief(y_units="J", model_selection="best").fit(X, ENERGY).confidence_intervals()
