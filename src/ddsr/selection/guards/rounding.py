"""Detection of equations whose values are rounding errors, such as 1e16 * log(x / (x * z / z))."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import Engine, values
from ddsr.expression import Batch, Expression

MOST_ROWS = 64
FEW_ULPS = 4.0 * np.finfo(np.float64).eps  # relative change of the inputs
MOST_CHANGE = 1e-3  # of the spread of y
LEAST_SPREAD = 1e4  # of an input that is changed, relative to the change; constants are changed, too


def depend_on_rounding(expressions: Sequence[Expression], engine: Engine) -> NDArray[np.bool_]:
    """Return whether each expression changes if the last bits of the inputs change.

    Inputs and values of y that differ by little more than their own rounding show nothing.
    """
    rows = engine.rows[:: 1 + (engine.n_rows - 1) // MOST_ROWS]
    is_coarse = FEW_ULPS * np.abs(engine.target).max() > 0.1 * MOST_CHANGE * engine.spread
    if not expressions or is_coarse:
        return np.zeros(len(expressions), dtype=bool)
    steps = np.arange(rows.size).reshape(rows.shape) * 7 % 5 - 2.0  # from -2 to 2
    spread, largest = np.ptp(rows, axis=0), np.abs(rows).max(axis=0)
    steps[:, (spread > 0.0) & (spread < LEAST_SPREAD * FEW_ULPS * largest)] = 0.0
    changed = rows * (1.0 + steps * FEW_ULPS)
    before, after = (values(Batch.of(expressions), each, engine.n_threads)[0] for each in (rows, changed))
    with np.errstate(invalid="ignore"):
        change = np.abs(after - before).max(axis=1)
    return np.asarray(change > MOST_CHANGE * engine.spread)
