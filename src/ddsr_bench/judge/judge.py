"""Judging in processes of their own: SymPy may hang, and a process can be ended.

A process serves many models, since SymPy takes half a second to import; one that exceeds its time is
killed and a fresh one takes its place.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, replace
from queue import SimpleQueue
from select import select

from ddsr_bench.judge.rules import Verdict
from ddsr_bench.problems.suites import BenchmarkProblem

TIMEOUT_S = 30.0
START_S = 60.0
"""for the interpreter and SymPy, on a machine under load"""
TIMED_OUT = Verdict(error="timeout")
"""not solved by any rule, even if R² is 1"""

Case = tuple[str, BenchmarkProblem, float]
"""a model's text, the problem and the model's R² on test"""


class JudgeProcess:
    """One process that judges one model after another."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def judge(
        self, model: str, problem: BenchmarkProblem, r2_test: float, timeout: float = TIMEOUT_S
    ) -> Verdict:
        """The verdict, or that of a time-out.

        In the black box a model that SymPy cannot simplify in time has the size that it comes with.
        """
        verdict = self._verdict(model, problem, r2_test, timeout)
        if problem.formula is None and verdict.complexity is None:
            raw = self._verdict(model, problem, r2_test, timeout, is_simplified=False)
            return replace(raw, error=verdict.error)
        return verdict

    def _verdict(
        self,
        model: str,
        problem: BenchmarkProblem,
        r2_test: float,
        timeout: float,
        is_simplified: bool = True,
    ) -> Verdict:
        if not self._is_started():
            return Verdict(error="the judging process does not start")
        request = {"model": model, "problem": asdict(problem), "r2_test": r2_test}
        answer = self._ask(json.dumps({**request, "is_simplified": is_simplified}), timeout)
        if answer is None:
            self.close()
            return TIMED_OUT
        if not answer:
            self.close()
            return Verdict(error="the judging process ended, out of memory perhaps")
        return Verdict(**json.loads(answer))

    def kill(self) -> None:
        """End what it does now, from any thread; the model gets a verdict that says so."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """End the process; the next model starts another."""
        if self._process is None:
            return
        self._process.kill()
        self._process.communicate()
        self._process = None

    def _is_started(self) -> bool:
        if self._process is not None:
            return True
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ddsr_bench.judge.judging"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is for the runner, which ends its processes itself
        )
        # It says when it is ready, so that its start is not held against a model.
        if self._answer(START_S):
            return True
        self.close()
        return False

    def _ask(self, request: str, timeout: float) -> str | None:
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(request + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return ""
        return self._answer(timeout)

    def _answer(self, timeout: float) -> str | None:
        """A line; empty if the process ended, None if it took too long."""
        assert self._process is not None and self._process.stdout is not None
        ready, _, _ = select([self._process.stdout], [], [], timeout)
        return self._process.stdout.readline() if ready else None


def judge(model: str, problem: BenchmarkProblem, r2_test: float, timeout: float = TIMEOUT_S) -> Verdict:
    """One model, in a process that ends with it."""
    with closing(JudgeProcess()) as process:
        return process.judge(model, problem, r2_test, timeout)


def judge_many(cases: Sequence[Case], n_jobs: int = 1, timeout: float = TIMEOUT_S) -> list[Verdict]:
    """All of them, `n_jobs` at a time, in their order; `timeout` is for each."""
    idle: SimpleQueue[JudgeProcess] = SimpleQueue()
    processes = [JudgeProcess() for _ in range(n_jobs)]
    for process in processes:
        idle.put(process)

    def judge_case(case: Case) -> Verdict:
        process = idle.get()
        try:
            return process.judge(*case, timeout=timeout)
        finally:
            idle.put(process)

    try:
        with ThreadPoolExecutor(n_jobs) as threads:
            return list(threads.map(judge_case, cases))
    finally:
        for process in processes:
            process.close()
