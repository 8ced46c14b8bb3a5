"""Runs on a cluster of dask's workers; their rows come back to the one store.

Each run is a task, which starts the same processes on a worker that a slot starts here. A worker that dies
costs its runs in flight, which dask gives to another.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeAlias
from uuid import uuid4

from ddsr.errors import BenchError
from ddsr_bench.runner.machine import Machine, describe_machine
from ddsr_bench.runner.one import Task
from ddsr_bench.runner.slot import Limits, Slot
from ddsr_bench.runner.store import Key, Row
from ddsr_bench.runner.verdicts import row_of
from ddsr_bench.runner.workers import LocalWorkers, children_cpu_s

LOCAL = "local:"
CONNECT_S = 10

# The slots at work in this process, by the runner that they work for: a runner that stops ends its own.
SLOTS_AT_WORK: dict[str, set[Slot]] = {}


def perform_on_worker(task: Task, limits: Limits, runner: str) -> Row:
    """What dask calls on a worker."""
    slot = Slot()
    SLOTS_AT_WORK.setdefault(runner, set()).add(slot)
    try:
        return slot.perform(task, limits)
    finally:
        SLOTS_AT_WORK[runner].discard(slot)
        slot.close()


def stop_runs(runner: str) -> None:
    """End a runner's runs on this worker."""
    for slot in list(SLOTS_AT_WORK.get(runner, ())):
        slot.stop()


class ClusterWorkers:
    """The workers behind a scheduler's address, or so many of one's own with `local:N`."""

    def __init__(self, address: str) -> None:
        self._client = connect(address)
        self.n_slots = sum(self._client.nthreads().values())
        self._runner = uuid4().hex
        self._keys: dict[str, Key] = {}
        self._since: dict[str, float] = {}

    def rows(self, tasks: Sequence[Task], limits: Limits) -> Generator[Row, None, None]:
        """Each run's row when it ends."""
        from distributed import as_completed

        names = [f"{self._runner}-{number}" for number in range(len(tasks))]
        self._keys = dict(zip(names, (task.key for task in tasks), strict=True))
        by_name = dict(zip(names, tasks, strict=True))
        futures = self._client.map(
            perform_on_worker, tasks, limits=limits, runner=self._runner, key=names, pure=False
        )
        try:
            for future in as_completed(futures):
                self._keys.pop(future.key)
                failed = future.exception()
                yield future.result() if failed is None else _lost(by_name[future.key], failed)
        finally:
            self._client.cancel(futures)
            self._client.run(stop_runs, self._runner)

    def machines(self) -> tuple[Machine, ...]:
        """Those of the workers that are there now."""
        found = {machine.host: machine for machine in self._client.run(describe_machine).values()}
        return tuple(machine for _, machine in sorted(found.items()))

    def cpu_s(self) -> float:
        """What the workers' own processes have used; that of a worker that died is lost with it."""
        return float(sum(self._client.run(children_cpu_s).values()))

    def running(self) -> Mapping[Key, float]:
        """The runs that the scheduler has given to a worker, and since when this is known."""
        given = {name for names in self._client.processing().values() for name in names}
        self._since = {name: self._since.get(name, time.monotonic()) for name in given & self._keys.keys()}
        return {self._keys[name]: since for name, since in self._since.items() if name in self._keys}

    def close(self) -> None:
        """Leave the cluster; workers of one's own end."""
        cluster = self._client.cluster
        self._client.close()
        if cluster is not None:
            cluster.close()


Workers: TypeAlias = LocalWorkers | ClusterWorkers
"""where runs happen"""


def connect(address: str) -> Any:
    """A client of the cluster."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise BenchError("--cluster needs Dask: pip install 'ddsr[cluster]'") from error
    if not address.startswith(LOCAL):
        try:
            return Client(address, timeout=CONNECT_S)
        except (OSError, ValueError) as error:
            raise BenchError(f"no Dask scheduler answers at {address}: {error}") from error
    n_workers = address.removeprefix(LOCAL)
    if not n_workers.isdecimal() or int(n_workers) < 1:
        raise BenchError(f"--cluster local:N needs a number of workers, not {n_workers!r}")
    cluster = LocalCluster(n_workers=int(n_workers), threads_per_worker=1, dashboard_address=None)
    return Client(cluster)


def _lost(task: Task, error: BaseException) -> Row:
    """The row of a run that dask gave up: every worker that had it died."""
    return row_of(task, 0.0, f"cluster: {type(error).__name__}: {error}"[:500], host="")
