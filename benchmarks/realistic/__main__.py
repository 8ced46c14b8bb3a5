"""How often the right form is found in realistic tables: `python -m benchmarks.realistic`.

Each fit is a line of the file given by `--out`. Fits in the file are not repeated, so the same command
resumes an interrupted run. `--half develop` is for development, `--half report` for reported results.

`--ceiling` passes the true form as a guess, so remaining errors are due to selection and not to the search.
`--leave-out` prices each curve by a code learned without formulas of its form. `--peers` runs other methods
on the same tables. `--real DIR` adds real measurements with an accepted law. `--full` does all of this.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from benchmarks.hardware import describe_run
from benchmarks.realistic.curves import curve_of, curves
from benchmarks.realistic.laws import LAWS, why_absent
from benchmarks.realistic.lines import (
    CURVES,
    DDSR,
    REAL,
    Row,
    Task,
    ends_in_the_middle_of_a_line,
    read_rows,
    unique,
    write_line,
)
from benchmarks.realistic.peers import DEFAULT as DEFAULT_PEERS
from benchmarks.realistic.peers import why_skipped
from benchmarks.realistic.running import end_with_parent, run
from benchmarks.realistic.summary import summarize
from benchmarks.realistic.tables import truth_of

N_DRAWS, N_SEEDS = 3, 3
LIMITS = (2.0, 10.0, 60.0)
REAL_FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "first_principles"
N_POOLS = 5  # started in turn if a process of a pool is killed
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def tasks_of(given: argparse.Namespace, peers: Sequence[str], has_real: bool) -> list[Task]:
    """All requested fits, each once."""
    names = given.curves.split(",") if given.curves else [curve.name for curve in curves(given.half)]
    limits = [float(limit) for limit in given.limits.split(",")]
    suites = [(CURVES, names, given.draws)]
    if has_real:
        suites.append((REAL, given.sets.split(",") if given.sets else list(LAWS), given.seeds))
    tasks = [
        Task(name, draw, limit, method=method, suite=suite, **kind)
        for limit in limits
        for suite, each, n_draws in suites
        for method, kind in _kinds(given, peers, suite)
        for name in each
        for draw in range(n_draws)
    ]
    if given.calibrate:
        limit, _, n_draws = given.calibrate.partition(":")
        tasks += [Task(name, draw, float(limit)) for name in names for draw in range(int(n_draws))]
    return list(dict.fromkeys(tasks))


def _kinds(
    given: argparse.Namespace, peers: Sequence[str], suite: str
) -> Iterator[tuple[str, dict[str, bool]]]:
    yield DDSR, {}
    if given.ceiling and suite == CURVES:
        yield DDSR, {"has_guess": True}
    if given.leave_out and suite == CURVES:
        yield DDSR, {"is_left_out": True}
    for peer in peers:
        yield peer, {}


def run_missing(tasks: Sequence[Task], path: Path, n_jobs: int, folder: Path | None) -> None:
    """Run what the file lacks, `n_jobs` fits at a time, each on one core."""
    for name in ONE_THREAD:
        os.environ[name] = "1"  # inherited by the processes started below
    for attempt in range(N_POOLS):
        done = unique(read_rows(path))
        missing = [task for task in tasks if task not in done]
        if not missing:
            return
        is_cut = ends_in_the_middle_of_a_line(path)
        with path.open("a") as file:
            if is_cut:
                print(file=file)
            if attempt == 0:
                print(json.dumps(describe_run()), file=file, flush=True)
            pool = ProcessPoolExecutor(n_jobs, get_context("spawn"), end_with_parent, (os.getpid(),))
            try:
                futures = [pool.submit(run, task, folder) for task in missing]
                for number, future in enumerate(as_completed(futures), len(tasks) - len(missing) + 1):
                    write_line(file, future.result())
                    print(f"\r{number} of {len(tasks)}", end="", file=sys.stderr, flush=True)
                print(file=sys.stderr)
                return
            except BrokenProcessPool:
                print("\na process was killed; the rest is run again", file=sys.stderr)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)


def show(rows: Sequence[Row]) -> None:
    """Print every equation, and the truth if it is wrong."""
    for row in rows:
        mark = "right " if row.is_form_right else "useful" if row.is_useful else "      "
        print(f"{row.task.limit:>4g} s {mark} {row.task.curve:<28} {row.equation or row.error}")
        if not row.is_form_right and row.task.suite == CURVES:
            print(f"{'':>42}{truth_of(curve_of(row.task.curve))}")


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=("develop", "report"), default="develop")
    parser.add_argument(
        "--limits",
        default=",".join(f"{limit:g}" for limit in LIMITS),
        help="time limits in seconds, separated by commas",
    )
    parser.add_argument("--draws", type=int, default=N_DRAWS, help="number of tables per curve")
    parser.add_argument("--curves", help="names of curves, instead of half of the suite")
    parser.add_argument(
        "--calibrate",
        metavar="LIMIT:DRAWS",
        help="additional tables per curve at a time limit, for calibration",
    )
    parser.add_argument("--ceiling", action="store_true", help="also fit with the true form as a guess")
    parser.add_argument(
        "--leave-out", action="store_true", help="also fit without the true form in the corpus"
    )
    parser.add_argument("--peers", help="other methods to run, such as gplearn,operon")
    parser.add_argument("--real", type=Path, metavar="DIR", help="folder with the real data sets")
    parser.add_argument("--sets", help="names of real data sets (default: all)")
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="number of fits per real data set")
    parser.add_argument(
        "--full", action="store_true", help="run --ceiling, --leave-out, peers and real data sets"
    )
    parser.add_argument("--jobs", type=int, default=1, help="number of fits in parallel")
    parser.add_argument("--out", type=Path, required=True, help="JSON Lines file for the fits")
    parser.add_argument("--show", action="store_true", help="print every equation")
    given = parser.parse_args(arguments)
    if given.full:
        given.ceiling = given.leave_out = True
        given.peers = given.peers or ",".join(DEFAULT_PEERS)
        given.real = given.real or REAL_FOLDER
    return given


def main() -> None:
    """Run what is missing and print the tables."""
    given = parse_arguments()
    asked = given.peers.split(",") if given.peers else []
    skipped = {name: why_skipped(name) for name in asked}
    reasons = [reason for reason in skipped.values() if reason]
    absent = why_absent(given.real) if given.real else None
    if absent:
        reasons.append(absent)
    has_real = given.real is not None and absent is None
    tasks = tasks_of(given, [name for name in asked if not skipped[name]], has_real)
    try:
        run_missing(tasks, given.out, given.jobs, given.real if has_real else None)
    except KeyboardInterrupt:
        sys.exit("\ninterrupted; the same command resumes the run")
    every = {row.task: row for row in read_rows(given.out)}
    rows = [every[task] for task in tasks if task in every]
    if given.show:
        show(rows)
    print(summarize(rows, given.draws))
    for reason in reasons:
        print(f"Skipped: {reason}.")


if __name__ == "__main__":
    main()
