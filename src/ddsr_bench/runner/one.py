"""One run: its task, its limits and its result. `server` does it in a separate process."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import BenchError, RunError
from ddsr_bench.judge.judge import TIMEOUT_S
from ddsr_bench.problems.suites import BenchmarkProblem
from ddsr_bench.problems.trial import Split, make_data
from ddsr_bench.runner.curves import curve_of, curve_path, thinned, write_curve
from ddsr_bench.runner.methods import Regressor
from ddsr_bench.runner.saved_runs import fit_saved, run_path
from ddsr_bench.runner.store import Key

OWN_METHODS = "ddsr_bench.runner.methods:make_estimator"


@dataclass(frozen=True, kw_only=True)
class Task:
    """A run to do."""

    problem: BenchmarkProblem
    method: str
    noise: float
    seed: int
    time: float | None = None
    epochs: int | None = None
    threads: int = 1
    device: str = "cpu"
    data_dir: str | None = None
    factory: str = OWN_METHODS
    """module:function that makes the estimator"""
    problem_id: str | None = None
    """hash of the problem (`identity`)"""
    curves_dir: str | None = None
    """folder for the learning curve, if the method has one"""
    runs_dir: str | None = None
    """folder in which the run is saved, so that it can be resumed; None: it is not saved"""

    @property
    def key(self) -> Key:
        """The key of the run."""
        return Key(self.problem.name, self.method, self.noise, self.seed)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Task:
        """Read a task from JSON."""
        return cls(**{**fields, "problem": BenchmarkProblem.from_json(fields["problem"])})


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of a run, which is killed above them, and of its verdict."""

    seconds: float | None = None
    gib: float | None = None
    """resident memory of the run and its child processes"""
    judge_s: float = TIMEOUT_S


@dataclass(frozen=True)
class RunResult:
    """The model of a run. Times are those of `fit`."""

    expression: str | None
    """None if the model is not a formula"""
    r2_train: float
    r2_test: float
    wall_s: float
    cpu_s: float | None
    complexity: int | None = None
    """size of a model that is not a formula"""


def run_one(task: Task) -> RunResult:
    """Make the data, fit, and measure."""
    data_dir = Path(task.data_dir) if task.data_dir else None
    data = make_data(task.problem, task.seed, task.noise, data_dir)
    make = _load_factory(task.factory)
    estimator = make(task.method, task.seed, task.time, task.epochs, task.threads, task.device)
    _set_units(estimator, task)
    estimator, wall, cpu = _fitted(task, estimator, data)
    keep_curve(task, estimator)
    form = estimator.sympy()
    return RunResult(
        expression=None if form is None else str(form),
        complexity=estimator.complexity() if form is None else None,  # type: ignore[attr-defined]
        r2_train=r2(data.y_train, estimator.predict(data.X_train)),
        r2_test=r2(data.y_test, estimator.predict(data.X_test)),
        wall_s=wall,
        cpu_s=cpu,
    )


def _set_units(estimator: Any, task: Task) -> None:
    problem = task.problem
    if not problem.units:
        return
    if task.factory != OWN_METHODS or not hasattr(estimator, "y_units"):
        raise BenchError(f"{task.method} takes no units: leave out --units")
    units = dict(zip(problem.variables, problem.units, strict=True))
    estimator.set_params(units=units, y_units=problem.target_unit)


def _fitted(task: Task, estimator: Regressor, data: Split) -> tuple[Regressor, float, float | None]:
    """Return the fitted estimator, its time and its processor time, which is unknown if it was resumed."""
    if task.runs_dir is not None:
        from ddsr.estimator.regressor import DDSRRegressor

        if isinstance(estimator, DDSRRegressor):
            fitted = fit_saved(estimator, run_path(Path(task.runs_dir), task.key), data)
            return fitted.model, fitted.wall_s, None
    wall, cpu = time.perf_counter(), time.process_time()
    estimator.fit(data.X_train, data.y_train)
    return estimator, time.perf_counter() - wall, time.process_time() - cpu


def keep_curve(task: Task, estimator: Any) -> None:
    """Write the learning curve of a method that has one."""
    epochs = getattr(estimator, "curves_", None)
    if task.curves_dir is None or epochs is None or len(epochs) == 0:
        return
    try:
        write_curve(curve_path(Path(task.curves_dir), task.key), thinned(curve_of(epochs)))
    except (OSError, RunError) as error:  # a lost curve must not lose the result
        print(f"the learning curve is lost: {error}", file=sys.stderr)


def r2(y: NDArray[np.float64], predicted: Any) -> float:
    """Return 1 − Σ(y − ŷ)² / Σ(y − ȳ)²; −∞ if a prediction is not finite."""
    with np.errstate(all="ignore"):
        error = float(np.sum((y - np.asarray(predicted, dtype=np.float64)) ** 2))
    total = float(np.sum((y - y.mean()) ** 2))
    return 1.0 - error / total if math.isfinite(error) and total > 0 else -math.inf


def _load_factory(name: str) -> Callable[..., Regressor]:
    module, _, function = name.partition(":")
    try:
        found: Callable[..., Regressor] = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise BenchError(f"unknown method {name!r}: {error}") from error
    return found
