"""One fit on one thread, and the verdict on its equation."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.realistic.curves import curve_of
from benchmarks.realistic.equality import is_equal
from benchmarks.realistic.judging import Verdict, judge, shape_of
from benchmarks.realistic.laws import read_set
from benchmarks.realistic.left_out import code_without
from benchmarks.realistic.lines import DDSR, REAL, Row, Task
from benchmarks.realistic.peers import fit_peer
from benchmarks.realistic.shapes import Shape, has_form
from benchmarks.realistic.tables import Table, draw
from ddsr import DDSRRegressor, Expression
from ddsr.price.code_in_use import priced_by
from ddsr.selection.posterior import Form, form_key

N_NAMED = 3
NO_PROBABILITY = float("nan")


@dataclass(frozen=True)
class Found:
    """The answer of a method."""

    equation: Expression
    named: tuple[Expression, ...] = ()
    """the most probable forms"""
    probability: float = NO_PROBABILITY


def run(task: Task, folder: Path | None = None) -> Row:
    """Fit one table and judge the equation. A failed fit gives a row with the reason."""
    table, shape = data_of(task, folder)
    pricing = priced_by(code_without(shape.law)) if task.is_left_out else nullcontext()
    began = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pricing:
                found = _fit(task, table, shape)
            seconds = round(time.perf_counter() - began, 2)
            verdict = _judge(task, table, shape, found.equation)
            is_among = any(has_form(shape, each) for each in (found.equation, *found.named))
    except Exception as error:  # whatever a method raises, the other fits continue
        seconds = round(time.perf_counter() - began, 2)
        return Row(task, "", False, False, False, seconds, error=f"{type(error).__name__}: {error}")
    return Row(
        task,
        str(found.equation),
        verdict.is_form_right,
        verdict.is_useful,
        verdict.swings,
        seconds,
        is_among,
        found.probability,
        verdict.is_equal,
    )


def end_with_parent(parent: int, seconds: float = 2.0) -> None:
    """End this process once its parent is gone; idle processes of a pool would wait forever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(seconds)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def data_of(task: Task, folder: Path | None) -> tuple[Table, Shape]:
    """Return the table of a task and the law behind it."""
    if task.suite == REAL:
        if folder is None:
            raise ValueError("the real sets need the folder that they are in")
        real = read_set(folder, task.curve)
        return real.table, real.shape
    curve = curve_of(task.curve)
    return draw(curve, task.draw), shape_of(curve)


def probability_of(answer: Expression, forms: Sequence[Form]) -> float:
    """The probability that the model states for the form of its answer, or else for its best form."""
    key = form_key(answer)
    weights = [form.weight for form in forms if form_key(form.entry.equation) == key]
    return weights[0] if weights else forms[0].weight if forms else NO_PROBABILITY


def _fit(task: Task, table: Table, shape: Shape) -> Found:
    X = _frame(table.X, shape.law.vocabulary.variables)
    if task.method != DDSR:
        return Found(fit_peer(task.method, X, table.y, task.limit, task.draw))
    guesses = [str(shape.law)] if task.has_guess else ()
    model = DDSRRegressor(max_time=task.limit, random_state=task.draw, n_jobs=1, guesses=guesses)
    model.fit(X, table.y)
    outcome = model.outcomes_[0]
    answer = outcome.best.equation
    named = tuple(form.entry.equation for form in outcome.forms[:N_NAMED])
    return Found(answer, named, probability_of(answer, outcome.forms))


def _judge(task: Task, table: Table, shape: Shape, answer: Expression) -> Verdict:
    if task.suite == REAL:
        return Verdict(has_form(shape, answer), False, False, is_equal(shape, answer))
    return judge(curve_of(task.curve), table, answer)


def _frame(X: np.ndarray, names: Sequence[str]) -> Any:
    import pandas

    return pandas.DataFrame(X, columns=list(names))
