"""The row of a run: as it is without an outcome, and as an outcome and its verdict complete it."""

from __future__ import annotations

import math
import platform
import time
from dataclasses import asdict, replace

from ddsr.storage.version import ddsr_version
from ddsr_bench.judge.judge import JudgeProcess
from ddsr_bench.judge.rules import Verdict
from ddsr_bench.runner.one import RunResult, Task
from ddsr_bench.runner.store import Row


def row_of(task: Task, wall_s: float, reason: str | None, host: str | None = None) -> Row:
    """What is known of a run that has no outcome: what was asked, how long it took, and why there is none."""
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


def judged(row: Row, task: Task, outcome: RunResult, judge: JudgeProcess, judge_s: float) -> Row:
    """The row with the outcome and its verdict, for which there are `judge_s` seconds."""
    began = time.perf_counter()
    if outcome.expression is None:
        verdict = Verdict(row.solved_srbench, row.solved_paper, complexity=outcome.complexity)
    else:
        verdict = judge.judge(outcome.expression, task.problem, outcome.r2_test, judge_s)
    measured = {**asdict(outcome), **asdict(verdict)}
    # JSON knows no infinity, which R² is where a prediction is.
    measured |= {key: None for key in ("r2_train", "r2_test") if not math.isfinite(measured[key])}
    measured["error"] = f"judge: {verdict.error}" if verdict.error else None
    return replace(row, **measured, judge_s=time.perf_counter() - began)
