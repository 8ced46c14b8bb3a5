"""Run a benchmark on the workers of a Dask cluster.

Each run is a Dask task, which starts the same processes on its worker as a local run. If a worker dies, Dask
moves its current runs to another worker.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeAlias
from uuid import uuid4

from ddsr.errors import BenchError
from ddsr_bench.runner.one import Limits, Task
from ddsr_bench.runner.slot import Slot, row_of
from ddsr_bench.runner.starts import Machine, describe_machine
from ddsr_bench.runner.store import Key, Row
from ddsr_bench.runner.workers import LocalWorkers, children_cpu_s

LOCAL = "local:"
CONNECT_S = 10

# The slots in use in this process, by runner, since a runner that stops ends only its own slots.
SLOTS_IN_USE: dict[str, set[Slot]] = {}


def perform_on_worker(task: Task, limits: Limits, runner: str) -> Row:
    """Perform a task; Dask calls this on a worker."""
    slot = Slot()
    SLOTS_IN_USE.setdefault(runner, set()).add(slot)
    try:
        return slot.perform(task, limits)
    finally:
        SLOTS_IN_USE[runner].discard(slot)
        slot.close()


def stop_runs(runner: str) -> None:
    """End the runs of a runner on this worker."""
    for slot in list(SLOTS_IN_USE.get(runner, ())):
        slot.stop()


class ClusterWorkers:
    """The workers of a Dask scheduler, or N new ones with `local:N`."""

    def __init__(self, address: str) -> None:
        self._client = connect(address)
        self.n_slots = sum(self._client.nthreads().values())
        self._runner = uuid4().hex
        self._keys: dict[str, Key] = {}
        self._since: dict[str, float] = {}

    def rows(self, tasks: Sequence[Task], limits: Limits) -> Generator[Row, None, None]:
        """Yield the row of each run when it ends."""
        from distributed import as_completed

        by_name = {f"{self._runner}-{number}": task for number, task in enumerate(tasks)}
        self._keys = {name: task.key for name, task in by_name.items()}
        futures = self._client.map(
            perform_on_worker, tasks, limits=limits, runner=self._runner, key=list(by_name), pure=False
        )
        try:
            for future in as_completed(futures):
                self._keys.pop(future.key)
                error = future.exception()
                if error is None:
                    yield future.result()
                else:  # every worker that had the run died
                    reason = f"cluster: {type(error).__name__}: {error}"[:500]
                    yield row_of(by_name[future.key], 0.0, reason, host="")
        finally:
            self._client.cancel(futures)
            self._client.run(stop_runs, self._runner)

    def machines(self) -> tuple[Machine, ...]:
        """Return the machines of the current workers."""
        found = {machine.host: machine for machine in self._client.run(describe_machine).values()}
        return tuple(machine for _, machine in sorted(found.items()))

    def cpu_s(self) -> float:
        """Return the processor time of the workers' processes, without workers that died."""
        return float(sum(self._client.run(children_cpu_s).values()))

    def running(self) -> Mapping[Key, float]:
        """Return the runs on workers, and the times when they were first seen."""
        given = {name for names in self._client.processing().values() for name in names}
        self._since = {name: self._since.get(name, time.monotonic()) for name in given & self._keys.keys()}
        return {self._keys[name]: since for name, since in self._since.items() if name in self._keys}

    def close(self) -> None:
        """Leave the cluster, and end the workers of `local:N`."""
        cluster = self._client.cluster
        self._client.close()
        if cluster is not None:
            cluster.close()


Workers: TypeAlias = LocalWorkers | ClusterWorkers


def connect(address: str) -> Any:
    """Return a Dask client."""
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
    return Client(LocalCluster(n_workers=int(n_workers), threads_per_worker=1, dashboard_address=None))
