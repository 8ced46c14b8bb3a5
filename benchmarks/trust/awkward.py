"""Awkward data for the estimator and the command: a valid model in time, or one of `ddsr.errors`."""

from __future__ import annotations

import json
import random
import shutil
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from click.testing import CliRunner

from benchmarks.trust.awkward_data import AwkwardSet, awkward_sets
from benchmarks.trust.child import Part, Result, in_turn, run_part
from benchmarks.trust.mutations import flaw_of_invocation
from benchmarks.trust.plan import Plan
from benchmarks.trust.tally import Tally
from ddsr.cli.entry import main
from ddsr.errors import DDSRError
from ddsr.estimator.regressor import DDSRRegressor

HERE = "benchmarks.trust.awkward"
LIMIT_S, SLACK_S = 1.0, 1.0
SPIN_S = 0.05


def run_campaign(plan: Plan) -> dict[str, Tally]:
    """Run each data set both ways, in random order."""
    estimator, command = Tally(), Tally()
    n_sets = len(awkward_sets())
    run_part(plan, [estimator, command], f"{HERE}:both_ways", 2 * n_sets)
    for tally in (estimator, command):
        tally.notes["data sets"] = n_sets
    return {"estimator": estimator, "command line": command}


def both_ways(seed: int, folder: Path) -> Part:
    """Pass each data set to the estimator, then to the command."""
    return in_turn([through_estimator, through_command], seed, folder)


def shuffled_sets(seed: int) -> list[AwkwardSet]:
    """Shuffle the sets by the seed, so that a short campaign covers all groups."""
    found = awkward_sets()
    random.Random(seed).shuffle(found)
    return found


def load_factor() -> float:
    """Wall-clock seconds per second of work: 1 on an idle machine."""
    began, worked = time.perf_counter(), time.process_time()
    while time.process_time() - worked < SPIN_S:
        pass
    return max(1.0, (time.perf_counter() - began) / SPIN_S)


class Clock:
    """Measures elapsed time and limits it according to how busy the machine is."""

    def __init__(self) -> None:
        self._factor = load_factor()
        self._began = time.perf_counter()

    def flaw(self, limit_s: float = LIMIT_S) -> str | None:
        """Describe the flaw if it took too long."""
        took = time.perf_counter() - self._began
        factor = max(self._factor, load_factor())
        if took <= (limit_s + SLACK_S) * factor:
            return None
        return f"took {took:.2f} s, with a limit of {limit_s:g} s and a load factor of {factor:.2f}"


def through_estimator(seed: int, folder: Path) -> Part:
    """Fit, then predict the training rows by every equation."""
    sets = shuffled_sets(seed)
    model(np.arange(12.0)[:, None], np.arange(12.0) ** 2, None)  # triggers the imports of a first fit

    def case(number: int) -> Result:
        awkward = sets[number]
        X, y, weights = awkward.data()
        clock = Clock()
        flaw = None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                fitted = model(X, y, weights)
                flaw = clock.flaw() or flaw_of_predictions(fitted, X)
            except DDSRError:
                flaw = clock.flaw()
            except Exception as error:
                flaw = f"{type(error).__name__}: {str(error)[:200]}"
        flaws = [flaw] if flaw else []
        flaws += [f"leaks {each.category.__name__}: {each.message} ({_place(each)})" for each in caught[:1]]
        return Result([f"{awkward.name}: {'; '.join(flaws)}"] if flaws else [])

    return case


def _place(caught: warnings.WarningMessage) -> str:
    return f"{Path(caught.filename).name}:{caught.lineno}"


def model(X: Any, y: Any, weights: Any) -> DDSRRegressor:
    return DDSRRegressor(max_time=LIMIT_S, random_state=0).fit(X, y, sample_weight=weights)


def flaw_of_predictions(fitted: DDSRRegressor, X: Any) -> str | None:
    """Describe the flaw if an equation, the chosen one first, has no finite value on a training row."""
    if not np.isfinite(fitted.predict(X)).all():
        return f"the chosen equation has no finite value on a training row: {fitted.get_best()}"
    if fitted.n_outputs_ != 1:
        return None
    for index in range(len(fitted.equations_)):
        if not np.isfinite(fitted.predict(X, index=index)).all():
            equation = fitted.equations_.equation.iloc[index]
            return f"a listed equation has no finite value on a training row: {equation}"
    return None


def through_command(seed: int, folder: Path) -> Part:
    """Write a CSV file, fit it, and predict it."""
    sets = shuffled_sets(seed)
    frame = pd.DataFrame({"a": np.arange(12.0), "y": np.arange(12.0) ** 2})
    fit_csv(folder, frame, has_weights=False)  # triggers the imports of a first fit

    def case(number: int) -> Result:
        awkward = sets[number]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                frame = as_table(*awkward.data())
        except (ValueError, TypeError, AttributeError):
            return Result(tried=0)  # it cannot be written as a table
        flaw = flaw_of_command(folder, frame)
        return Result([f"{awkward.name}: {flaw}"] if flaw else [])

    return case


def as_table(X: Any, y: Any, weights: Any) -> pd.DataFrame:
    """Columns of X, then the target, as `y` or under its name, then weights `w`."""
    frame = X.copy() if isinstance(X, pd.DataFrame) else pd.DataFrame(np.atleast_2d(np.asarray(X)))
    frame.columns = [name if isinstance(name, str) else f"x{name}" for name in frame.columns]
    frame = frame.reset_index(drop=True)
    target = y.name if isinstance(y, pd.Series) and y.name else "target"
    column = y.reset_index(drop=True) if isinstance(y, pd.Series) else pd.Series(np.asarray(y).squeeze())
    frame = pd.concat([frame, column.rename(target)], axis=1)
    frame.attrs["target"] = target
    if weights is not None:
        frame["w"] = np.asarray(weights).squeeze()
    frame.to_csv().encode()  # names that are not Unicode cannot be written
    return frame


def flaw_of_command(folder: Path, frame: pd.DataFrame) -> str | None:
    """Describe what is wrong with a fit of the table on the command line."""
    clock = Clock()
    done = fit_csv(folder, frame, has_weights="w" in frame.columns)
    late = clock.flaw()
    flaw = flaw_of_invocation(done.exit_code, done.exception, done.stderr) or late
    if "Warning" in done.stderr:
        flaw = flaw or f"leaks a warning: {done.stderr[-200:]}"
    if "\x1b[31m" in done.stderr + done.stdout or "\x07" in done.stderr + done.stdout:
        flaw = flaw or "control characters of a name reach the terminal"
    if flaw or done.exit_code != 0:
        return flaw
    json.loads(done.stdout)
    predicted = CliRunner().invoke(main, ["predict", str(folder / "run"), str(folder / "data.csv"), "--json"])
    flaw = flaw_of_invocation(predicted.exit_code, predicted.exception, predicted.stderr)
    if flaw or predicted.exit_code != 0:
        return f"predict: {flaw or predicted.stderr[-200:]}"
    values = json.loads(predicted.stdout)["predictions"]
    return None if all(value is not None for value in values) else "a prediction of a training row is missing"


def fit_csv(folder: Path, frame: pd.DataFrame, has_weights: bool) -> Any:
    """Run `ddsr fit` in this process."""
    frame.to_csv(folder / "data.csv", index=False)
    shutil.rmtree(folder / "run", ignore_errors=True)
    target = frame.attrs.get("target", "y")
    options = ["--target", target, "--time", f"{LIMIT_S:g}", "--out", str(folder / "run"), "--json"]
    options += ["--weights", "w"] if has_weights else []
    return CliRunner().invoke(main, ["fit", str(folder / "data.csv"), *options])
