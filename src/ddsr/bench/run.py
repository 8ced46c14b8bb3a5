"""Many runs, each in its own process, a few at a time; what is in the store is not done again."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from queue import SimpleQueue

from ddsr.bench.judge import TIMEOUT_S, JudgeProcess
from ddsr.bench.one import MARK, Outcome, Task
from ddsr.bench.problems import Problem
from ddsr.bench.store import Key, Row, Store

# Every library that starts threads of its own has its own variable.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
GRACE_S = 120.0
"""over the time that it was given, after which a run counts as hung"""
LONGEST_REASON = 500


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Every problem with every method, noise level and trial."""

    problems: Sequence[Problem]
    methods: Sequence[str]
    noises: Sequence[float] = (0.0,)
    trials: int = 1
    template: Task
    """what all runs share; its problem, method, noise and seed are replaced"""
    timeout: float | None = None
    """seconds until a run is killed; by default its time and two minutes, or none without a time"""
    judge_timeout: float = TIMEOUT_S

    def tasks(self) -> list[Task]:
        """All runs, trial by trial, so that a run that is stopped has seen every problem."""
        return [
            replace(self.template, problem=problem, method=method, noise=noise, seed=seed)
            for seed, noise, method, problem in product(
                range(self.trials), self.noises, self.methods, self.problems
            )
        ]

    @property
    def longest_s(self) -> float | None:
        """After which a run is killed."""
        if self.timeout is not None or self.template.time is None:
            return self.timeout
        return self.template.time + GRACE_S


def missing_tasks(plan: Plan, store: Store) -> list[Task]:
    """The runs of a plan that the store has no row of."""
    done = {row.key for row in store.read().rows}
    return [task for task in plan.tasks() if key_of(task) not in done]


def key_of(task: Task) -> Key:
    """Which run a task is."""
    return Key(task.problem.name, task.method, task.noise, task.seed)


def run_missing(plan: Plan, store: Store, n_jobs: int = 1) -> Iterator[Row]:
    """Do what is missing, `n_jobs` runs at a time; yield each row once it is stored."""
    judges: SimpleQueue[JudgeProcess] = SimpleQueue()
    for _ in range(n_jobs):
        judges.put(JudgeProcess())

    def run_and_judge(task: Task) -> Row:
        judge = judges.get()
        try:
            return _judged(task, plan, judge)
        finally:
            judges.put(judge)

    threads = ThreadPoolExecutor(n_jobs)
    try:
        futures = [threads.submit(run_and_judge, task) for task in missing_tasks(plan, store)]
        for future in as_completed(futures):
            row = future.result()
            store.append(row)
            yield row
    finally:
        threads.shutdown(wait=True, cancel_futures=True)
        for _ in range(n_jobs):
            judges.get().close()


def _judged(task: Task, plan: Plan, judge: JudgeProcess) -> Row:
    began = time.perf_counter()
    outcome, reason = run_process(task, plan.longest_s)
    unsolved = None if task.problem.formula is None else False
    row = Row(
        **key_of(task)._asdict(),
        wall_s=time.perf_counter() - began,
        solved_srbench=unsolved,
        solved_paper=unsolved,
        threads=task.threads,
        host=platform.node(),
        version=_version(),
        error=reason,
    )
    if outcome is None:
        return row
    verdict = judge.judge(outcome.expression, task.problem, outcome.r2_test, plan.judge_timeout)
    measured = {**asdict(outcome), **asdict(verdict)}
    # JSON knows no infinity, which R² is where a prediction is.
    measured |= {key: None for key in ("r2_train", "r2_test") if not math.isfinite(measured[key])}
    measured["error"] = f"judge: {verdict.error}" if verdict.error else None
    return replace(row, **measured)


def run_process(task: Task, timeout: float | None) -> tuple[Outcome | None, str | None]:
    """What a run gives, or why it gives nothing."""
    environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(task.threads))}
    command = [sys.executable, "-m", "ddsr.bench.one"]
    request = json.dumps(asdict(task))
    try:
        done = subprocess.run(
            command, input=request, capture_output=True, text=True, timeout=timeout, env=environment
        )
    except subprocess.TimeoutExpired:
        return None, f"timeout: killed after {timeout:g} s"
    for line in reversed(done.stdout.splitlines()):
        if line.startswith(MARK):
            return Outcome(**json.loads(line.removeprefix(MARK))), None
    last_words = done.stderr.strip().splitlines()[-1:] or [""]
    end = f"killed by signal {-done.returncode}" if done.returncode < 0 else f"exit status {done.returncode}"
    return None, f"{end}: {last_words[0]}"[:LONGEST_REASON].rstrip(": ")


@cache
def _version() -> str:
    try:
        return version("ddsr")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0+unknown"
