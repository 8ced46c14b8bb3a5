"""Selection on large tables: shortens equations on a sample, then fits them to all rows and ranks them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import inf

from ddsr.data.dataset import Dataset
from ddsr.data.row_samples import choose_rows
from ddsr.engine import Engine
from ddsr.expression import Expression
from ddsr.price.model import Model
from ddsr.selection.handing_out import handed_out
from ddsr.selection.judge import ROUND_STEPS, ROUND_TOLERANCE, Judge
from ddsr.selection.judged import IsAllowed, Judged, Selected, best_of_each, rank_of
from ddsr.selection.select import select

LEAST_ROWS, ROWS_A_SECOND = 4_000, 7_500
"""size of the sample: at least `LEAST_ROWS`, and as many as a slow core can handle in the time given"""
SHARE_ON_SOME = 0.8
"""share of the time for the sample; the rest is for fits on all rows"""
LATE_SECONDS = 0.2
"""least time for fits on all rows, even after the deadline"""


def some_of(data: Dataset, engine: Engine, seconds: float) -> Engine | None:
    """Return an engine with as many rows as the time allows; None if it allows all."""
    n_most = max(LEAST_ROWS, int(min(seconds, 1e6) * ROWS_A_SECOND))
    if engine.n_rows <= n_most:
        return None
    chosen = choose_rows(data.weighting.weights, engine.n_rows, n_most, engine.seed)
    if len(chosen) == 0:
        return None
    return Engine(
        engine.vocabulary,
        data.take(chosen),
        seed=engine.seed,
        n_threads=engine.n_threads,
        limits=engine.limits,
        costs=engine.costs,
    )


def select_on_some(
    candidates: Sequence[Expression],
    engine: Engine,
    n_shortest: int,
    n_most_accurate: int,
    *,
    some: Engine,
    deadline: float = inf,
    is_allowed: IsAllowed | None = None,
) -> tuple[Selected, ...]:
    """Select like `select`, but shorten on `some` rows; drop equations not fitted to all rows in time."""
    began = time.monotonic()
    on_some = began + SHARE_ON_SOME * (deadline - began)
    found = select(candidates, some, n_shortest, n_most_accurate, deadline=on_some, is_allowed=is_allowed)
    judge = Judge(engine, deadline, is_allowed)
    judge.given = {each.expression.tokens for each in found}  # the rules were checked before
    measured: list[Judged] = []
    for each in found:
        judge.deadline = deadline if measured else max(deadline, time.monotonic() + LATE_SECONDS)
        model = Model(each.expression, tuple(not is_free for is_free in each.is_free))
        measured += judge.measure([model], ROUND_STEPS, ROUND_TOLERANCE)
        if measured and judge.is_late:
            break
    ranked = sorted(best_of_each(measured), key=rank_of)
    return handed_out(ranked, engine, is_allowed, n_written=1) or found
