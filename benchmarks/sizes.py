"""Whether the equations found are as short as those that made the data.

`python -m benchmarks.sizes STORE... --jobs 2` prints, for each noise level, the median size of the equations
solved by SRBench's rule and of the true equations of the same problems, both simplified as the judge does.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from queue import SimpleQueue
from statistics import median

from ddsr_bench.judge.judge import TIMEOUT_S, JudgeProcess
from ddsr_bench.judge.rules import Verdict
from ddsr_bench.problems.suites import BenchmarkProblem, load_suite
from ddsr_bench.report.results import read_results
from ddsr_bench.runner.store import Row

Case = tuple[str, BenchmarkProblem, float]
"""a model as text, its problem and its R² on the test data"""


def judge_many(cases: Sequence[Case], n_jobs: int = 1, timeout: float = TIMEOUT_S) -> list[Verdict]:
    """Judge models in `n_jobs` processes; `timeout` is the limit of each model."""
    idle: SimpleQueue[JudgeProcess] = SimpleQueue()

    def judge_case(case: Case) -> Verdict:
        process = idle.get()
        try:
            return process.judge(*case, timeout=timeout)
        finally:
            idle.put(process)

    with ExitStack() as stack:
        for _ in range(n_jobs):
            idle.put(stack.enter_context(closing(JudgeProcess())))
        return list(stack.enter_context(ThreadPoolExecutor(n_jobs)).map(judge_case, cases))


def truth_sizes(names: Sequence[str], n_jobs: int) -> dict[str, int]:
    """Nodes of each true equation, without those that the judge cannot simplify in time."""
    problems = [problem for problem in load_suite("ground-truth") if problem.name in names]
    verdicts = judge_many([(problem.formula or "", problem, 1.0) for problem in problems], n_jobs)
    sized = zip(problems, verdicts, strict=True)
    return {problem.name: verdict.complexity for problem, verdict in sized if verdict.complexity is not None}


def comparison(rows: Sequence[Row], sizes: dict[str, int]) -> str:
    """Format one line for a noise level."""
    pairs = [
        (row.complexity, sizes[row.problem])
        for row in rows
        if row.solved_srbench and row.complexity is not None and row.problem in sizes
    ]
    if not pairs:
        return "nothing was solved"
    found, truths = zip(*pairs, strict=True)
    n_longer = sum(size > truth + 1 for size, truth in pairs)
    return (
        f"{len(pairs)} solved, median size {median(found):g}, of their truths {median(truths):g}; "
        f"{n_longer} are longer by more than 1"
    )


def main() -> None:
    """Print the comparison for all noise levels in the stores."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stores", nargs="+", metavar="STORE")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    arguments = parser.parse_args()
    rows = read_results(arguments.stores).rows
    sizes = truth_sizes([row.problem for row in rows if row.solved_srbench], arguments.jobs)
    for noise in sorted({row.noise for row in rows}):
        print(f"noise {noise:g}: {comparison([row for row in rows if row.noise == noise], sizes)}")


if __name__ == "__main__":
    main()
