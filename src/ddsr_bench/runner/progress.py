"""Progress of a benchmark: a table that is updated in place on a terminal, lines elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ddsr.data.printable import printable
from ddsr_bench.runner.cluster import Workers
from ddsr_bench.runner.store import Row

REFRESHES_PER_S = 4
MAX_RUNNING = 16
"""maximum number of current runs to list"""


class BenchmarkProgress:
    """The finished and current runs, errors, remaining time, and the cost of the runner itself."""

    def __init__(self, n_total: int, workers: Workers) -> None:
        self.n_total = n_total
        self.rows: list[Row] = []
        self._workers = workers
        self._began, self._cpu_s = time.monotonic(), workers.cpu_s()

    @property
    def seconds_left(self) -> float | None:
        """Estimated remaining time; None before the first run is finished."""
        if not self.rows:
            return None
        return self._elapsed / len(self.rows) * (self.n_total - len(self.rows))

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._began

    def headline(self) -> str:
        """Summarise the progress in one line."""
        left = "" if self.seconds_left is None else f", about {clock(self.seconds_left)} left"
        n_failed = sum(row.error is not None for row in self.rows)
        return (
            f"{len(self.rows)}/{self.n_total} runs done, {n_failed} with errors, "
            f"{clock(self._elapsed)} so far{left}"
        )

    def cost(self, threads: int) -> str:
        """Report the time per run outside fitting and judging, and the share of processor time used."""
        elapsed, n_slots, n_runs = self._elapsed, self._workers.n_slots, len(self.rows)
        judge_s = sum(row.judge_s or 0.0 for row in self.rows)
        busy_s = judge_s + sum(row.wall_s for row in self.rows)
        overhead = max(0.0, elapsed * min(n_slots, n_runs) - busy_s) / n_runs
        share = (self._workers.cpu_s() - self._cpu_s) / (elapsed * n_slots * threads)
        return (
            f"{n_runs} runs in {elapsed:.1f} s, {n_slots} at a time: per run, {overhead:.2f} s outside "
            f"the search and {judge_s / n_runs:.2f} s to judge; processors {share:.0%} busy"
        )

    def __rich__(self) -> Group:
        """Render the current state; rich calls this at every refresh."""
        methods = Table("method", "done", "solved", "errors", box=None)
        n_solved = Counter(row.method for row in self.rows if row.solved_srbench)
        n_failed = Counter(row.method for row in self.rows if row.error is not None)
        for method, n_done in sorted(Counter(row.method for row in self.rows).items()):
            counts = (n_done, n_solved[method], n_failed[method])
            methods.add_row(Text(printable(method)), *map(str, counts))
        running = Table("running now", "for", box=None)
        now, current = time.monotonic(), self._workers.running()
        for key, since in sorted(current.items(), key=lambda item: item[1])[:MAX_RUNNING]:
            running.add_row(Text(printable(str(key))), clock(now - since))
        hidden = len(current) - MAX_RUNNING
        more = [Text(f"and {hidden} more")] if hidden > 0 else []
        return Group(Text(self.headline()), methods, running, *more)


def show(console: Console, board: BenchmarkProgress, rows: Iterable[Row]) -> None:
    """Show rows as they arrive. On a terminal, only runs with errors get their own line."""
    if not console.is_terminal:
        for row in rows:
            board.rows.append(row)
            _print(console, f"{len(board.rows)}/{board.n_total} {describe(row)}")
        return
    with Live(board, console=console, refresh_per_second=REFRESHES_PER_S):
        for row in rows:
            board.rows.append(row)
            if row.error is not None:
                _print(console, describe(row))


def describe(row: Row) -> str:
    """Describe a run in one line."""
    run = printable(str(row.key))
    if row.r2_test is None and row.expression is None:
        return f"{run}: {row.error}"
    known = {True: "solved, ", False: "not solved, ", None: ""}[row.solved_srbench]
    accuracy = "R² not finite" if row.r2_test is None else f"R² {row.r2_test:.6f}"
    model = row.simplified or row.expression or f"a model of {row.complexity} nodes"
    return f"{run}: {known}{accuracy}, {row.wall_s:.1f} s: {model}"


def clock(seconds: float) -> str:
    """Format seconds as 1:02:03, or 02:03 below an hour."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def _print(console: Console, line: str) -> None:
    console.print(Text(printable(line)), soft_wrap=True)
