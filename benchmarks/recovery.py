"""How many known equations the search recovers: `make bench`.

Ten problems, three seeds each, a fixed number of expressions: the outcome depends only on the code, not on
how busy the machine is. It is compared with benchmarks/results/recovery.json; `--update` rewrites that file.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.hardware import describe_run
from ddsr.engine import Engine, FitOptions
from ddsr.expression import Expression, Vocabulary
from ddsr.grammar import Grammar
from ddsr.search.loop import UniformGenerator, search

RESULTS = Path(__file__).parent / "results" / "recovery.json"
SEEDS = (0, 1, 2)
EPOCHS, BATCH_SIZE, MAX_LENGTH = 25, 4000, 20
N_ROWS, EXACT = 200, 1e-9  # rows of data; NRMSE that counts as recovery

PROBLEMS = {
    "line": "2.5 * x - 1.5",
    "product": "x * y + x",
    "circle": "sqrt(x * x + y * y)",
    "saturation": "x / (1.7 + x)",
    "decay": "3 * exp(-0.8 * x)",
    "wave": "sin(1.9 * x) * y",
    "power": "0.7 * x^1.6 / y",
    "lens": "x * y / (x + y)",
    "two terms": "x^2 - 1.3 * sin(y)",
    "three factors": "x * y^2 / z",
}


@dataclass(frozen=True)
class Run:
    """One search."""

    problem: str
    seed: int
    is_recovered: bool
    n_scored: int
    """expressions until recovery, or all of them"""


def run(problem: str, seed: int) -> Run:
    """Search until the equation is found or the budget is spent."""
    vocabulary = Vocabulary(("x", "y", "z"))
    truth = Expression.parse(PROBLEMS[problem], vocabulary)
    used = Vocabulary(truth.variables_used)
    columns = [vocabulary.variables.index(name) for name in used.variables]
    X = np.random.default_rng(seed).uniform(0.5, 4.0, size=(N_ROWS, 3))
    y = truth.to_callable()(X)
    engine = Engine(used, X[:, columns], y, options=FitOptions(is_scale_free=True), n_threads=2)
    generator = UniformGenerator(Grammar(used, max_length=MAX_LENGTH, max_constants=4), seed, n_threads=2)
    for state in islice(search(generator, engine, batch_size=BATCH_SIZE), EPOCHS):
        if min(entry.nrmse for entry in state.front) < EXACT:
            return Run(problem, seed, True, state.n_scored)
    return Run(problem, seed, False, state.n_scored)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--update", action="store_true", help="keep this run as the baseline")
    arguments = options.parse_args()
    started = time.perf_counter()
    runs = [run(problem, seed) for problem in PROBLEMS for seed in SEEDS]
    seconds = time.perf_counter() - started
    recovered = {problem: sum(r.is_recovered for r in runs if r.problem == problem) for problem in PROBLEMS}
    baseline = json.loads(RESULTS.read_text())["recovered"] if RESULTS.exists() else {}

    table = Table(title=f"{sum(recovered.values())} of {len(runs)} recovered · {seconds:.0f} s")
    for heading in ("problem", "equation", f"recovered of {len(SEEDS)}", "baseline"):
        table.add_column(heading)
    for problem, text in PROBLEMS.items():
        table.add_row(problem, text, str(recovered[problem]), str(baseline.get(problem, "–")))
    Console().print(table)
    if arguments.update:
        record = {"recovered": recovered, "total": sum(recovered.values()), "seconds": round(seconds, 1)}
        record["runs"] = len(runs)
        RESULTS.write_text(json.dumps(record | describe_run(), indent=2) + "\n")
        return 0
    if sum(recovered.values()) < sum(baseline.values()):
        Console().print("[bold red]fewer than the baseline[/]")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
