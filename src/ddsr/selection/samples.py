"""Samples of the rows, and artificial rows, on which selection tests expressions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.data.row_samples import Audited
from ddsr.data.weighting import Weighting
from ddsr.engine import Engine

MOST_SHUFFLED_ROWS = 1000
MANY_COLUMNS = 200  # with more columns, all are shuffled at once
GRID_TOLERANCE = 1e-6
"""maximum relative difference between the steps of a grid"""


class Samples:
    """Samples of an engine's rows, and rows made from them.

    They are made on demand: making them can take seconds.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._ends: dict[int, Floats] = {}

    @cached_property
    def audited(self) -> Audited:
        """At most 3,000 rows with a weight above 0, to inspect one by one."""
        return Audited.of(self.engine.dataset, self.engine.seed)

    @cached_property
    def shuffled(self) -> Floats:
        """At most 1,000 rows, with each column drawn from X independently."""
        return _shuffled(self.engine.rows, self.engine.seed)

    @cached_property
    def mixed(self) -> Floats:
        """At most 1,000 rows, each a random mixture of two rows of X."""
        return _mixed(self.engine.rows, self.engine.seed)

    @cached_property
    def _observed(self) -> Floats:
        return _repeated(self.engine.rows, self.engine.dataset.weighting)

    def outer(self, columns: Iterable[int] | None = None) -> Floats:
        """Return at most two rows per column: isolated outermost rows, moved outwards.

        They move by as much as their gap to the next row exceeds the usual gap.

        Without `columns`, return them for all columns.
        """
        n_columns = self.engine.rows.shape[1]
        numbers = range(n_columns) if columns is None else sorted(columns)
        for column in numbers:
            if column not in self._ends:
                self._ends[column] = _outer(self._observed, column)
        return np.concatenate([np.empty((0, n_columns)), *(self._ends[column] for column in numbers)])


def _shuffled(rows: Floats, seed: int) -> Floats:
    """Return at most `MOST_SHUFFLED_ROWS` rows, with each column drawn on its own without repetition."""
    n = min(len(rows), MOST_SHUFFLED_ROWS)
    rng = np.random.default_rng(seed)
    if rows.shape[1] > MANY_COLUMNS and len(rows) == n:  # shuffling one by one takes too long
        return rng.permuted(rows, axis=0)
    columns = [column[rng.choice(len(rows), size=n, replace=False)] for column in rows.T]
    return np.ascontiguousarray(np.column_stack(columns))


def _mixed(rows: Floats, seed: int) -> Floats:
    """Return at most `MOST_SHUFFLED_ROWS` rows, each at a random place between two rows.

    Linear relations that hold for all rows, such as x < y, also hold for these. Columns of whole numbers stay
    whole, and two of them that differ by at least 1 on every row still do.
    """
    n = min(len(rows), MOST_SHUFFLED_ROWS)
    rng = np.random.default_rng(seed)
    first, second = (rows[rng.choice(len(rows), size=n, replace=False)] for _ in range(2))
    share = rng.random((n, 1))
    between = (1.0 - share) * first + share * second  # the difference of two huge values would overflow
    is_whole = np.all(rows == np.floor(rows), axis=0)
    return np.ascontiguousarray(np.where(is_whole, np.floor(between), between))


def _outer(rows: Floats, column: int) -> Floats:
    """Return the isolated outermost rows at both ends of a column, moved outwards by their extra gap.

    The extra gap is the outermost gap minus the next one. A new row may well lie that far out. Evenly filled
    columns, such as grids, get no rows.
    """
    moved = []
    for side in (1.0, -1.0) if len(rows) > 2 else ():
        outwards = side * rows[:, column]
        third, second, last = np.partition(outwards, (-3, -2, -1))[-3:]
        with np.errstate(over="ignore"):
            farther = (last - second) - (second - third)
            end = side * (last + farther)
        if farther > GRID_TOLERANCE * (last - third) and np.isfinite(end):
            row = rows[np.argmax(outwards)].copy()
            row[column] = end
            moved.append(row)
    return np.array(moved).reshape(-1, rows.shape[1])


def _repeated(rows: Floats, weighting: Weighting) -> Floats:
    """Return the rows with a weight above 0, repeated as often as they were observed, at most three times."""
    if weighting.weights is None:
        return rows
    counts = np.ones(len(rows)) if weighting.counts is None else np.minimum(weighting.counts, 3.0)
    return np.repeat(rows, np.where(weighting.weights > 0.0, counts, 0.0).astype(np.intp), axis=0)
