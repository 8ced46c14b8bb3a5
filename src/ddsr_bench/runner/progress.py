"""How a benchmark is getting on: a table that stays in place on a terminal, lines elsewhere."""

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
from ddsr_bench.runner.store import Key, Row

REFRESHES_PER_S = 4
MOST_RUNNING = 16
"""maximum number of current runs to list"""


class BenchmarkProgress:
    """Progress: finished and current runs, errors, and remaining time."""

    def __init__(self, n_total: int, workers: Workers) -> None:
        self.n_total = n_total
        self.rows: list[Row] = []
        self._workers = workers
        self._began = time.monotonic()
        self._n_done: Counter[str] = Counter()
        self._n_solved: Counter[str] = Counter()
        self._n_failed: Counter[str] = Counter()

    def take(self, row: Row) -> None:
        """Take a finished run."""
        self.rows.append(row)
        self._n_done[row.method] += 1
        self._n_solved[row.method] += bool(row.solved_srbench)
        self._n_failed[row.method] += row.error is not None

    @property
    def n_done(self) -> int:
        """Number of finished runs."""
        return len(self.rows)

    @property
    def seconds_left(self) -> float | None:
        """Estimated remaining time; None before the first run is finished."""
        if not self.n_done:
            return None
        return (time.monotonic() - self._began) / self.n_done * (self.n_total - self.n_done)

    def headline(self) -> str:
        """Summarise the progress in one line."""
        left = "" if self.seconds_left is None else f", about {clock(self.seconds_left)} left"
        elapsed = clock(time.monotonic() - self._began)
        n_failed = self._n_failed.total()
        return f"{self.n_done}/{self.n_total} runs done, {n_failed} with errors, {elapsed} so far{left}"

    def __rich__(self) -> Group:
        """Render the present state; rich calls this at every refresh."""
        methods = Table("method", "done", "solved", "errors", box=None)
        for method, n_done in sorted(self._n_done.items()):
            counts = (n_done, self._n_solved[method], self._n_failed[method])
            methods.add_row(Text(printable(method)), *map(str, counts))
        running = Table("running now", "for", box=None)
        now, in_flight = time.monotonic(), self._workers.running()
        for key, since in sorted(in_flight.items(), key=lambda item: item[1])[:MOST_RUNNING]:
            running.add_row(Text(name_of(key)), clock(now - since))
        hidden = len(in_flight) - MOST_RUNNING
        more = [Text(f"and {hidden} more")] if hidden > 0 else []
        return Group(Text(self.headline()), methods, running, *more)


def show(console: Console, board: BenchmarkProgress, rows: Iterable[Row]) -> None:
    """Show rows as they arrive. On a terminal, only runs with errors get their own line."""
    if not console.is_terminal:
        for row in rows:
            board.take(row)
            _print(console, f"{board.n_done}/{board.n_total} {describe(row)}")
        return
    with Live(board, console=console, refresh_per_second=REFRESHES_PER_S):
        for row in rows:
            board.take(row)
            if row.error is not None:
                _print(console, describe(row))


def describe(row: Row) -> str:
    """Describe a run in one line."""
    if row.r2_test is None and row.expression is None:
        return f"{name_of(row.key)}: {row.error}"
    known = {True: "solved, ", False: "not solved, ", None: ""}[row.solved_srbench]
    accuracy = "R² not finite" if row.r2_test is None else f"R² {row.r2_test:.6f}"
    model = row.simplified or row.expression or f"a model of {row.complexity} nodes"
    return f"{name_of(row.key)}: {known}{accuracy}, {row.wall_s:.1f} s: {model}"


def name_of(key: Key) -> str:
    """Return the name of a run."""
    return printable(f"{key.problem} {key.method} noise={key.noise:g} seed={key.seed}")


def clock(seconds: float) -> str:
    """Format seconds as 1:02:03, or 02:03 below an hour."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def _print(console: Console, line: str) -> None:
    console.print(Text(printable(line)), soft_wrap=True)
