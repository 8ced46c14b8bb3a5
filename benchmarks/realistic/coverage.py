"""How often intervals cover what they should: `python -m benchmarks.realistic.coverage --out FILE`.

Each curve is drawn and fitted as in `benchmarks.realistic`. Then `predict_interval` is compared with the law
itself (`of_measurements=False`) and with new measurements, over the range of the rows and a quarter of it
beyond. Each fit is a line of the file given by `--out`; fits in the file are not repeated.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtr

from benchmarks.hardware import describe_run
from benchmarks.realistic.curves import Curve, curves
from benchmarks.realistic.tables import BEYOND, Floats, Table, dense_rows, draw, truth_of
from ddsr import DDSRRegressor

LEVELS = (0.5, 0.8, 0.95)
PLACES = ("within", "beyond")
KINDS = ("law", "measurements")


@dataclass(frozen=True)
class Task:
    """One fit: a draw of a curve, and the time limit in seconds."""

    curve: str
    draw: int
    seconds: float


@dataclass(frozen=True)
class Covered:
    """Covered shares, by `place kind level`; None if a place has no rows."""

    task: Task
    shares: dict[str, float | None]


def key(place: str, kind: str, level: float) -> str:
    """The name of a share, such as `within law 0.95`."""
    return f"{place} {kind} {level:g}"


def run(task: Task) -> Covered:
    """Fit one table on one thread and check its intervals."""
    curve = next(each for each in curves() if each.name == task.curve)
    table = draw(curve, task.draw)
    names = [each.name for each in curve.inputs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = DDSRRegressor(max_time=task.seconds, random_state=task.draw, n_jobs=1)
        model.fit(pd.DataFrame(table.X, columns=names), table.y)
    return Covered(task, shares_of(model, curve, table))


def shares_of(model: DDSRRegressor, curve: Curve, table: Table) -> dict[str, float | None]:
    """The shares that the intervals of a model cover, at each level."""
    shares: dict[str, float | None] = {}
    for place, X in rows_of(curve).items():
        law = truth_of(curve).to_callable()(X)
        noise = noise_at(curve, table, law)
        frame = pd.DataFrame(X, columns=[each.name for each in curve.inputs])
        for level in LEVELS:
            for kind in KINDS:
                name = key(place, kind, level)
                if len(X) == 0 or not model.outcomes_[0].forms:
                    shares[name] = None
                    continue
                ends = model.predict_interval(frame, level, of_measurements=kind == "measurements")
                covered = covered_law if kind == "law" else covered_measurements
                shares[name] = float(np.mean(covered(np.asarray(ends), law, noise)))
    return shares


def rows_of(curve: Curve) -> dict[str, Floats]:
    """Rows over the measured range, and rows up to a quarter of it beyond."""
    wider = dense_rows(curve, BEYOND)
    low, high = (np.array([getattr(each, end) for each in curve.inputs]) for end in ("least", "largest"))
    is_beyond = ((wider < low) | (wider > high)).any(axis=1)
    return dict(zip(PLACES, (dense_rows(curve), wider[is_beyond]), strict=True))


def noise_at(curve: Curve, table: Table, law: Floats) -> Floats:
    """Standard deviations of measurements, as `draw` makes them."""
    if curve.kind == "relative":
        return np.asarray(curve.noise * np.abs(law))
    clean = truth_of(curve).to_callable()(table.X)
    return np.full_like(law, curve.noise * np.std(clean))


def covered_law(ends: Floats, law: Floats, noise: Floats) -> Floats:
    """For each row, 1 if the law lies in the interval. An undefined interval covers nothing."""
    return ((ends[:, 0] <= law) & (law <= ends[:, 1])).astype(np.float64)


def covered_measurements(ends: Floats, law: Floats, noise: Floats) -> Floats:
    """For each row, the probability that a new measurement lies in the interval."""
    with np.errstate(invalid="ignore"):
        least = np.maximum(noise, np.finfo(np.float64).tiny)
        low, high = (ndtr((end - law) / least) for end in ends.T)
    return np.nan_to_num(high - low)


def report(found: Sequence[Covered]) -> Iterator[str]:
    """Format one line per place and kind: the mean over fits with its standard error."""
    for seconds in sorted({each.task.seconds for each in found}):
        some = [each for each in found if each.task.seconds == seconds]
        yield f"{seconds:g} s, {len(some)} fit{'s' * (len(some) != 1)}"
        for place in PLACES:
            for kind in KINDS:
                cells = [_cell(some, key(place, kind, level)) for level in LEVELS]
                yield f"  {place:<7} {kind:<13}" + "".join(cells)


def _cell(found: Sequence[Covered], name: str) -> str:
    shares = np.array([each.shares[name] for each in found if each.shares[name] is not None], dtype=float)
    level = 100.0 * float(name.split()[-1])
    if not len(shares):
        return f"   {level:.0f} %: no fit"
    error = 100.0 * shares.std() / math.sqrt(max(len(shares) - 1, 1))
    return f"   {level:.0f} %: {100.0 * shares.mean():5.1f} ± {error:4.1f}"


def read(path: Path) -> Iterator[Covered]:
    """Read the fits in a file, skipping a truncated line."""
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            values = json.loads(line)
        except json.JSONDecodeError:
            continue
        if "task" in values:
            yield Covered(Task(**values["task"]), values["shares"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit what is missing and print the coverage."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=("develop", "report"), default="develop")
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit of a fit (default: 10)")
    parser.add_argument("--draws", type=int, default=1, help="number of tables per curve (default: 1)")
    parser.add_argument("--curves", type=int, help="number of curves, from the first (default: all)")
    parser.add_argument("--jobs", type=int, default=1, help="number of fits in parallel (default: 1)")
    parser.add_argument("--out", type=Path, required=True, help="JSON Lines file for the fits")
    given = parser.parse_args(arguments)
    names = [curve.name for curve in curves(given.half)][: given.curves]
    tasks = [Task(name, number, given.seconds) for name in names for number in range(given.draws)]
    done = {each.task: each for each in read(given.out)}
    missing = [task for task in tasks if task not in done]
    if missing:
        with given.out.open("a") as lines, ProcessPoolExecutor(given.jobs) as pool:
            print(json.dumps(describe_run()), file=lines, flush=True)
            for future in as_completed([pool.submit(run, task) for task in missing]):
                covered = future.result()
                done[covered.task] = covered
                print(json.dumps(asdict(covered)), file=lines, flush=True)
                n_done = sum(task in done for task in tasks)
                print(f"\r{n_done} of {len(tasks)}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
    print("\n".join(report([done[task] for task in tasks])))


if __name__ == "__main__":
    main()
