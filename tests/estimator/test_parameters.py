"""Parameters of the estimator as JSON and back."""

import json
from pathlib import Path

import numpy as np
import pytest

from ddsr import AtMost, DDSRRegressor, Forbid, MustAppear, Nesting
from ddsr.config import DefaultConfig, DenoiserConfig, DSRConfig, ObjectiveConfig, PaperConfig, RefinerConfig
from ddsr.errors import RunError
from ddsr.estimator.parameters import from_json, to_json

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
    assert read == parameters


def test_numbers_of_numpy():
    written = to_json(
        {"a": np.float64(0.1), "b": np.int32(3), "c": np.array(["+", "*"]), "d": np.bool_(True)}
    )
    assert written == {"a": 0.1, "b": 3, "c": ["+", "*"], "d": True}
    json.dumps(written)


def test_paths_are_written_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parameters = {"prior": Path("a"), "config": {"prior": Path("b")}}
    written = to_json(parameters)
    kinds = written.pop("kinds")
    assert written == {"prior": str(tmp_path / "a"), "config": {"prior": str(tmp_path / "b")}}
    read = from_json({**written, "kinds": kinds}, set(parameters))
    assert read == {"prior": tmp_path / "a", "config": {"prior": tmp_path / "b"}}


@pytest.mark.parametrize(
    "parameters",
    [
        {"operators": ("+", "sin")},
        {"operators": ["+", "sin"]},
        {"rules": (Forbid("exp", on="x"), "use x", {"forbid": {"exp": ("a/b", "c")}})},
        {"rules": [{"nesting": {"sin, cos": {"exp": 0}}}, MustAppear("x")]},
        {"guesses": (("x",), ["y"])},
        {"config": {"operators": ("+",), "denoiser": {"first_arities": [1.0, 2.0, 3.0]}}},
        {"config": PaperConfig(denoiser=DenoiserConfig(first_arities=[1.0, 2.0, 3.0]))},
        {"config": DefaultConfig(operators=["+", "*"])},
        {"prior": Path("/weights.safetensors"), "max_time": np.float64(1.5), "n_jobs": np.int64(2)},
    ],
    ids=range(9),
)
def test_types_come_back(parameters):
    read = from_json(json.loads(json.dumps(to_json(parameters))), set(parameters))
    assert repr_of(read) == repr_of(parameters)


def repr_of(parameters):
    """Distinguishes tuples from lists and converts NumPy numbers to Python's."""
    return repr(
        {name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()}
    )


def test_a_random_state_comes_back():
    state = np.random.RandomState(3)
    state.normal(size=3)
    written = json.loads(json.dumps(to_json({"random_state": state})))
    assert written["random_state"] is None  # as versions before this one read it
    read = from_json(written, {"random_state"})["random_state"]
    assert (read.normal(size=5) == state.normal(size=5)).all()


def test_invalid_kinds_are_refused():
    for kinds in ([], {'["random_state"]': {"RandomState": [1]}}):
        with pytest.raises((ValueError, TypeError)):
            from_json({"random_state": None, "kinds": kinds}, {"random_state"})


def test_parameters_of_earlier_versions_are_read():
    assert from_json({"operators": ["+"], "rules": []}, {"operators", "rules"}) == {
        "operators": ["+"],
        "rules": [],
    }


def test_unknown_names_are_ignored():
    written = {"known": {"ddsr": "RefinerConfig", "n_islands": 2, "later": 1}, "later": {"ddsr": "Later"}}
    assert from_json(written, {"known"}) == {"known": RefinerConfig(n_islands=2)}


def test_values_beyond_json_are_refused_by_name():
    with pytest.raises(RunError, match=r"config\['loss'\]=<built-in function print> cannot be saved"):
        to_json({"config": {"loss": print}})
    with pytest.raises(ValueError, match="'Popen' is not a rule"):
        from_json({"rules": [{"ddsr": "Popen", "args": "rm"}]}, {"rules"})
