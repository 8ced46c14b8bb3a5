"""Implementation of `ddsr bench run`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.text import Text

from ddsr.data.printable import printable
from ddsr.errors import BenchError, nearest_names
from ddsr.search.presets import parse_method, settings
from ddsr.storage.version import ddsr_version
from ddsr_bench.peers import PEERS
from ddsr_bench.problems.suites import BenchmarkProblem, load_suites
from ddsr_bench.problems.trial import data_path
from ddsr_bench.problems.units import with_units
from ddsr_bench.runner.cluster import LOCAL, ClusterWorkers, Workers
from ddsr_bench.runner.curves import FOLDER as CURVES
from ddsr_bench.runner.identity import no_identity_warning
from ddsr_bench.runner.methods import check_method
from ddsr_bench.runner.one import OWN_METHODS, Task
from ddsr_bench.runner.progress import BenchmarkProgress, show
from ddsr_bench.runner.run import Plan, missing_tasks, run_missing
from ddsr_bench.runner.saved_runs import FOLDER as RUNS
from ddsr_bench.runner.stack_slot import StackSlot
from ddsr_bench.runner.starts import command_text
from ddsr_bench.runner.store import Store, other_versions_warning
from ddsr_bench.runner.workers import LocalWorkers
from ddsr_bench.stacking.support import MAX_TOKENS


@dataclass(frozen=True, kw_only=True)
class SuiteRun:
    """The options of `ddsr bench run`; `ddsr_bench/cli.py` describes them."""

    suites: Sequence[str]
    methods: Sequence[str]
    noises: Sequence[float] = (0.0,)
    names: Sequence[str] = ()
    draw: int | None = None
    draw_seed: int = 0
    trials: int
    first_seed: int = 0
    seconds: float | None
    epochs: int | None
    jobs: int
    stack: int | None = None
    threads: int
    device: str
    units: str | None = None
    memory: float | None = None
    cluster: str | None = None
    data: str | None = None
    store: str
    factory: str = OWN_METHODS

    def checked(self) -> SuiteRun:
        """Return the run without duplicates; refuse unknown methods and options that cannot be combined."""
        if self.seconds is None and self.epochs is None:
            raise BenchError("a search needs a limit: pass --time or --epochs")
        methods = self.methods
        if self.factory == OWN_METHODS:  # report an unknown name now instead of in every row
            methods = [check_method(method) for method in methods]
        methods = tuple(dict.fromkeys(methods))
        if self.stack is not None:
            check_stack(methods, self.seconds, self.memory, self.cluster)
        return replace(self, methods=methods, noises=tuple(dict.fromkeys(self.noises)))

    def problems(self) -> tuple[BenchmarkProblem, ...]:
        """Return the chosen problems of the suites; refuse problems whose data are missing."""
        problems = named_problems(load_suites(self.suites), self.names)
        if self.draw is not None:
            problems = draw_problems(problems, self.draw, self.draw_seed)
        if self.units is not None:
            problems = with_units(problems, Path(self.units))
        for problem in problems:
            if problem.source != "uniform":  # report missing data now instead of in every row
                data_path(problem, Path(self.data) if self.data else None)
        return problems

    def plan(self) -> Plan:
        """Return all runs."""
        problems = self.problems()
        return Plan(
            problems=problems,
            methods=tuple(self.methods),
            noises=tuple(self.noises),
            trials=self.trials,
            first_seed=self.first_seed,
            template=self._first_task(problems[0]),
            memory=self.memory,
            command=self._command(),
        )

    def _first_task(self, problem: BenchmarkProblem) -> Task:
        # Runs with a time limit are not saved, since saving would take part of the time.
        is_saved = self.seconds is None and self.factory == OWN_METHODS
        return Task(
            problem=problem,
            method=self.methods[0],
            noise=0.0,
            seed=0,
            time=self.seconds,
            epochs=self.epochs,
            threads=self.threads,
            device=self.device,
            data_dir=self.data,
            factory=self.factory,
            curves_dir=str(Path(self.store) / CURVES),
            runs_dir=str(Path(self.store) / RUNS) if is_saved else None,
        )

    def _command(self) -> str:
        """Return the equivalent command without addresses and paths, which are private."""
        is_public = self.cluster is None or self.cluster.startswith(LOCAL)
        options = {
            "suite": tuple(Path(suite).name for suite in dict.fromkeys(self.suites)),
            "problem": tuple(dict.fromkeys(self.names)) or None,
            "draw": self.draw,
            "draw-seed": self.draw_seed or None,
            "method": self.methods,
            "noise": self.noises,
            "trials": self.trials,
            "first-seed": self.first_seed or None,
            "time": self.seconds,
            "epochs": self.epochs,
            "threads": self.threads,
            "device": self.device,
            "units": Path(self.units).name if self.units else None,
            "memory": self.memory,
            "data": "DIR" if self.data else None,
            "store": "DIR",
            "jobs": self.jobs if self.cluster is None else None,
            "cluster": self.cluster if is_public else "ADDRESS",
            "stack": self.stack,
        }
        return command_text(options)

    def workers(self, problems: Sequence[BenchmarkProblem], console: Console) -> Workers:
        """Return the workers that perform the runs."""
        if self.cluster is not None:
            return ClusterWorkers(self.cluster)
        if self.stack is None:
            return LocalWorkers(self.jobs)
        vocab_size = vocab_size_of(self.methods, problems)
        make_slot = partial(StackSlot, self.stack, vocab_size, partial(_warn, console))
        return LocalWorkers(self.jobs, make_slot, self.stack)


def run_suite(console: Console, asked: SuiteRun) -> None:
    """Do the missing runs and report each of them. Duplicates on the command line run once."""
    asked = asked.checked()
    plan, results = asked.plan(), Store(Path(asked.store))
    n_missing = _report_missing(console, plan, results)
    if not n_missing:
        return
    workers = asked.workers(plan.problems, console)
    try:
        _run(console, plan, results, workers, n_missing)
    finally:
        workers.close()


def _report_missing(console: Console, plan: Plan, store: Store) -> int:
    """Report the contents of the store, and return the number of missing runs."""
    rows, warnings = store.read()
    names = [problem.name for problem in plan.problems]
    for warning in (
        *warnings,
        other_versions_warning(rows, ddsr_version()),
        no_identity_warning(rows, names),
    ):
        if warning is not None:
            _warn(console, warning)
    n_all, n_missing = len(plan.tasks()), len(missing_tasks(plan, store))
    held = f"{n_missing} runs to do, {n_all - n_missing} of {n_all} are in {store.path}"
    console.print(Text(printable(held)), soft_wrap=True)
    return n_missing


def _run(console: Console, plan: Plan, store: Store, workers: Workers, n_missing: int) -> None:
    board = BenchmarkProgress(n_missing, workers)
    rows = run_missing(plan, store, workers)
    try:
        show(console, board, rows)
    except KeyboardInterrupt:
        rows.close()
        console.print(
            f"stopped: {len(board.rows)} runs were stored, unfinished ones were not; "
            "run the same command to resume",
            soft_wrap=True,
        )
        raise
    console.print(board.cost(plan.template.threads), soft_wrap=True, highlight=False, markup=False)


def _warn(console: Console, line: str) -> None:
    console.print(Text(printable(line), style="yellow"), soft_wrap=True)


def check_stack(
    methods: Sequence[str], seconds: float | None, memory: float | None, cluster: str | None
) -> None:
    """Refuse options that cannot be combined with `--stack`."""
    for method in methods:
        parsed = None if method in PEERS else parse_method(method)
        changed = set() if parsed is None else {name for name, _ in parsed.changes}
        if parsed is None or parsed.preset != "paper" or changed & {"generator", "start", "steps"}:
            raise BenchError(
                "--stack supports only the preset paper with its masked generator, random start and all "
                f"steps, not {method}: run it without --stack"
            )
    for option, value in {"--time": seconds, "--memory": memory, "--cluster": cluster}.items():
        if value is not None:
            raise BenchError(f"--stack cannot be combined with {option}: runs in a stack wait for each other")


def vocab_size_of(methods: Sequence[str], problems: Sequence[BenchmarkProblem]) -> int:
    """Return the size of the largest vocabulary in a stack; problems with a larger one run alone."""
    most = max(
        len(settings(parse_method(method)).vocabulary(problem.variables))
        for method in methods
        for problem in problems
    )
    return min(most, MAX_TOKENS)


def named_problems(
    problems: Sequence[BenchmarkProblem], names: Sequence[str]
) -> tuple[BenchmarkProblem, ...]:
    """Return the problems with these names in the order of the suite; all if no name is given."""
    known = [problem.name for problem in problems]
    for name in names:
        if name not in known:
            alike = nearest_names(name, known, n=3)
            hint = f"; did you mean {' or '.join(alike)}?" if alike else ""
            raise BenchError(f"the suite has no problem {name!r}{hint}")
    return tuple(problem for problem in problems if not names or problem.name in names)


def draw_problems(problems: Sequence[BenchmarkProblem], n: int, seed: int) -> tuple[BenchmarkProblem, ...]:
    """Draw a random part of a suite, in the order of the suite."""
    if n > len(problems):
        raise BenchError(f"the suite has {len(problems)} problems; cannot draw {n} of them")
    rows = np.sort(np.random.default_rng(seed).choice(len(problems), size=n, replace=False))
    return tuple(problems[row] for row in rows)
