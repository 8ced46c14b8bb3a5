"""A place where runs happen one after another, each watched, and judged when it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from ddsr_bench.judge.judge import TIMEOUT_S, JudgeProcess
from ddsr_bench.runner.methods import modules_of
from ddsr_bench.runner.one import OWN_METHODS, RunResult, Task
from ddsr_bench.runner.server import TERMINATED, TERMINATED_RUN
from ddsr_bench.runner.store import Row
from ddsr_bench.runner.verdicts import judged, row_of

# Every library that starts threads of its own has its own variable.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
BASE_MODULES = ("pandas", "sympy")
SERVER = "ddsr_bench.runner.server"
STOP_S = 2.0
"""seconds that the runner has to stop its slots after their processes were terminated"""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a run may take before it is killed, and its verdict before it is given up."""

    seconds: float | None = None
    gib: float | None = None
    """of resident memory, its descendants' included"""
    judge_s: float = TIMEOUT_S


class Stopped(Exception):
    """The run was ended together with its slot: there is nothing to record."""


class RunPlace(ABC):
    """Runs and judges tasks, one or several at a time, each asked for by a thread of the runner."""

    def __init__(self) -> None:
        self._judge, self._judging = JudgeProcess(), threading.Lock()
        self._stopped = threading.Event()

    def perform(self, task: Task, limits: Limits) -> Row:
        """Run a task and judge what it found."""
        began = time.perf_counter()
        outcome, reason = self.run(task, limits)
        row = row_of(task, time.perf_counter() - began, reason)
        if outcome is not None:
            with self._judging:
                row = judged(row, task, outcome, self._judge, limits.judge_s)
        if self._stopped.is_set():
            raise Stopped
        return row

    @abstractmethod
    def run(self, task: Task, limits: Limits) -> tuple[RunResult | None, str | None]:
        """What a run gives, or why it gives nothing."""

    @abstractmethod
    def _end_runs(self) -> None:
        """End the runs in flight, from any thread."""

    @abstractmethod
    def _end_processes(self) -> None:
        """End the processes that do the runs."""

    def stop(self) -> None:
        """End what is in flight, from any thread; `perform` raises `Stopped`. `close` comes after it."""
        self._stopped.set()
        self._end_runs()
        self._judge.kill()

    def close(self) -> None:
        """End all processes."""
        self._end_processes()
        self._judge.close()


class Slot(RunPlace):
    """One run at a time, in processes forked from one that has imported what they need."""

    def __init__(self) -> None:
        super().__init__()
        self._server: subprocess.Popen[str] | None = None
        self._threads = 0

    def run(self, task: Task, limits: Limits) -> tuple[RunResult | None, str | None]:
        """What a run gives, or why it gives nothing."""
        watch = {"seconds": limits.seconds, "gib": limits.gib}
        answer = self._ask({"task": asdict(task), "modules": modules_for(task), "watch": watch}, task.threads)
        if answer is None:
            self._leave_if_stopping(self._end_server() == TERMINATED)
            return None, "the process that starts runs ended, out of memory perhaps"
        outcome, reason = answer["outcome"], answer["reason"]
        self._leave_if_stopping(outcome is None and str(reason).startswith(TERMINATED_RUN))
        return (None if outcome is None else RunResult(**outcome)), reason

    def _end_runs(self) -> None:
        if self._server is not None:
            self._server.terminate()

    def _end_processes(self) -> None:
        self._end_server()

    def _leave_if_stopping(self, is_terminated: bool) -> None:
        """Raise `Stopped` if what was terminated was so together with the runner.

        A scheduler sends SIGTERM to all processes of a job, and the run's may end before the runner has
        stopped this slot: such a run has not failed.
        """
        if is_terminated and self._stopped.wait(STOP_S):
            raise Stopped

    def _ask(self, request: dict[str, object], threads: int) -> dict[str, Any] | None:
        """The server's answer; None if it ended."""
        if self._server is not None and threads != self._threads:
            self._end_server()
        if self._server is None:
            self._server = start_server(threads)
            self._threads = threads
        if self._stopped.is_set():
            raise Stopped
        assert self._server.stdin is not None and self._server.stdout is not None
        try:
            print(json.dumps(request), file=self._server.stdin, flush=True)
            line = self._server.stdout.readline()
        except BrokenPipeError:
            line = ""
        if self._stopped.is_set():
            raise Stopped
        answer: dict[str, Any] | None = json.loads(line) if line else None
        return answer

    def _end_server(self) -> int | None:
        """End the server, if there is one, and return its exit status."""
        if self._server is None:
            return None
        assert self._server.stdin is not None and self._server.stdout is not None
        with suppress(BrokenPipeError):
            self._server.stdin.close()  # which it takes as its end
        status = self._server.wait()
        self._server.stdout.close()
        self._server = None
        return status


def modules_for(task: Task) -> tuple[str, ...]:
    """What the process of a run imports before it."""
    return BASE_MODULES + (modules_of(task.method) if task.factory == OWN_METHODS else ())


def start_server(threads: int, module: str = SERVER, *arguments: str) -> subprocess.Popen[str]:
    """A process that does runs; libraries read how many threads they have when they start."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(threads))},
        start_new_session=True,  # Ctrl-C is for the runner, which ends its processes itself
    )
