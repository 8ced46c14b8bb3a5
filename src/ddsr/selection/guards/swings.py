"""Detection of models that swing between neighbouring rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddsr.data.arrays import Floats
from ddsr.data.row_samples import spread_evenly
from ddsr.engine import values
from ddsr.expression import Batch, Expression

N_STEPS = 8  # steps of a path between neighbouring values of a column
MOST_ROWS = 64
GOLDEN = 0.6180339887498949
# Largest length of a model's path between rows, relative to the differences between the rows. A sine sampled
# five times per period reaches 1.1, one sampled twice per period 1.6.
MOST_DETOUR = 2.0


@dataclass(frozen=True, eq=False)
class Paths:
    """Paths from each row along each column to the next larger value in that column."""

    points: Floats
    """(paths * (N_STEPS + 1), columns)"""

    @classmethod
    def among(cls, rows: Floats, columns: Iterable[int] | None = None) -> Paths:
        """Return the paths between the rows of a table along these columns, or all."""
        some = rows[spread_evenly(len(rows), MOST_ROWS)]
        # steps are uneven, so that no frequency can match them
        shares = np.sort(np.concatenate([[0.0, 1.0], np.arange(1, N_STEPS) * GOLDEN % 1.0]))
        paths = []
        for column in range(rows.shape[1]) if columns is None else columns:
            known = np.unique(rows[:, column])
            place = np.searchsorted(known, some[:, column], side="right")
            for row, following in zip(some, place, strict=True):
                if following < len(known):
                    path = np.repeat(row[None], N_STEPS + 1, axis=0)
                    path[:, column] = row[column] + shares * (known[following] - row[column])
                    paths.append(path)
        return cls(np.concatenate(paths) if paths else np.empty((0, rows.shape[1])))


def swing(expressions: Sequence[Expression], paths: Paths, n_threads: int) -> NDArray[np.bool_]:
    """Return whether each expression goes up and down between the rows far more than from row to row.

    In a table of one column this includes expressions that are undefined between two rows. With several
    columns, a path may leave the domain of a law, such as sqrt(x - y), which proves nothing.
    """
    if not expressions or len(paths.points) == 0:
        return np.zeros(len(expressions), dtype=bool)
    along = values(Batch.of(expressions), paths.points, n_threads)[0]
    along = along.reshape(len(expressions), -1, N_STEPS + 1)
    is_defined: NDArray[np.bool_] = np.all(np.isfinite(along), axis=2)
    with np.errstate(all="ignore"):
        walked = np.abs(np.diff(along, axis=2)).sum(axis=2)
        apart = np.abs(along[:, :, -1] - along[:, :, 0])
    whole_walk, whole_way = (np.where(is_defined, each, 0.0).sum(axis=1) for each in (walked, apart))
    swings = np.isfinite(whole_walk) & (whole_walk > MOST_DETOUR * whole_way)
    if len(expressions[0].vocabulary.inputs) == 1:
        swings = swings | ~np.all(is_defined, axis=1)
    return np.asarray(swings)
