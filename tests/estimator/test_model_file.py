"""A model that is written and read is the same model; an invalid file is refused in one line."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from ddsr import AtMost, DDSRError, DDSRRegressor, Forbid, MustAppear, Nesting
from ddsr.config import DefaultConfig, DenoiserConfig, PaperConfig, RefinerConfig
from ddsr.errors import RunError
from strategies import examples

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))
NOISY = 2 * X[:, 0] * X[:, 1] - X[:, 2] ** 1.7 + 0.01 * np.random.default_rng(1).normal(size=60)
NAMES = ["speed of light", "sin", "größe`"]
SMALL = {"batch_size": 60, "max_length": 9}
DEFAULT = DefaultConfig(
    max_length=12,
    evaluations_per_epoch=500,
    evolution=RefinerConfig(n_islands=2, moves={"grow": 1.0, "point": 2.0}),
)
MODELS = {
    "uniform": {
        "preset": "uniform",
        "config": SMALL,
        "rules": [Nesting(("exp", "log"), "exp"), AtMost("exp", 2)],
    },
    "paper": {
        "preset": "paper:memory=short",
        "config": PaperConfig(**SMALL, denoiser=DenoiserConfig(feed_forward_width=16)),
    },
    "shortened": {
        "preset": "ddsr:generator=none",
        "config": DEFAULT,
        "rules": [Forbid("sin", on="größe`"), MustAppear("speed of light", "`sin`")],
        "operators": ("+", "*", "-", "pow", "sin"),
    },
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return DDSRRegressor(max_epochs=3, random_state=np.int64(1), **MODELS[request.param]).fit(
        pd.DataFrame(X, columns=NAMES) if request.param == "shortened" else X, NOISY
    )


def table_for(model):
    return pd.DataFrame(X, columns=NAMES) if hasattr(model, "feature_names_in_") else X


def test_everything_comes_back(model, tmp_path):
    path = tmp_path / "model.json"
    model.save(path)
    loaded = DDSRRegressor.load(path)
    table = table_for(model)
    assert len(model.equations_) > 2
    for index in [None, *range(len(model.equations_))]:
        assert (loaded.predict(table, index) == model.predict(table, index)).all()
        assert loaded.latex(index) == model.latex(index)
        assert loaded.sympy(index) == model.sympy(index)
        assert loaded.to_python(index) == model.to_python(index)
        intervals = loaded.confidence_intervals(index), model.confidence_intervals(index)
        pd.testing.assert_frame_equal(*intervals)
    assert loaded.front_ == model.front_ and loaded.best_ == model.best_
    pd.testing.assert_frame_equal(loaded.equations_, model.equations_)
    pd.testing.assert_frame_equal(loaded.curves_, model.curves_)
    pd.testing.assert_series_equal(loaded.get_best(), model.get_best())
    for name in ("n_epochs_", "stopped_by_", "n_features_in_", "random_state", "config", "preset"):
        assert getattr(loaded, name) == getattr(model, name), name
    assert list(loaded.rules) == list(model.rules)
    assert hasattr(loaded, "feature_names_in_") == hasattr(model, "feature_names_in_")
    assert list(getattr(loaded, "feature_names_in_", [])) == list(getattr(model, "feature_names_in_", []))
    again = tmp_path / "again.json"
    loaded.save(again)
    assert again.read_text() == path.read_text()
    assert loaded.get_params() == model.get_params()


def test_a_loaded_model_can_be_fitted_again(model, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = DDSRRegressor.load(tmp_path / "model.json")
    assert loaded.fit(table_for(model), NOISY).front_ == model.front_


def test_the_documented_file_is_valid(tmp_path):
    page = Path(__file__).parents[2] / "docs" / "runs.md"
    path = tmp_path / "model.json"
    path.write_text(re.search(r"```json\n(.*?)```", page.read_text(), re.DOTALL)[1])
    model = DDSRRegressor.load(path)
    assert model.predict(pd.DataFrame({"mass": [4.0], "speed": [3.0]})).tolist() == [18.0]
    assert model.get_best()["equation"] == json.loads(path.read_text())["outputs"][0]["equations"][0]["text"]
    DDSRRegressor("uniform", max_epochs=1, config=SMALL, random_state=0).fit(X, NOISY).save(
        tmp_path / "other"
    )
    assert keys(json.loads(path.read_text())) == keys(json.loads((tmp_path / "other").read_text()))


def keys(written):
    """Keys of the file, of a target, of an equation."""
    output = written["outputs"][0]
    return [list(part) for part in (written, output, output["equations"][0], output["curves"])]


def test_several_outputs(tmp_path):
    targets = pd.DataFrame({"a": NOISY, "b": X[:, 0] * X[:, 1]})
    model = DDSRRegressor("uniform", max_epochs=3, config=SMALL, random_state=0).fit(X, targets)
    model.save(tmp_path / "model.json")
    loaded = DDSRRegressor.load(tmp_path / "model.json")
    assert loaded.predict(X).shape == (60, 2)
    assert (loaded.predict(X) == model.predict(X)).all()
    assert loaded.front_ == model.front_ and loaded.n_outputs_ == 2


def test_a_loaded_model_is_continued_by_warm_start(tmp_path):
    settings = {"max_epochs": 3, "config": SMALL, "random_state": 0, "warm_start": True}
    model = DDSRRegressor("uniform", **settings).fit(X, NOISY)
    model.save(tmp_path / "model.json")
    loaded = DDSRRegressor.load(tmp_path / "model.json")
    assert loaded.fit(X, NOISY).front_ == model.fit(X, NOISY).front_


def test_nondata_attributes_are_not_saved(tmp_path):
    path = tmp_path / "model.json"
    model = DDSRRegressor(
        "uniform", max_epochs=1, config=SMALL, random_state=np.random.RandomState(0), callback=print
    )
    model.fit(X, NOISY).save(path)
    loaded = DDSRRegressor.load(path)
    assert loaded.callback is None
    assert (loaded.random_state.normal(size=3) == model.random_state.normal(size=3)).all()


def test_long_curves_are_thinned(tmp_path, monkeypatch):
    monkeypatch.setattr("ddsr.estimator.model_file.MOST_EPOCHS", 3)
    path = tmp_path / "model.json"
    model = DDSRRegressor("uniform", max_epochs=7, config=SMALL, random_state=0).fit(X, NOISY)
    model.save(path)
    loaded = DDSRRegressor.load(path)
    assert list(loaded.curves_.index) == [0, 3, 6] and loaded.n_epochs_ == 7
    pd.testing.assert_frame_equal(loaded.curves_, model.curves_.iloc[::3])


def test_only_fitted_models_are_saved(tmp_path):
    with pytest.raises(NotFittedError):
        DDSRRegressor().save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


def test_no_folder_to_write_into(tmp_path):
    model = DDSRRegressor("uniform", max_epochs=1, config=SMALL).fit(X, NOISY)
    with pytest.raises(RunError, match=r"cannot write .*: there is no folder "):
        model.save(tmp_path / "missing" / "model.json")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.json"
    DDSRRegressor("ddsr:generator=none", max_epochs=1, config=DEFAULT, random_state=0).fit(X, NOISY).save(
        path
    )
    return path


def changed(written, tmp_path, **changes):
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(json.loads(written.read_text()) | changes))
    return path


def test_keys_of_later_versions_are_ignored(written, tmp_path):
    data = json.loads(written.read_text())
    data["parameters"]["novelty"] = {"ddsr": "Novelty"}
    data["parameters"]["config"]["novel_setting"] = 3
    data["outputs"][0]["equations"][0]["novel"] = data["outputs"][0]["novel"] = [1, 2]
    path = changed(written, tmp_path, novelty=1, **data)
    assert DDSRRegressor.load(path).front_ == DDSRRegressor.load(written).front_


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"format_version": 2, "ddsr_version": "7.1"},
            "format version 2, written by ddsr 7.1.*install a newer",
        ),
        ({"format_version": 0}, "has no version"),
        ({"format_version": "1"}, "has no version"),
        ({"format": "ddsr run"}, "is not a ddsr model file"),
        ({"outputs": []}, "no outputs"),
        ({"features": ["a"]}, "column"),
        ({"parameters": {"rules": [{"ddsr": "system", "command": "rm"}]}}, "'system' is not a rule"),
        ({"parameters": {"config": {"ddsr": "RefinerConfig", "n_islands": 0}}}, "n_islands"),
    ],
)
def test_files_that_cannot_be_read_are_refused(written, tmp_path, changes, message):
    path = changed(written, tmp_path, **changes)
    with pytest.raises(RunError, match=message) as refused:
        DDSRRegressor.load(path)
    assert "\n" not in str(refused.value) and str(path) in str(refused.value)


def test_no_file_no_folder_no_json(tmp_path):
    with pytest.raises(RunError, match="there is no model at"):
        DDSRRegressor.load(tmp_path / "none.json")
    with pytest.raises(RunError, match="cannot read .*directory"):
        DDSRRegressor.load(tmp_path)
    for text in ("", "[]", "{", '{"a": 1}', "[" * 100_000):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(RunError, match="is not a ddsr model file"):
            DDSRRegressor.load(tmp_path / "bad.json")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(tree):
    """Every container in the tree with every key."""
    if isinstance(tree, (dict, list)):
        for key in list(tree) if isinstance(tree, dict) else range(len(tree)):
            yield tree, key
            yield from places(tree[key])


@examples(300)
@given(data=st.data())
def test_a_changed_value_is_refused_or_harmless(written, tmp_path_factory, data):
    tree = json.loads(written.read_text())
    container, key = data.draw(st.sampled_from(list(places(tree))))
    if isinstance(container, dict) and data.draw(st.booleans()):
        del container[key]
    else:
        container[key] = data.draw(json_values)
    path = tmp_path_factory.mktemp("changed") / "model.json"
    path.write_text(json.dumps(tree))
    try:
        loaded = DDSRRegressor.load(path)
    except DDSRError as error:
        assert len(str(error)) > 10
    else:
        assert len(loaded.equations_) == len(loaded.front_)
        assert loaded.front_.entries.index(loaded.best_) >= 0


@examples(200)
@given(data=st.data())
def test_damaged_bytes_are_refused_or_harmless(written, tmp_path_factory, data):
    damaged = bytearray(written.read_bytes())
    for _ in range(data.draw(st.integers(0, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damaged") / "model.json"
    path.write_bytes(damaged[: data.draw(st.integers(0, len(damaged)) | st.just(len(damaged)))])
    try:
        DDSRRegressor.load(path)
    except DDSRError as error:
        assert len(str(error)) > 10
