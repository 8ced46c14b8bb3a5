"""Run a benchmark on this machine, several runs at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue

from ddsr_bench.runner.one import Limits, Task
from ddsr_bench.runner.slot import RunPlace, Slot
from ddsr_bench.runner.starts import Machine, describe_machine
from ddsr_bench.runner.store import Key, Row


def children_cpu_s() -> float:
    """Return the processor time of all ended child processes and their children."""
    try:
        import resource
    except ImportError:  # Windows, which does not count the time of children
        used = os.times()
        return used.children_user + used.children_system
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class LocalWorkers:
    """`n_jobs` slots on this machine, each for `n_places` runs at a time."""

    def __init__(self, n_jobs: int, make_slot: Callable[[], RunPlace] = Slot, n_places: int = 1) -> None:
        self.n_slots = n_jobs * n_places
        self._n_jobs, self._make_slot, self._n_places = n_jobs, make_slot, n_places
        self._running: dict[Key, float] = {}

    def rows(self, tasks: Sequence[Task], limits: Limits) -> Generator[Row, None, None]:
        """Yield the row of each run when it ends."""
        slots = [self._make_slot() for _ in range(min(self._n_jobs, max(1, len(tasks))))]
        idle: SimpleQueue[RunPlace] = SimpleQueue()
        for slot in slots * self._n_places:  # so that few runs use all slots
            idle.put(slot)

        def perform(task: Task) -> Row:
            slot, key = idle.get(), task.key
            self._running[key] = time.monotonic()
            try:
                return slot.perform(task, limits)
            finally:
                del self._running[key]
                idle.put(slot)

        threads = ThreadPoolExecutor(len(slots) * self._n_places)
        try:
            for future in as_completed([threads.submit(perform, task) for task in tasks]):
                yield future.result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            for slot in slots:
                slot.stop()
            threads.shutdown(wait=True)
            for slot in slots:
                slot.close()

    def machines(self) -> tuple[Machine, ...]:
        """Return this machine."""
        return (describe_machine(),)

    def cpu_s(self) -> float:
        """Return the processor time of the ended runs."""
        return children_cpu_s()

    def running(self) -> Mapping[Key, float]:
        """Return the current runs, and when they began."""
        return dict(self._running)

    def close(self) -> None:
        """Do nothing: between calls of `rows`, no processes are left."""
