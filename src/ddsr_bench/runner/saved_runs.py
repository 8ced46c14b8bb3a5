"""Runs that can be resumed: each has a run folder, in the folder `runs` of its store."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ddsr.errors import RunError
from ddsr_bench.runner.store import Key

if TYPE_CHECKING:
    from ddsr.estimator.regressor import DDSRRegressor
    from ddsr.runs import RunFolder
    from ddsr_bench.problems.trial import Split

FOLDER = "runs"


class Fitted(NamedTuple):
    """A model, and the total time of its run over all parts."""

    model: DDSRRegressor
    wall_s: float


def run_path(folder: Path, key: Key) -> Path:
    """Return the folder in which a run is saved until its row is stored."""
    return folder / key.file_name


def fit_saved(estimator: DDSRRegressor, path: Path, data: Split) -> Fitted:
    """Fit, or resume a saved run; restart a run that was saved with other settings or data."""
    from ddsr.runs.states import newest_state

    run = _open_run(estimator, path, data)
    before = newest_state(path)
    began = time.perf_counter()
    model = run.resume(n_jobs=estimator.n_jobs)
    wall_s = time.perf_counter() - began
    return Fitted(model, wall_s + (before.seconds if before else 0.0))


def forget(folder: Path, key: Key) -> None:
    """Remove a saved run."""
    shutil.rmtree(run_path(folder, key), ignore_errors=True)


def _open_run(estimator: DDSRRegressor, path: Path, data: Split) -> RunFolder:
    from ddsr.runs import RunFolder
    from ddsr.runs.states import newest_state

    fresh = path.with_name(f"{path.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    parameters = estimator.get_params(deep=False)
    del parameters["callback"], parameters["contributors"]
    RunFolder.create(fresh, data.X_train, data.y_train, parameters=parameters)
    try:
        found = RunFolder.open(path)
        newest_state(path)
        if _settings(found) == _settings(RunFolder.open(fresh)):
            shutil.rmtree(fresh, ignore_errors=True)
            return found
    except RunError:  # there is none, or it is damaged
        pass
    shutil.rmtree(path, ignore_errors=True)
    fresh.rename(path)
    return RunFolder.open(path)


def _settings(run: RunFolder) -> tuple[object, ...]:
    """Return the settings that must match to resume a run: all but the number of threads and the view."""
    kept = run.asked.parameters.items()
    parameters = {name: value for name, value in kept if name not in ("n_jobs", "verbose")}
    return run.asked.fingerprint, run.asked.max_epochs, run.asked.max_time, parameters
