"""How fast training examples for the prior are made, and how many ground-truth formulas are among them.

    python -m benchmarks.examples
    python -m benchmarks.examples --count-ground-truth 10000000 --threads 16

The first command prints examples per second, by the clock and by processor time, which depends little on
other programs, and the distributions of sizes and properties. The second makes many examples, which takes
long, and counts formulas among them by structure, ignoring constants and names of variables.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.coverage import count_ground_truth
from benchmarks.hardware import describe_run
from ddsr_pretraining.examples import ExampleMaker, ExampleOptions

N_ROWS = 200
N_EXAMPLES = 4000
ROUNDS = 3


def measure(n_threads: int, seed: int) -> None:
    maker = ExampleMaker(ExampleOptions(n_rows=N_ROWS), seed)
    by_clock, by_processor = [], []
    for round_ in range(ROUNDS):
        began, worked = time.perf_counter(), time.process_time()
        examples = maker.make(N_EXAMPLES, n_threads, first_index=round_ * N_EXAMPLES)
        by_clock.append(time.perf_counter() - began)
        by_processor.append(time.process_time() - worked)
    sizes = examples.batch.sizes
    n_constants = (examples.tokens == maker.vocabulary.constant).sum(axis=1)
    figures = {
        f"examples/s by the clock, {n_threads} thread(s), {N_ROWS} rows": N_EXAMPLES / min(by_clock),
        "examples/s of one core's time": N_EXAMPLES / min(by_processor),
        "tokens: median": np.median(sizes),
        "tokens: ninth decile": np.percentile(sizes, 90),
        "constants: mean": n_constants.mean(),
        "inputs: mean": examples.n_variables.mean(),
        "rows: mean": examples.n_rows.mean(),
        "share without noise": (examples.noise == 0).mean(),
        "share of different structures": len(set(examples.batch.keys())) / N_EXAMPLES,
    }
    table = Table("figure", "value", title=f"examples · {describe_run()['hardware']}")
    for name, value in figures.items():
        table.add_row(name, f"{value:,.2f}")
    Console().print(table)


def count(n: int, n_threads: int, seed: int) -> None:
    coverage = count_ground_truth(n, ExampleOptions(), seed, n_threads)
    n_formulas = len(coverage.counts) + len(coverage.unwritable)
    table = Table("formula", "times", title=f"ground truth among {n:,} examples, seed {seed}")
    for name, times in sorted(coverage.counts.items(), key=lambda item: -item[1]):
        table.add_row(name, f"{times:,}")
    console = Console()
    console.print(table)
    console.print(
        f"{coverage.n_found} of {n_formulas} formulas came up; {coverage.n_matching:,} of the examples "
        f"({coverage.n_matching / n:.2%}) are one of them. "
        f"Not to be written with these operators: {', '.join(coverage.unwritable)}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count-ground-truth", type=int, metavar="N", help="make N examples and count")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.count_ground_truth:
        count(given.count_ground_truth, given.threads, given.seed)
    else:
        measure(given.threads, given.seed)


if __name__ == "__main__":
    main()
