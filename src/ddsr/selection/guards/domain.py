"""Expressions that are undefined beside the rows: sqrt(x + y - 2.99) where x + y happens to stay above 3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import values
from ddsr.expression import Batch, Expression
from ddsr.selection.samples import Samples

# If independent columns kept to the domain on all rows with a lower chance than this, they are bound to it.
LEAST_CHANCE = 0.01


def are_defined(expressions: Sequence[Expression], samples: Samples) -> NDArray[np.bool_]:
    """Whether each expression is defined wherever further rows may lie.

    It must be finite on shuffled columns, unless it is undefined on so many of them that the rows of the data
    cannot all have met its domain by chance. Then the columns bound each other, as n < m does in
    `1 / n^2 - 1 / m^2`, and it must be finite on mixtures of two rows.
    """
    engine = samples.engine
    shuffled, is_finite = values(Batch.of(expressions), samples.shuffled, engine.n_threads)
    chance = np.isfinite(shuffled).mean(axis=1) ** engine.n_rows
    are_bound = np.flatnonzero(~is_finite & (chance < LEAST_CHANCE))
    if len(are_bound):
        mixtures = Batch.of(expressions[row] for row in are_bound.tolist())
        is_finite[are_bound] = values(mixtures, samples.mixed, engine.n_threads)[1]
    return is_finite
