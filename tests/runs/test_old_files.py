"""This version opens files of earlier versions, which tests/fixtures/make.py wrote."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from command_cases import ddsr
from ddsr import DDSRRegressor
from ddsr.generators.prior.weights import load_weights
from ddsr.runs import RunFolder
from ddsr_bench.runner.store import Store, read_rows
from ddsr_pretraining.checkpoint import load_checkpoint
from ddsr_pretraining.training import Trainer
from fixture_cases import unpack
from prior_cases import PlainMaker

FIXTURES = Path(__file__).parents[1] / "fixtures"
VERSIONS = sorted(path.name for path in FIXTURES.iterdir() if (path / "models").is_dir())
MODELS = [
    f"{version}/models/{path.stem}"
    for version in VERSIONS
    for path in sorted((FIXTURES / version / "models").glob("*.json"))
    if path.stem != "predictions"
]
RUNS = [
    f"{version}/runs/{path.name.removesuffix('.tar.xz')}"
    for version in VERSIONS
    for path in sorted((FIXTURES / version / "runs").glob("*.tar.xz"))
]
BEGUN = [name for name in RUNS if not name.endswith("-not-begun")]
# Each kind of search in one state; the slow tests open the others.
USUAL_RUNS = (
    *("ddsr-interrupted", "ddsr-not-begun", "ddsr-generator-none-finished", "paper-interrupted"),
    *("paper-memory-short-finished", "dsr-interrupted", "uniform-finished", "command-fit"),
)
USUAL_REPORTS = ("ddsr", "paper", "rules-as-text", "weights")


def some(names: list[str], usual: tuple[str, ...]) -> list:
    """The names, of which only the usual ones are not slow."""
    return [pytest.param(name, marks=[] if Path(name).name in usual else pytest.mark.slow) for name in names]


def unpacked(name: str, folder: Path) -> Path:
    """A copy of a folder of the fixtures."""
    unpack(FIXTURES / f"{name}.tar.xz", folder)
    return folder / Path(name).name


def table_for(model: DDSRRegressor, rows: list[list[float]]) -> object:
    names = getattr(model, "feature_names_in_", None)
    return np.array(rows) if names is None else pd.DataFrame(rows, columns=list(names))


def test_every_kind_is_there():
    names = " ".join(MODELS + RUNS)
    assert {Path(name).name for name in RUNS} > {*USUAL_RUNS}
    assert {Path(name).name for name in ONE_OUTPUT} > {*USUAL_REPORTS}
    for preset in ("ddsr", "ddsr-generator-none", "paper", "paper-memory-short", "dsr", "uniform"):
        for kind in (f"models/{preset}", f"runs/{preset}-finished", f"runs/{preset}-interrupted"):
            assert f"0.1.0/{kind}" in names


@pytest.mark.parametrize("name", MODELS)
def test_models_predict_as_they_did(name):
    kept = json.loads((FIXTURES / name).with_name("predictions.json").read_text())
    expected = kept["models"][Path(name).name]
    model = DDSRRegressor.load(FIXTURES / f"{name}.json")
    table = table_for(model, kept["rows"])
    np.testing.assert_allclose(model.predict(table), expected["chosen"], rtol=1e-12)
    for index, values in enumerate(expected["every"]):
        np.testing.assert_allclose(model.predict(table, index), values, rtol=1e-12)
    assert len(model.latex()) == len(expected["latex"])


ONE_OUTPUT = [name for name in MODELS if not name.endswith("/two-outputs")]


@pytest.mark.parametrize("name", ONE_OUTPUT)
def test_models_are_shown_and_saved_again(name, tmp_path):
    path = FIXTURES / f"{name}.json"
    assert ddsr("show", path).exit_code == 0
    model = DDSRRegressor.load(path)
    model.save(tmp_path / "again.json")
    again = DDSRRegressor.load(tmp_path / "again.json")
    assert again.front_ == model.front_ and again.get_params() == model.get_params()


@pytest.mark.parametrize("name", some(ONE_OUTPUT, USUAL_REPORTS))
def test_models_have_a_report(name, tmp_path):
    assert ddsr("report", FIXTURES / f"{name}.json", "--out", tmp_path / "report.html").exit_code == 0
    assert (tmp_path / "report.html").exists()


def test_a_loaded_model_is_fitted_again():
    kept = json.loads((FIXTURES / "0.1.0/models/predictions.json").read_text())
    model = DDSRRegressor.load(FIXTURES / "0.1.0/models/rules-as-text.json").set_params(max_epochs=1)
    y = np.array(kept["models"]["rules"]["chosen"])
    assert model.fit(table_for(model, kept["rows"]), y).n_epochs_ <= 1


@pytest.mark.parametrize("name", some(BEGUN, USUAL_RUNS))
def test_runs_are_shown_reported_and_predict(name, tmp_path):
    path = unpacked(name, tmp_path)
    shown = json.loads(ddsr("show", path, "--json").stdout)
    assert shown["is_over"] == (not name.endswith(("-interrupted", "-killed")))
    assert shown["epochs"] == len(RunFolder.open(path).log())
    assert ddsr("show", path).exit_code == 0
    assert ddsr("report", path).exit_code == 0
    data = RunFolder.open(path).data()
    pd.DataFrame(data.X, columns=list(data.features)).to_csv(tmp_path / "rows.csv", index=False)
    predicted = json.loads(ddsr("predict", path, tmp_path / "rows.csv", "--json").stdout)["predictions"]
    np.testing.assert_allclose(predicted, RunFolder.open(path).model().predict(data.frame), rtol=1e-12)


@pytest.mark.parametrize("name", some(RUNS, USUAL_RUNS))
def test_runs_are_resumed(name, tmp_path):
    path = unpacked(name, tmp_path)
    run = RunFolder.open(path)
    is_over = run.stopped_by is not None
    before = run.model() if name in BEGUN else None
    done = ddsr("resume", path, *(["--epochs", 1] if is_over else []), "--quiet", "--json")
    assert done.exit_code == 0, done.output
    after = RunFolder.open(path).model()
    assert after.stopped_by_ in ("max_epochs", "exact")
    assert after.n_epochs_ == run.asked.max_epochs + is_over
    if before is not None:  # the run was resumed, not started again
        pd.testing.assert_frame_equal(after.curves_.iloc[: before.n_epochs_], before.curves_)


@pytest.mark.parametrize("version", VERSIONS)
def test_results_of_benchmarks_are_read(version, tmp_path):
    folder = FIXTURES / version / "store"
    rows, warnings = read_rows(folder / "results.jsonl")
    assert warnings == [] and [row.error for row in rows] == [None, "killed"]
    assert ddsr("bench", "table", folder).exit_code == 0
    (tmp_path / "results.jsonl").write_bytes((folder / "results.jsonl").read_bytes())
    store = Store(tmp_path)
    store.append(rows[0])
    assert store.read().rows == [*rows, rows[0]]


@pytest.mark.parametrize("version", VERSIONS)
def test_weights_and_trainings_of_a_prior_are_read(version, tmp_path):
    _, card = load_weights(FIXTURES / version / "prior" / "tiny.safetensors")
    assert card.network.width == 8 and card.scores == {"recovered": 0.0}
    checkpoint = load_checkpoint(unpacked(f"{version}/prior/training", tmp_path))
    trainer = Trainer.resumed(checkpoint, PlainMaker(max_length=8), torch.device("cpu"))
    assert trainer.checkpoint().progress.step == 0
