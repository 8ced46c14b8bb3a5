"""Final fit of the listed equations: constants on all rows, to convergence.

Searches fit thousands of expressions per epoch, so they use at most 1,000 rows and few steps. The few
equations listed at the end are fitted on all rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ddsr.deadline import Deadline
from ddsr.engine import Engine
from ddsr.search.front import FrontEntry, ParetoFront

# Nearly correct constants converge in a few steps; constants that the data do not determine never converge.
MAX_STEPS, TOLERANCE = 30, 1e-12
# Share of the time limit that is reserved for this fit, and its maximum in seconds.
SHARE, MOST_SECONDS = 0.02, 1.0


def seconds_to_refit(max_time: float) -> float:
    """Return the seconds of a time limit that are reserved for refitting."""
    return min(SHARE * max_time, MOST_SECONDS)


def refitted(front: ParetoFront, first: FrontEntry, engine: Engine, deadline: Deadline) -> ParetoFront:
    """Return the front with constants fitted on all rows; no error becomes larger.

    `first` is fitted before the others, and fits stop at the deadline. Entries that a smaller one now matches
    are dropped. Entries must be unscaled: the expression is the equation.
    """
    order = sorted(
        (entry for entry in front if entry.expression.n_constants), key=lambda entry: entry is not first
    )
    if not order:
        return front
    scores = engine.refit(
        [entry.expression for entry in order], max_steps=MAX_STEPS, tolerance=TOLERANCE, deadline=deadline
    )
    better = {
        id(entry): replace(entry, expression=scores.batch[row], nrmse=float(scores.nrmse[row]))
        for row, entry in enumerate(order)
        if scores.nrmse[row] < entry.nrmse
    }
    kept: list[FrontEntry] = []
    least = np.inf
    for entry in (better.get(id(entry), entry) for entry in front):
        if entry.nrmse < least:
            kept.append(entry)
            least = entry.nrmse
    return ParetoFront(tuple(kept))
