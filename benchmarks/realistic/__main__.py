"""How often the right form is found in tables as people measure them: `python -m benchmarks.realistic`.

Each curve is drawn three times. A run is a line of the file given by `--out`; what is there is not run
again. `--half develop` is to develop on, `--half report` is what is reported. With `--ceiling` the true form
is handed over as a guess: what is missed then is missed by the choice, not by the search.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.hardware import describe_run
from benchmarks.realistic.curves import Curve, curves
from benchmarks.realistic.judging import is_form_right, judge
from benchmarks.realistic.tables import draw, truth_of

N_DRAWS = 3
LIMITS = (2.0, 10.0, 60.0)
BINS = ((0.0, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 1.01))


@dataclass(frozen=True)
class Task:
    """One fit: a draw of a curve, with so many seconds."""

    curve: str
    draw: int
    limit: float
    has_guess: bool


@dataclass(frozen=True)
class Row:
    """What became of it."""

    task: Task
    equation: str
    is_form_right: bool
    is_useful: bool
    swings: bool
    seconds: float
    is_among_three: bool = False
    """whether one of the three likeliest forms is right"""
    probability: float = float("nan")
    """that the model gives the likeliest form"""


def run(task: Task) -> Row:
    """Fit one table on one thread, and judge the equation."""
    from ddsr import DDSRRegressor

    curve = curve_of(task.curve)
    table = draw(curve, task.draw)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = DDSRRegressor(max_time=task.limit, random_state=task.draw, n_jobs=1)
        guesses = [curve.formula] if task.has_guess else ()
        names = [each.name for each in curve.inputs]
        model.set_params(guesses=guesses).fit(_frame(table.X, names), table.y)
    seconds = time.perf_counter() - began
    answer = model.outcomes_[0].best.equation
    verdict = judge(curve, table, answer)
    forms = model.outcomes_[0].forms
    likeliest = [answer, *(form.entry.equation for form in forms[:3])]
    return Row(
        task,
        str(answer),
        verdict.is_form_right,
        verdict.is_useful,
        verdict.swings,
        round(seconds, 2),
        any(is_form_right(curve, equation) for equation in likeliest),
        forms[0].weight if forms else float("nan"),
    )


def curve_of(name: str) -> Curve:
    """By its name."""
    return next(curve for curve in curves() if curve.name == name)


def _frame(X: np.ndarray, names: list[str]) -> object:
    import pandas

    return pandas.DataFrame(X, columns=names)


def report(rows: list[Row]) -> None:
    """Shares, by time limit."""
    for limit in sorted({row.task.limit for row in rows}):
        for has_guess in (False, True):
            some = [row for row in rows if row.task.limit == limit and row.task.has_guess == has_guess]
            if not some:
                continue
            n = len(some)
            shares = {
                name: 100.0 * sum(getattr(row, name) for row in some) / n
                for name in ("is_form_right", "is_useful", "swings", "is_among_three")
            }
            print(
                f"{limit:>5g} s{' with the true form as a guess' if has_guess else ''}: "
                f"form right {shares['is_form_right']:.0f} %, useful {shares['is_useful']:.0f} %, "
                f"swings {shares['swings']:.0f} %, among three {shares['is_among_three']:.0f} % of {n}"
            )
            for line in calibration(some):
                print(line)


def calibration(rows: list[Row]) -> Iterator[str]:
    """How often the likeliest form is right, by the probability that the model gives it."""
    for low, high in BINS:
        some = [row for row in rows if low <= row.probability < high]
        if some:
            said = 100.0 * sum(row.probability for row in some) / len(some)
            right = 100.0 * sum(row.is_form_right for row in some) / len(some)
            yield f"        said {said:.0f} %: right {right:.0f} % of {len(some)}"


def read(path: Path) -> Iterator[Row]:
    """The runs that a file holds; a line that was cut off is left out."""
    if not path.exists():
        return
    for line in path.read_text().splitlines():
        try:
            values = json.loads(line)
        except json.JSONDecodeError:
            continue
        if "task" in values:
            yield Row(**{**values, "task": Task(**values["task"])})


def main() -> None:
    """Run what is missing, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=("develop", "report"), default="develop")
    parser.add_argument("--limits", default=",".join(map(str, LIMITS)), help="seconds, by commas")
    parser.add_argument("--draws", type=int, default=N_DRAWS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ceiling", action="store_true", help="hand over the true form as a guess")
    parser.add_argument("--out", type=Path, required=True, help="file of the runs, JSON lines")
    parser.add_argument("--show", action="store_true", help="print every equation")
    given = parser.parse_args()
    chosen = [curve.name for curve in curves(given.half)]
    tasks = [
        Task(name, number, float(limit), given.ceiling)
        for limit in given.limits.split(",")
        for name in chosen
        for number in range(given.draws)
    ]
    done = {row.task: row for row in read(given.out)}
    missing = [task for task in tasks if task not in done]
    with given.out.open("a") as lines, ProcessPoolExecutor(given.jobs) as pool:
        if missing:
            print(json.dumps(describe_run()), file=lines, flush=True)
        for future in as_completed([pool.submit(run, task) for task in missing]):
            row = future.result()
            done[row.task] = row
            print(json.dumps(asdict(row)), file=lines, flush=True)
            print(f"\r{len(done)} of {len(tasks)}", end="", file=sys.stderr, flush=True)
    rows = [done[task] for task in tasks]
    if given.show:
        for row in rows:
            mark = "right " if row.is_form_right else "useful" if row.is_useful else "      "
            print(f"{row.task.limit:>4g} s {mark} {row.task.curve:<28} {row.equation}")
            if not row.is_form_right:
                print(f"{'':>42}{truth_of(curve_of(row.task.curve))}")
    report(rows)


if __name__ == "__main__":
    main()
