"""Equations with all their constants as fitted, for users who do not want them rounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ddsr.deadline import Deadline
from ddsr.engine import Engine
from ddsr.expression import Batch
from ddsr.price.rounding import is_lower
from ddsr.search.front import FrontEntry
from ddsr.selection.posterior import structural_constants
from ddsr.selection.refitting import MAX_STEPS, TOLERANCE


def with_fitted_values(entries: Sequence[FrontEntry], engine: Engine, deadline: Deadline) -> list[FrontEntry]:
    """Return the entries with rounded constants fitted again; their errors become no larger.

    Numbers that belong to the structure, such as the 2 of x^2, stay. So does the measured description length,
    which is that of the rounded equation.
    """
    models = [(entry, structural_constants(entry.expression)) for entry in entries]
    rounded = [
        (entry, fixed)
        for entry, fixed in models
        if entry.is_free is not None and sum(fixed) + sum(entry.is_free) < len(fixed)
    ]
    if not rounded:
        return list(entries)
    batch = Batch.of(entry.expression for entry, _ in rounded)
    scores = engine.refit(
        batch,
        batch.mask(fixed for _, fixed in rounded),
        max_steps=MAX_STEPS,
        tolerance=TOLERANCE,
        deadline=deadline,
    )
    fitted = {
        id(entry): replace(
            entry,
            expression=scores.batch[row],
            nrmse=float(scores.nrmse[row]),
            is_free=tuple(not each for each in fixed),
        )
        for row, (entry, fixed) in enumerate(rounded)
        if not is_lower(entry.nrmse, float(scores.nrmse[row]))
    }
    return [fitted.get(id(entry), entry) for entry in entries]
