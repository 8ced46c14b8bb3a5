"""Slopes of models along their inputs, from which symmetries are found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.engine import values
from ddsr.expression import Batch

STEP = 1e-4
"""step of the central difference, relative to the spread of the column"""


@dataclass(frozen=True, eq=False)
class Slopes:
    """Values and derivatives of one or several models on rows, one model after another."""

    rows: Floats
    """(n, inputs)"""
    values: Floats
    """(n)"""
    slopes: Floats
    """(n, inputs)"""


def slopes_of(
    models: Batch, scale: Floats, offset: Floats, rows: Floats, n_threads: int = 1
) -> Slopes | None:
    """Return the slopes of `scale * f + offset` for each model f, on the rows where f is defined.

    None if no model is defined on any row.
    """
    n_rows, n_inputs = rows.shape
    steps = STEP * rows.std(axis=0)
    moved = np.repeat(rows[None], 2 * n_inputs + 1, axis=0)  # unmoved, then each column moved up and down
    for column, step in enumerate(steps):
        moved[1 + 2 * column, :, column] += step
        moved[2 + 2 * column, :, column] -= step
    found, _ = values(models, np.ascontiguousarray(moved.reshape(-1, n_inputs)), n_threads)
    found = scale[:, None, None] * found.reshape(len(models), -1, n_rows) + offset[:, None, None]
    with np.errstate(all="ignore"):
        slopes = (found[:, 1::2] - found[:, 2::2]) / (2.0 * steps[:, None])  # (models, inputs, rows)
    slopes = np.where(steps[:, None] > 0.0, slopes, 0.0)
    is_known = np.isfinite(found).all(axis=1) & np.isfinite(slopes).all(axis=1)  # (models, rows)
    if not is_known.any():
        return None
    model, row = np.nonzero(is_known)
    return Slopes(rows[row], found[model, 0, row], slopes[model, :, row])
