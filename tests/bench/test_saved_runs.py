"""Runs that are resumed after they were killed."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_paper import SMALL

from ddsr import DDSRRegressor, RunFolder
from ddsr_bench.problems.trial import make_data
from ddsr_bench.runner.one import run_one
from ddsr_bench.runner.run import Plan, run_missing
from ddsr_bench.runner.saved_runs import FOLDER, fit_saved, run_path
from ddsr_bench.runner.store import Store


def small_paper(epochs=3, **changes):
    settings = {"config": SMALL, "device": "cpu", "random_state": 0} | changes
    return DDSRRegressor("paper", max_epochs=epochs, **settings)


@pytest.fixture
def data(template):
    return make_data(template.problem, seed=0, noise=0.3)


def interrupted(path, data, **changes):
    """A run that ended in its second epoch as if by Ctrl-C."""

    def stop(state):
        if state.epoch == 1:
            raise KeyboardInterrupt

    parameters = small_paper(**changes).get_params(deep=False)
    del parameters["callback"]
    RunFolder.create(path, data.X_train, data.y_train, parameters=parameters).fit(stop, interval=0)


def test_a_run_is_resumed_from_its_saved_state(data, tmp_path):
    interrupted(tmp_path / "run", data)
    model, wall_s = fit_saved(small_paper(n_jobs=2), tmp_path / "run", data)
    assert model.n_epochs_ == 3 and wall_s > 0
    whole = small_paper().fit(data.X_train, data.y_train)
    assert model.equations_.equals(whole.equations_)
    assert [line["epoch"] for line in RunFolder.open(tmp_path / "run").log()] == [0, 1, 2]


@pytest.mark.parametrize(
    "other", [{"epochs": 2}, {"random_state": 1}, {"config": SMALL | {"batch_size": 30}}]
)
def test_a_run_with_other_settings_starts_again(data, tmp_path, other):
    interrupted(tmp_path / "run", data)
    model, _ = fit_saved(small_paper(**other), tmp_path / "run", data)
    assert model.equations_.equals(small_paper(**other).fit(data.X_train, data.y_train).equations_)


def test_a_damaged_run_starts_again(data, tmp_path):
    interrupted(tmp_path / "run", data)
    for state in (tmp_path / "run").glob("state-*.npz"):
        state.write_bytes(state.read_bytes()[:100])
    assert fit_saved(small_paper(), tmp_path / "run", data).model.n_epochs_ == 3
    (tmp_path / "run" / "run.json").write_text("{")
    assert fit_saved(small_paper(), tmp_path / "run", data).model.n_epochs_ == 3
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["run"]


def test_a_run_that_was_over_is_not_run_again(data, tmp_path, monkeypatch):
    first = fit_saved(small_paper(), tmp_path / "run", data).model
    monkeypatch.setattr(DDSRRegressor, "_fit", None)
    assert fit_saved(small_paper(), tmp_path / "run", data).model.equations_.equals(first.equations_)


def test_a_run_is_saved_until_its_row_is_stored(template, tmp_path, warm_worker):
    runs = tmp_path / "store" / FOLDER
    template = replace(template, method="paper", factory="small_paper:make", epochs=2, runs_dir=str(runs))
    plan = Plan(problems=[template.problem], methods=("paper",), noises=(0.3,), template=template)
    (task,) = plan.tasks()
    outcome = run_one(task)
    assert run_path(runs, task.key).is_dir() and outcome.cpu_s is None
    (row,) = run_missing(plan, Store(tmp_path / "store"), warm_worker)
    assert row.error is None and row.expression == outcome.expression
    assert list(runs.iterdir()) == []
    (stored,) = Path(tmp_path, "store", "results.jsonl").read_text().splitlines()
    assert np.isfinite(json.loads(stored)["wall_s"])
