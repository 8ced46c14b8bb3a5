"""Detection of expressions undefined near the rows: sqrt(x + y - 2.99) where x + y happens to exceed 3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import values
from ddsr.expression import Batch, Expression
from ddsr.selection.samples import Samples

# Probability that independent columns stay in the domain on all rows; below it, columns are dependent.
LEAST_CHANCE = 0.01


def are_defined(expressions: Sequence[Expression], samples: Samples) -> NDArray[np.bool_]:
    """Return whether each expression is defined wherever further rows may lie.

    The expression must be finite when columns are shuffled. If so many shuffled rows are outside its domain
    that the data cannot all lie inside by chance, columns depend on each other, as n < m in
    `1 / n^2 - 1 / m^2`. Then it must be finite on mixtures of two rows instead.
    """
    engine = samples.engine
    shuffled, is_finite = values(Batch.of(expressions), samples.shuffled, engine.n_threads)
    chance = np.isfinite(shuffled).mean(axis=1) ** engine.n_rows
    are_bound = np.flatnonzero(~is_finite & (chance < LEAST_CHANCE))
    if len(are_bound):
        mixtures = Batch.of(expressions[row] for row in are_bound.tolist())
        is_finite[are_bound] = values(mixtures, samples.mixed, engine.n_threads)[1]
    return is_finite
