"""Parameters of the estimator as JSON and back."""

import json
from pathlib import Path

import numpy as np
import pytest

from ddsr import AtMost, DDSRRegressor, Forbid, MustAppear, Nesting
from ddsr.config import DefaultConfig, DenoiserConfig, DSRConfig, ObjectiveConfig, PaperConfig, RefinerConfig
from ddsr.errors import RunError
from ddsr.parameters import from_json, to_json

CASES = [
    None,
    1.5,
    "text",
    [Forbid("exp", on="x"), Nesting(("exp", "log"), "sin", 1), AtMost(("x", "y"), 2), MustAppear("x", "y z")],
    PaperConfig(denoiser=DenoiserConfig(width=8, first_arities=(1.0, 2.0, 3.0)), operators=("add", "sin")),
    DSRConfig(objective=ObjectiveConfig(clip_range=0.1)),
    DefaultConfig(evolution=RefinerConfig(moves={"grow": 1.0}, n_islands=3)),
    {"batch_size": 3, "evolution": RefinerConfig(fit_rows=5)},
]


@pytest.mark.parametrize("value", CASES, ids=lambda value: type(value).__name__)
def test_values_come_back(value):
    written = json.loads(json.dumps(to_json({"parameter": value})))
    assert from_json(written, {"parameter"}) == {"parameter": value}


def test_all_defaults_come_back():
    parameters = DDSRRegressor().get_params(deep=False)
    read = from_json(json.loads(json.dumps(to_json(parameters))), set(parameters))
    assert {
        name: tuple(value) if isinstance(value, list) else value for name, value in read.items()
    } == parameters


def test_numbers_of_numpy():
    written = to_json(
        {"a": np.float64(0.1), "b": np.int32(3), "c": np.array(["+", "*"]), "d": np.bool_(True)}
    )
    assert written == {"a": 0.1, "b": 3, "c": ["+", "*"], "d": True}
    json.dumps(written)


def test_paths_are_written_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written = to_json({"prior": Path("a"), "config": {"prior": Path("b")}})
    assert written == {"prior": str(tmp_path / "a"), "config": {"prior": str(tmp_path / "b")}}


def test_unknown_names_are_passed_over():
    written = {"known": {"ddsr": "RefinerConfig", "n_islands": 2, "later": 1}, "later": {"ddsr": "Later"}}
    assert from_json(written, {"known"}) == {"known": RefinerConfig(n_islands=2)}


def test_what_json_cannot_hold_is_refused_by_name():
    with pytest.raises(RunError, match=r"config\['loss'\]=<built-in function print> cannot be kept"):
        to_json({"config": {"loss": print}})
    with pytest.raises(ValueError, match="'Popen' is no rule"):
        from_json({"rules": [{"ddsr": "Popen", "args": "rm"}]}, {"rules"})
