"""Final notation of the selected equations, if it keeps their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ddsr.engine import Engine
from ddsr.selection.judge import rewritten_as
from ddsr.selection.judged import IsAllowed, Judged, Selected
from ddsr.selection.notation import as_roots


def handed_out(
    ranked: Sequence[Judged], engine: Engine, is_allowed: IsAllowed | None, n_written: int | None = None
) -> tuple[Selected, ...]:
    """Return each model in its usual notation, or as measured if that overflows on a row of the data.

    A function may be finite in one notation only: c * (a / b) may be finite where (c * a) / b is not. If
    `n_written` is given, only that many of the first get the usual notation, which saves time.
    """
    found = []
    for place, one in enumerate(ranked):
        is_hurried = n_written is not None and place >= n_written
        selected = (one if is_hurried else _with_roots(one, engine, is_allowed)).selected(
            is_allowed, is_hurried
        )
        measured = one.model.expression
        if selected.expression != measured and not engine.is_finite(selected.expression):
            selected = replace(selected, expression=measured, is_free=one.model.is_free)
        found.append(selected)
    return tuple(found)


def _with_roots(one: Judged, engine: Engine, is_allowed: IsAllowed | None) -> Judged:
    """Replace functions of inverse functions by roots, which read more easily but may be longer."""
    signs = engine.positive_variables, engine.nonnegative_variables
    other = as_roots(one.model.expression, *signs)
    if other == one.model.expression or not (is_allowed is None or is_allowed(other)):
        return one
    return replace(one, model=rewritten_as(one.model, other))
