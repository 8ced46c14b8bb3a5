"""The last fit of what a search lists: constants on all rows, to convergence.

Searches fit on at most 1,000 rows and in few steps, since they fit thousands of expressions an epoch. The
few that are listed at the end deserve all rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ddsr.deadline import Deadline
from ddsr.engine import Engine
from ddsr.search.front import FrontEntry, ParetoFront

# Constants that are nearly right converge in a few steps; those that the data do not determine never do.
MAX_STEPS, TOLERANCE = 30, 1e-12
# The last part of the time limit, which is kept for it, and the seconds it has at most.
SHARE, MOST_SECONDS = 0.02, 1.0


def seconds_to_refit(max_time: float) -> float:
    """Seconds of a time limit that are kept for refitting."""
    return min(SHARE * max_time, MOST_SECONDS)


def refitted(front: ParetoFront, first: FrontEntry, engine: Engine, deadline: Deadline) -> ParetoFront:
    """The front with constants fitted on all rows; no entry's error becomes larger.

    `first` is fitted before the others. After the deadline fits end where they are. An entry that a smaller
    one now matches is dropped. Entries must be as they are written, without a scale or an offset.
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
