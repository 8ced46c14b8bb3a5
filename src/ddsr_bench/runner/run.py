"""Do the runs that are missing in a store, each in its own process."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path

from ddsr.errors import BenchError, DeviceError
from ddsr.storage.version import ddsr_version
from ddsr_bench.judge.judge import TIMEOUT_S
from ddsr_bench.problems.suites import BenchmarkProblem
from ddsr_bench.runner.cluster import Workers
from ddsr_bench.runner.identity import check_identities, identity_of
from ddsr_bench.runner.methods import canonical_name
from ddsr_bench.runner.one import OWN_METHODS, Limits, Task
from ddsr_bench.runner.saved_runs import forget
from ddsr_bench.runner.starts import Start, describe_commit, record_start, today
from ddsr_bench.runner.store import Row, Store, budget_text
from ddsr_bench.runner.workers import LocalWorkers

# A run is killed after SLACK times its time limit plus GRACE_S, since a search must finish its epoch.
SLACK = 1.2
GRACE_S = 120.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Every problem with every method, noise level and trial."""

    problems: Sequence[BenchmarkProblem]
    methods: Sequence[str]
    noises: Sequence[float] = (0.0,)
    trials: int = 1
    first_seed: int = 0
    template: Task
    """settings of all runs; problem, method, noise and seed are replaced"""
    timeout: float | None = None
    """seconds until a run is killed; the default depends on the time limit, if there is one"""
    memory: float | None = None
    """memory limit of a run in GiB"""
    judge_timeout: float = TIMEOUT_S
    command: str | None = None
    """command line to record in the store"""

    @cached_property
    def identities(self) -> dict[str, str]:
        """The identity of each problem by its name."""
        folder = Path(self.template.data_dir) if self.template.data_dir else None
        return {problem.name: identity_of(problem, folder) for problem in self.problems}

    @property
    def seeds(self) -> range:
        """The seeds of the trials."""
        return range(self.first_seed, self.first_seed + self.trials)

    def tasks(self) -> list[Task]:
        """Return all runs, trial by trial, so that a stopped benchmark has runs of every problem."""
        return [
            replace(
                self.template,
                problem=problem,
                problem_id=self.identities[problem.name],
                method=method,
                noise=noise,
                seed=seed,
            )
            for seed, noise, method, problem in product(self.seeds, self.noises, self.methods, self.problems)
        ]

    @property
    def limits(self) -> Limits:
        """The limits of each run."""
        seconds = self.timeout
        if seconds is None and self.template.time is not None:
            seconds = SLACK * self.template.time + GRACE_S
        return Limits(seconds=seconds, gib=self.memory, judge_s=self.judge_timeout)


def missing_tasks(plan: Plan, store: Store) -> list[Task]:
    """Return the runs without a row in the store; refuse a store with other problems or limits."""
    rows = store.read().rows
    if plan.template.factory == OWN_METHODS:  # rows of earlier versions may have longer names
        rows = [replace(row, method=canonical_name(row.method)) for row in rows]
    check_identities(rows, plan.identities, store.path)
    check_budget(plan, rows, store)
    done = {row.key for row in rows}
    return [task for task in plan.tasks() if task.key not in done]


def check_budget(plan: Plan, rows: Sequence[Row], store: Store) -> None:
    """Refuse to mix runs of a method with different limits, since one rate would include both."""
    asked = budget_text(plan.template.time, plan.template.epochs)
    for row in rows:
        if row.method in plan.methods and row.budget not in (None, asked):
            raise BenchError(
                f"{store.path} has runs of {row.method} with {row.budget}, but now {asked or 'no limit'} is "
                "requested: pass the same --time and --epochs, or use another store"
            )


def run_missing(plan: Plan, store: Store, workers: Workers | None = None) -> Generator[Row, None, None]:
    """Do the missing runs, and yield each row after it is stored. Runs that are stopped are not stored."""
    workers = workers or LocalWorkers(1)
    with store.locked():
        tasks = missing_tasks(plan, store)
        if tasks and plan.command is not None:
            start = Start(
                command=plan.command,
                commit=describe_commit(),
                version=ddsr_version(),
                machines=workers.machines(),
                day=today(),
            )
            record_start(store.path.parent, start)
        with closing(workers.rows(tasks, plan.limits)) as rows:
            for row in rows:
                if row.error is not None and f"{DeviceError.__name__}: " in row.error:
                    raise BenchError(f"stopped at {row.problem}, which is not stored: {row.error}")
                store.append(row)
                if plan.template.runs_dir is not None:
                    forget(Path(plan.template.runs_dir), row.key)
                yield row
