"""Operators that users define, in the estimator: found, reported, saved, pickled and resumed."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from ddsr import CustomOperator, DDSRRegressor, RunError, RunFolder, VocabularyError
from ddsr.report import report_html

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({"t": RNG.uniform(-3.0, 3.0, 80), "w": RNG.uniform(0.5, 2.0, 80)})
PEAK = 2.5 / (1.0 + (1.3 * TABLE.t - 0.4) ** 2)
LORENTZ = "lorentz(x) = 1 / (1 + x^2)"
BRIEF = {"evaluations_per_epoch": 3000, "prior": None, "symmetries": False}


def bump(a):
    return np.exp(-(a**2)) * np.cos(3.0 * a)


def brief(*operators: object, **parameters: object) -> DDSRRegressor:
    known = {"max_epochs": 1, "config": BRIEF, "random_state": 0, **parameters}
    return DDSRRegressor(operators=["+", "-", "*", *operators], **known)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def fitted() -> DDSRRegressor:
    return brief(LORENTZ).fit(TABLE, PEAK)


@pytest.fixture(scope="module")
def with_function() -> DDSRRegressor:
    target = 1.7 * bump(0.8 * TABLE.t)
    return brief(CustomOperator("bump", bump), config=BRIEF | {"evaluations_per_epoch": 1500}).fit(
        TABLE, target
    )


def test_the_law_is_found_by_its_name(fitted: DDSRRegressor) -> None:
    assert fitted.score(TABLE, PEAK) > 1.0 - 1e-9
    assert "lorentz(" in str(fitted.best_.equation)
    assert str(fitted).count(LORENTZ) == 1
    np.testing.assert_allclose(fitted.predict(TABLE), PEAK, rtol=1e-6)
    assert "lorentz" not in str(fitted.sympy())


def test_a_model_file_has_the_definition(fitted: DDSRRegressor, tmp_path: Path) -> None:
    fitted.save(tmp_path / "model.json")
    written = json.loads((tmp_path / "model.json").read_text())
    assert LORENTZ in written["outputs"][0]["vocabularies"][0]["operators"]
    loaded = DDSRRegressor.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(TABLE), fitted.predict(TABLE))
    assert str(loaded) == str(fitted)
    twin = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(twin.predict(TABLE), fitted.predict(TABLE))
    assert clone(fitted).get_params()["operators"] == fitted.operators


def test_the_report_has_the_definition_once(fitted: DDSRRegressor) -> None:
    page = report_html(fitted, TABLE, PEAK)
    assert page.count(f'<p class="definition">with <code>{LORENTZ}</code></p>') == 1


def test_a_run_is_resumed_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    little = BRIEF | {"evaluations_per_epoch": 300, "max_length": 9}
    known = {"operators": ["+", "*", LORENTZ], "max_epochs": 2, "config": little, "random_state": 0}
    known["model_selection"] = "best"
    whole = RunFolder.create(tmp_path / "whole", TABLE, PEAK + TABLE.w**2, parameters=known).fit()
    begun = RunFolder.create(tmp_path / "cut", TABLE, PEAK + TABLE.w**2, parameters=known | {"max_epochs": 1})
    begun.fit()
    resumed = RunFolder.open(tmp_path / "cut").resume(more_epochs=1)
    assert str(resumed.equations_) == str(whole.equations_)


def test_a_function_is_asked_for_again(with_function: DDSRRegressor, tmp_path: Path) -> None:
    assert with_function.score(TABLE, 1.7 * bump(0.8 * TABLE.t)) > 1.0 - 1e-6
    assert "bump(x): a Python function" in str(with_function)
    with_function.save(tmp_path / "model.json")
    with pytest.raises(RunError, match="'bump' is a Python function, which files do not keep: pass it again"):
        DDSRRegressor.load(tmp_path / "model.json")
    again = DDSRRegressor.load(tmp_path / "model.json", operators=[CustomOperator("bump", bump)])
    np.testing.assert_array_equal(again.predict(TABLE), with_function.predict(TABLE))
    assert again.operators == with_function.operators
    twin = pickle.loads(pickle.dumps(with_function))
    np.testing.assert_array_equal(twin.predict(TABLE), with_function.predict(TABLE))
    assert "has no python function: create it with CustomOperator(" in report_html(with_function)


def test_a_run_with_a_function_is_resumed_with_it(tmp_path: Path) -> None:
    own = CustomOperator("bump", bump)
    known = {"operators": ["+", "*", own], "max_epochs": 1, "model_selection": "best"}
    known["config"] = BRIEF | {"evaluations_per_epoch": 300}
    RunFolder.create(tmp_path / "run", TABLE, PEAK, parameters=known | {"random_state": 0}).fit()
    with pytest.raises(RunError, match="'bump' is a Python function"):
        RunFolder.open(tmp_path / "run").resume(more_epochs=1)
    resumed = RunFolder.open(tmp_path / "run", operators=[own]).resume(more_epochs=1)
    assert resumed.n_epochs_ == 2


@pytest.mark.parametrize(
    ("operators", "reason"),
    [
        (["t(x) = x^2"], "'t' has the name of a column"),
        (["f(x) = x + q"], "unknown name 'q'"),
        (["f(x) = f(x - 1)"], "the operator itself"),
    ],
)
def test_a_wrong_operator_is_refused_before_the_search(operators: list[str], reason: str) -> None:
    with pytest.raises(VocabularyError, match=reason):
        brief(*operators).fit(TABLE, PEAK)
