"""What a benchmark spent beside its searches: its own cost a run, and how busy the processors were."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from ddsr_bench.runner.cluster import Workers
from ddsr_bench.runner.store import Row


@dataclass
class Effort:
    """Begins when it is made, and ends when `report` is asked for; the runs' processes have ended then."""

    workers: Workers
    threads: int
    _began: float = field(default_factory=lambda: time.perf_counter())
    _cpu_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._cpu_s = self.workers.cpu_s()

    def report(self, rows: Sequence[Row]) -> str:
        """In a line: time beside fitting and judging, a run; share of the slots' processors in use."""
        elapsed, n_slots = time.perf_counter() - self._began, self.workers.n_slots
        busy_s = sum(row.wall_s + (row.judge_s or 0.0) for row in rows)
        n_runs = len(rows)
        overhead = max(0.0, elapsed * min(n_slots, n_runs) - busy_s) / n_runs
        judged = sum(row.judge_s or 0.0 for row in rows) / n_runs
        share = (self.workers.cpu_s() - self._cpu_s) / (elapsed * n_slots * self.threads)
        return (
            f"{n_runs} runs in {elapsed:.1f} s, {n_slots} at a time: a run took {overhead:.2f} s beside "
            f"its search, and {judged:.2f} s to judge; processors {share:.0%} busy"
        )
