"""Samples of the rows, and artificial rows, on which expressions are tested."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddsr.data.weighting import Weighting

Floats = NDArray[np.float64]
MOST_SHUFFLED_ROWS = 1000
MANY_COLUMNS = 200  # more columns are shuffled all at once
MOST_SAMPLED_ROWS = 128
MOST_AUDITED_ROWS = 3000
GRID_TOLERANCE = 1e-6
"""relative difference that the steps of a grid may have"""


class Audited(NamedTuple):
    """Rows of the data with their targets, weights and counts."""

    rows: Floats
    target: Floats
    weights: Floats
    """in sums over rows: relative weight times count"""
    counts: Floats
    n_counted: float
    """number of observations that these rows represent"""

    @classmethod
    def of(cls, rows: Floats, target: Floats, weighting: Weighting, seed: int) -> Audited:
        """Return all rows with a weight above 0, or a random sample of `MOST_AUDITED_ROWS`."""
        weights = np.ones(len(rows)) if weighting.weights is None else weighting.weights
        counts = np.ones(len(rows)) if weighting.counts is None else weighting.counts
        chosen = choose_rows(weights, len(rows), MOST_AUDITED_ROWS, seed)
        if len(chosen) == 0:
            return cls(rows, target, weights, counts, weighting.n_counted)
        n_counted = weighting.n_counted * len(chosen) / np.count_nonzero(weights)
        some = np.ascontiguousarray(rows[chosen])
        return cls(some, target[chosen], weights[chosen], counts[chosen], n_counted)


def shuffled(rows: Floats, seed: int) -> Floats:
    """Return at most `MOST_SHUFFLED_ROWS` rows, with each column drawn on its own without repetition."""
    n = min(len(rows), MOST_SHUFFLED_ROWS)
    rng = np.random.default_rng(seed)
    if rows.shape[1] > MANY_COLUMNS and len(rows) == n:  # one by one they take too long
        return rng.permuted(rows, axis=0)
    columns = [column[rng.choice(len(rows), size=n, replace=False)] for column in rows.T]
    return np.ascontiguousarray(np.column_stack(columns))


def mixed(rows: Floats, seed: int) -> Floats:
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


def outer(rows: Floats, column: int) -> Floats:
    """Return the isolated outermost rows at both ends of a column, moved outwards by their extra gap.

    The extra gap is by how much a row's distance from the next one exceeds the distance behind that. A new
    row may well be so far out. Columns that are evenly filled, such as grids, get no rows.
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


def repeated(rows: Floats, weighting: Weighting) -> Floats:
    """Return the rows with a weight above 0, repeated as often as they were observed, at most three times."""
    if weighting.weights is None:
        return rows
    counts = np.ones(len(rows)) if weighting.counts is None else np.minimum(weighting.counts, 3.0)
    return np.repeat(rows, np.where(weighting.weights > 0.0, counts, 0.0).astype(np.intp), axis=0)


def sampled(rows: Floats) -> Floats:
    """Return at most `MOST_SAMPLED_ROWS` rows, spread evenly."""
    chosen = np.linspace(0, len(rows) - 1, min(len(rows), MOST_SAMPLED_ROWS)).astype(np.int64)
    return np.ascontiguousarray(rows[chosen])


def choose_rows(weights: Floats | None, n_rows: int, fit_rows: int, seed: int) -> NDArray[np.int64]:
    """Return the rows to fit on, in ascending order; empty means all."""
    useful = np.arange(n_rows) if weights is None else np.flatnonzero(weights)
    if len(useful) <= fit_rows:
        return np.empty(0, dtype=np.int64) if len(useful) == n_rows else useful.astype(np.int64)
    chosen = np.random.default_rng(seed).choice(useful, size=fit_rows, replace=False)
    return np.sort(chosen).astype(np.int64)
