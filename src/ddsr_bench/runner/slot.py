"""A slot performs tasks one after another: it runs them within their limits, and judges the models."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from ddsr.errors import BenchError
from ddsr.storage.version import ddsr_version
from ddsr_bench.judge.judge import JudgeProcess
from ddsr_bench.judge.rules import Verdict
from ddsr_bench.runner.methods import modules_of
from ddsr_bench.runner.one import OWN_METHODS, Limits, RunResult, Task
from ddsr_bench.runner.server import TERMINATED, TERMINATED_RUN
from ddsr_bench.runner.store import Row

# Each library with its own threads has its own variable.
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
"""seconds in which the runner can stop its slots after their processes were terminated"""


class Stopped(Exception):
    """The run was stopped with its slot, so there is nothing to record."""


class RunPlace(ABC):
    """Performs tasks, one or several at a time; threads of the runner call it."""

    def __init__(self) -> None:
        self._judge, self._judging = JudgeProcess(), threading.Lock()
        self._stopped = threading.Event()

    def perform(self, task: Task, limits: Limits) -> Row:
        """Run a task and judge its model."""
        began = time.perf_counter()
        outcome, reason = self.run(task, limits)
        row = row_of(task, time.perf_counter() - began, reason)
        if outcome is not None:
            with self._judging:
                row = _judged(row, task, outcome, self._judge, limits.judge_s)
        if self._stopped.is_set():
            raise Stopped
        return row

    @abstractmethod
    def run(self, task: Task, limits: Limits) -> tuple[RunResult | None, str | None]:
        """Return the result of a run, or the reason why it has none."""

    @abstractmethod
    def _end_runs(self) -> None:
        """End the current runs, from any thread."""

    @abstractmethod
    def _end_processes(self) -> None:
        """End the processes that do the runs."""

    def stop(self) -> None:
        """End the current runs, from any thread: `perform` raises `Stopped`. Call `close` after it."""
        self._stopped.set()
        self._end_runs()
        self._judge.kill()

    def close(self) -> None:
        """End all processes."""
        self._end_processes()
        self._judge.close()


def row_of(task: Task, wall_s: float, reason: str | None, host: str | None = None) -> Row:
    """Return the row of a run without a result."""
    unsolved = None if task.problem.formula is None else False
    return Row(
        **task.key._asdict(),
        problem_id=task.problem_id,
        solved_srbench=unsolved,
        solved_paper=unsolved,
        wall_s=wall_s,
        time=task.time,
        epochs=task.epochs,
        threads=task.threads,
        host=platform.node() if host is None else host,
        version=ddsr_version(),
        error=reason,
    )


def _judged(row: Row, task: Task, outcome: RunResult, judge: JudgeProcess, judge_s: float) -> Row:
    """Return the row with the result of the run and the verdict on it."""
    began = time.perf_counter()
    if outcome.expression is None:
        verdict = Verdict(row.solved_srbench, row.solved_paper, complexity=outcome.complexity)
    else:
        verdict = judge.judge(outcome.expression, task.problem, outcome.r2_test, judge_s)
    measured = {**asdict(outcome), **asdict(verdict)}
    # JSON has no infinity, which is R² if a prediction is not finite.
    measured |= {key: None for key in ("r2_train", "r2_test") if not math.isfinite(measured[key])}
    measured["error"] = f"judge: {verdict.error}" if verdict.error else None
    return replace(row, **measured, judge_s=time.perf_counter() - began)


class Slot(RunPlace):
    """Performs one run at a time, in processes forked from a server that has done their imports."""

    def __init__(self) -> None:
        if not hasattr(os, "fork"):
            raise BenchError(
                "`ddsr bench run` starts runs by forking, which this system lacks: use Linux or macOS"
            )
        super().__init__()
        self._server: subprocess.Popen[str] | None = None
        self._threads = 0

    def run(self, task: Task, limits: Limits) -> tuple[RunResult | None, str | None]:
        """Return the result of a run, or the reason why it has none."""
        request = {"task": asdict(task), "modules": modules_for(task), "limits": asdict(limits)}
        answer = self._ask(request, task.threads)
        if answer is None:
            self._raise_if_stopping(self._end_server() == TERMINATED)
            return None, "the process that starts runs ended, out of memory perhaps"
        outcome, reason = answer["outcome"], answer["reason"]
        self._raise_if_stopping(outcome is None and str(reason).startswith(TERMINATED_RUN))
        return (None if outcome is None else RunResult(**outcome)), reason

    def _end_runs(self) -> None:
        if self._server is not None:
            self._server.terminate()

    def _end_processes(self) -> None:
        self._end_server()

    def _raise_if_stopping(self, is_terminated: bool) -> None:
        """Raise `Stopped` if the runner was terminated too, so that the run has not failed.

        A scheduler sends SIGTERM to all processes of a job, and those of a run may end before the runner has
        stopped this slot.
        """
        if is_terminated and self._stopped.wait(STOP_S):
            raise Stopped

    def _ask(self, request: Mapping[str, object], threads: int) -> dict[str, Any] | None:
        """Return the answer of the server; None if it ended."""
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
            self._server.stdin.close()  # the server ends when its input ends
        status = self._server.wait()
        self._server.stdout.close()
        self._server = None
        return status


def modules_for(task: Task) -> tuple[str, ...]:
    """Return the modules that the server of a run imports."""
    return BASE_MODULES + (modules_of(task.method) if task.factory == OWN_METHODS else ())


def start_server(threads: int, module: str = SERVER, *arguments: str) -> subprocess.Popen[str]:
    """Start a process that does runs; libraries read their number of threads on import."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(threads))},
        start_new_session=True,  # Ctrl-C only reaches the runner, which ends its processes
    )
