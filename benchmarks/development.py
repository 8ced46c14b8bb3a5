"""How many development problems the refiner fits exactly: for comparing settings, not for reporting.

`python -m benchmarks.development --seconds 5 --jobs 2 --set island_size=50 crossover_rate=0.5` prints the
number of solved problems, the median time and the processor time. `--seeds` repeats the problems, starting at
`--first-seed`. The problems (development.csv, or harder ones with `--problems`: hard.csv) are not among those
for which results are reported.
"""

from __future__ import annotations

import argparse
import ast
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ddsr.config import DefaultConfig, RefinerConfig
from ddsr.engine import Engine, FitOptions, values
from ddsr.grammar import Grammar
from ddsr.search.contributors.evolution import Floats, Refiner
from ddsr_bench.problems.suites import BenchmarkProblem, load_suite
from ddsr_bench.problems.trial import Split, make_data

PROBLEMS = Path(__file__).parent / "development.csv"
SOLVED = 1e-9
# Share of the noise. With a smaller error, the form is right or cannot be distinguished from the truth.
SMALL_SHARE = 0.15


@dataclass(frozen=True)
class Run:
    """The result for one problem."""

    name: str
    seed: int
    nrmse: float
    """of the best model, on noise-free rows that were not used for fitting"""
    noise: float
    seconds: float
    processor_seconds: float
    """comparable also on a busy machine"""
    evaluations: int
    equation: str

    @property
    def is_solved(self) -> bool:
        """Whether the fit is exact up to rounding or, with noise, much closer to the truth than the noise."""
        return self.nrmse < max(SOLVED, SMALL_SHARE * self.noise)


def run(
    problem: BenchmarkProblem,
    seed: int,
    evaluations: int | None,
    seconds: float,
    noise: float,
    max_length: int,
    operators: tuple[str, ...],
    config: RefinerConfig,
) -> Run:
    """Refine until the fit is exact or the time is up."""
    data = make_data(problem, seed, noise)
    settings = DefaultConfig(operators=operators)
    vocabulary = settings.vocabulary(list(data.X_train.columns))
    engine = Engine(vocabulary, data.X_train, data.y_train, seed=seed)
    grammar = Grammar(vocabulary, max_length, settings.max_constants)
    began, processor_began = time.perf_counter(), time.process_time()
    refiner = Refiner(engine, grammar, config, seed)
    stats = refiner.run(evaluations, seconds)
    took, processor_took = time.perf_counter() - began, time.process_time() - processor_began
    errors, equations = refitted(refiner, data)
    best = int(errors.argmin())
    error, equation = float(errors[best]), equations[best]
    return Run(problem.name, seed, error, noise, took, processor_took, stats.evaluations, equation)


def refitted(refiner: Refiner, data: Split) -> tuple[Floats, list[str]]:
    """NRMSE on clean rows of each model found, refitted on all rows as in selection, and their texts."""
    vocabulary = refiner.engine.vocabulary
    options = FitOptions(max_steps=30, is_scale_free=True)
    engine = Engine(vocabulary, data.X_train, data.y_train, fit_rows=10_000, options=options)
    scores = engine.score(refiner.hall_of_fame().batch)
    found, _ = values(scores.batch, data.X_test)
    predicted = scores.scale[:, None] * found + scores.offset[:, None]
    errors = np.sqrt(((predicted - data.y_test) ** 2).mean(axis=1)) / data.y_test.std()
    return np.where(np.isfinite(errors), errors, np.inf), [each.text(4) for each in scores.batch]


def setting(text: str) -> tuple[str, Any]:
    """Parse `name=value`, with the value in Python syntax."""
    name, _, value = text.partition("=")
    return name, ast.literal_eval(value)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=5.0)
    options.add_argument(
        "--evaluations", type=int, default=None, help="maximum number of evaluations of a run"
    )
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--seeds", type=int, default=1)
    options.add_argument("--first-seed", type=int, default=0)
    options.add_argument("--noise", type=float, default=0.0)
    options.add_argument("--max-length", type=int, default=DefaultConfig().max_length)
    options.add_argument("--operators", nargs="+", default=DefaultConfig().operators, metavar="NAME")
    options.add_argument(
        "--problems", default=str(PROBLEMS), metavar="FILE", help="CSV file of formulas and ranges"
    )
    options.add_argument("--every", type=int, default=1, help="use only every n-th problem")
    options.add_argument("--set", nargs="*", type=setting, default=[], metavar="NAME=VALUE")
    options.add_argument("--misses", action="store_true", help="print the problems that were not solved")
    arguments = options.parse_args()
    config = RefinerConfig(**dict(arguments.set))
    problems = load_suite(arguments.problems)[:: arguments.every]
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    tasks = [(problem, seed) for seed in seeds for problem in problems]
    limits = {"evaluations": arguments.evaluations, "seconds": arguments.seconds}
    limits |= {"max_length": arguments.max_length, "operators": tuple(arguments.operators)}
    one = partial(run, **limits, noise=arguments.noise, config=config)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        runs = list(pool.map(one, *zip(*tasks, strict=True)))
    solved = [run for run in runs if run.is_solved]
    times = [run.seconds if run.is_solved else arguments.seconds for run in runs]
    processor = sum(run.processor_seconds for run in runs)
    rate = sum(run.evaluations for run in runs) / processor
    by_seed = [sum(run.seed == seed for run in solved) for seed in seeds]
    print(
        f"{len(solved)} of {len(runs)} solved {by_seed}, median {median(times):.2f} s, "
        f"mean {sum(times) / len(times):.2f} s, {processor:.0f} s of a processor, "
        f"{rate:.0f} evaluations/s of it   {dict(arguments.set)}"
    )
    for run_ in runs if arguments.misses else []:
        if not run_.is_solved:
            print(f"  {run_.name:24} {run_.seed} {run_.nrmse:9.2e} {run_.evaluations:8}  {run_.equation}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
