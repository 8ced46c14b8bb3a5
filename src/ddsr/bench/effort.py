"""What a benchmark spent beside its searches: its own cost a run, and how busy the processors were."""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from ddsr.bench.store import Row


def _children_cpu_s() -> float:
    """Of all processes that were started here and have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass
class Effort:
    """Begins when it is made, and ends when `report` is asked for; the runs' processes have ended then."""

    n_slots: int
    threads: int
    is_here: bool = True
    """whether the runs are processes of this machine; elsewhere only their rows tell what they used"""
    _began: float = field(default_factory=time.perf_counter)
    _cpu_s: float = field(default_factory=_children_cpu_s)

    def report(self, rows: Sequence[Row]) -> str:
        """In a line: time beside fitting and judging, a run; share of the slots' processors in use."""
        elapsed = time.perf_counter() - self._began
        busy_s = sum(row.wall_s + (row.judge_s or 0.0) for row in rows)
        n_runs = len(rows)
        overhead = max(0.0, elapsed * min(self.n_slots, n_runs) - busy_s) / n_runs
        judged = sum(row.judge_s or 0.0 for row in rows) / n_runs
        return (
            f"{n_runs} runs in {elapsed:.1f} s, {self.n_slots} at a time: a run took {overhead:.2f} s beside "
            f"its search, and {judged:.2f} s to judge; {self._busy(rows, elapsed)}"
        )

    def _busy(self, rows: Sequence[Row], elapsed: float) -> str:
        available = elapsed * self.n_slots * self.threads
        if self.is_here:
            return f"processors {(_children_cpu_s() - self._cpu_s) / available:.0%} busy"
        searching = sum(row.cpu_s or 0.0 for row in rows)
        n_unknown = sum(row.cpu_s is None for row in rows)
        unknown = f", those of {n_unknown} runs that failed not counted" if n_unknown else ""
        return f"the searches alone kept the workers' processors {searching / available:.0%} busy{unknown}"
