"""Compare DSR's published solution rates with the preset `dsr`, on ten problems that published DSR solves.

    python -m benchmarks.dsr_parity --jobs 16 --store DIR

The published rates are those of SRBench's result files for DSR without noise: the share of trials whose
equation equals the truth by SRBench's rule. SRBench ran DSR for 1,000 epochs of 1,000 expressions, without
constants, with eight operators and at most 30 tokens. The runs here have the same settings and end after
`--time` seconds if that is sooner. Runs that are already in the store are not repeated.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console

from ddsr_bench.command import SuiteRun, run_suite
from ddsr_bench.runner.methods import Regressor
from ddsr_bench.runner.store import Row, Store

ROOT = Path(__file__).resolve().parent.parent
METHOD = "dsr:constants=false"
EPOCHS = 1000
PUBLISHED_SETTINGS: Mapping[str, Any] = {
    "operators": ("add", "sub", "mul", "div", "sin", "cos", "exp", "log"),
    "max_length": 30,
}
PUBLISHED_RATES = {
    "feynman_I_12_11": 0.875,
    "feynman_I_14_3": 0.875,
    "feynman_I_18_12": 0.875,
    "feynman_I_27_6": 0.875,
    "feynman_I_34_8": 0.875,
    "feynman_I_39_22": 0.875,
    "feynman_II_27_18": 0.875,
    "feynman_II_37_1": 0.875,
    "feynman_II_38_3": 0.875,
    "feynman_III_17_37": 0.875,
}
"""symbolic_solution_rate of DSR at target_noise 0 in SRBench's ground-truth results, 8 trials each"""


def make(
    method: str, seed: int, time: float | None, epochs: int | None, threads: int, device: str
) -> Regressor:
    """Build the preset with the settings of SRBench's DSR."""
    from ddsr.estimator.regressor import DDSRRegressor

    regressor: Regressor = DDSRRegressor(
        method,
        max_time=time,
        max_epochs=epochs,
        n_jobs=threads,
        random_state=seed,
        device=device,
        config=PUBLISHED_SETTINGS,
    )
    return regressor


def table(rows: Sequence[Row]) -> str:
    """Format one line per problem, and the rates over all problems."""
    lines = [f"{'problem':<20} {'published':>9} {'here':>9} {'solved':>7} {'median s':>9}"]
    rates: list[tuple[float, float]] = []
    for name, published in PUBLISHED_RATES.items():
        runs = [row for row in rows if row.problem == name]
        if not runs:
            lines.append(f"{name:<20} {published:>9.1%} {'-':>9} {'0/0':>7} {'-':>9}")
            continue
        n_solved = sum(bool(row.solved_srbench) for row in runs)
        rates.append((published, n_solved / len(runs)))
        seconds = median(row.wall_s for row in runs)
        solved = f"{n_solved}/{len(runs)}"
        lines.append(f"{name:<20} {published:>9.1%} {rates[-1][1]:>9.1%} {solved:>7} {seconds:>9.1f}")
    if rates:
        published, here = (sum(rate) / len(rates) for rate in zip(*rates, strict=True))
        lines.append(f"{'mean':<20} {published:>9.1%} {here:>9.1%}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Do the missing runs and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", required=True, help="folder for the results")
    parser.add_argument("--trials", type=int, default=4, help="number of seeds per problem (default: 4)")
    parser.add_argument(
        "--time", type=float, default=240.0, help="time limit of each run in seconds (default: 240)"
    )
    parser.add_argument(
        "--epochs", type=int, default=EPOCHS, help=f"maximum number of epochs of each run (default: {EPOCHS})"
    )
    parser.add_argument("--jobs", type=int, default=1, help="number of runs in parallel (default: 1)")
    parser.add_argument(
        "--problem",
        action="append",
        choices=PUBLISHED_RATES,
        help="problem to run (default: all ten); can be repeated",
    )
    given = parser.parse_args(arguments)
    # Runs are separate processes, which have to find this module from any working directory.
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    asked = SuiteRun(
        suites=("feynman",),
        methods=(METHOD,),
        names=given.problem or tuple(PUBLISHED_RATES),
        trials=given.trials,
        seconds=given.time,
        epochs=given.epochs,
        jobs=given.jobs,
        threads=1,
        device="cpu",
        store=given.store,
        factory="benchmarks.dsr_parity:make",
    )
    run_suite(Console(), asked)
    print(table(Store(Path(given.store)).read().rows))


if __name__ == "__main__":
    main()
