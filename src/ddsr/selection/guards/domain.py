"""Detection of expressions undefined beside the rows: sqrt(x + y - 2.99) where x + y happens to exceed 3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import Engine, values
from ddsr.expression import Batch, Expression

# Least chance of independent columns to stay within the domain on all rows; below it, columns are dependent.
LEAST_CHANCE = 0.01


def are_defined(expressions: Sequence[Expression], engine: Engine) -> NDArray[np.bool_]:
    """Return whether each expression is defined wherever further rows may lie.

    It must be finite on rows of shuffled columns. It may be undefined on some if so many are outside its
    domain that the data cannot all lie inside by chance. Then the columns depend on each other, as n < m in
    `1 / n^2 - 1 / m^2`, and the expression must be finite on mixtures of two rows instead.
    """
    shuffled, is_finite = values(Batch.of(expressions), engine.shuffled_rows, engine.n_threads)
    chance = np.isfinite(shuffled).mean(axis=1) ** engine.n_rows
    are_bound = np.flatnonzero(~is_finite & (chance < LEAST_CHANCE))
    if len(are_bound):
        mixtures = Batch.of(expressions[row] for row in are_bound.tolist())
        is_finite[are_bound] = values(mixtures, engine.mixed_rows, engine.n_threads)[1]
    return is_finite
