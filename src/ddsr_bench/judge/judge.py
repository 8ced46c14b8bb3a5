"""Judge models in separate processes, which can be killed when SymPy hangs.

A process judges many models, since importing SymPy takes half a second. It reads one line of JSON per model
from its standard input and answers with a line of JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, replace
from select import select
from typing import TextIO

from ddsr_bench.judge.rules import Verdict, apply_rules, measure_size
from ddsr_bench.problems.suites import BenchmarkProblem

TIMEOUT_S = 30.0
START_S = 60.0
"""time limit for starting Python and importing SymPy on a busy machine"""
TIMED_OUT = Verdict(error="timeout")
"""verdict after a timeout: not solved by any rule, even if R² is 1"""


class JudgeProcess:
    """A process that judges one model after another."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def judge(
        self, model: str, problem: BenchmarkProblem, r2_test: float, timeout: float = TIMEOUT_S
    ) -> Verdict:
        """Return the verdict on a model.

        If SymPy cannot simplify a black-box model in time, the verdict has the unsimplified model's size.
        """
        request = {"model": model, "problem": asdict(problem), "r2_test": r2_test, "is_simplified": True}
        verdict = self._verdict(request, timeout)
        if problem.formula is None and verdict.complexity is None:
            raw = self._verdict(request | {"is_simplified": False}, timeout)
            return replace(raw, error=verdict.error)
        return verdict

    def _verdict(self, request: dict[str, object], timeout: float) -> Verdict:
        if not self._is_started():
            return Verdict(error="the judging process does not start")
        answer = self._ask(json.dumps(request), timeout)
        if answer:
            return Verdict(**json.loads(answer))
        self.close()
        return (
            TIMED_OUT if answer is None else Verdict(error="the judging process ended, out of memory perhaps")
        )

    def kill(self) -> None:
        """Stop the current judgement, from any thread; its verdict is an error."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """End the process; the next model starts a new one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _is_started(self) -> bool:
        if self._process is not None:
            return True
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ddsr_bench.judge.judge"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C only reaches the runner, which ends its processes
        )
        # The process reports when it is ready, so that its start does not count towards a model's time.
        if self._answer(START_S):
            return True
        self.close()
        return False

    def _ask(self, request: str, timeout: float) -> str | None:
        assert self._process is not None and self._process.stdin is not None
        try:
            print(request, file=self._process.stdin, flush=True)
        except BrokenPipeError:
            return ""
        return self._answer(timeout)

    def _answer(self, timeout: float) -> str | None:
        """Return a line; "" if the process ended, None after the timeout."""
        assert self._process is not None and self._process.stdout is not None
        ready, _, _ = select([self._process.stdout], [], [], timeout)
        return self._process.stdout.readline() if ready else None


def serve(requests: TextIO, answers: TextIO) -> None:
    """Judge one model per line; the first line of output says that SymPy is imported."""
    import sympy  # noqa: F401  (imported before the first model, so that its time does not count)

    print("ready", file=answers, flush=True)
    for line in requests:
        request = json.loads(line)
        model, problem = request["model"], BenchmarkProblem.from_json(request["problem"])
        if request["is_simplified"]:
            verdict = apply_rules(model, problem, request["r2_test"])
        else:
            verdict = measure_size(model, problem, is_simplified=False)
        print(json.dumps(asdict(verdict)), file=answers, flush=True)


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
