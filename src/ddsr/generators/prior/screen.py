"""Choice of the data that the prior sees: variables, their order and scale, and rows.

The choice does not depend on the order of rows or columns: rows are sorted by the target before some are
drawn, and variables by how much the target depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddsr.data.arrays import Floats

MODERATE = (1e-3, 3e3)
"""range of typical sizes of inputs to show unscaled; others are divided by a power of ten"""
MOST_OFFSET = 1e4
"""largest offset that is shown, in spreads of the target"""
N_DRAWS = 4
"""number of samples of the rows, if there are more than the network reads at once"""
SCREENED_ROWS = 4000
MOST_BINS = 20


@dataclass(frozen=True, eq=False)
class ShownData:
    """The part of a data set that the prior sees."""

    columns: NDArray[np.int64]
    """indices of the user's columns, the most relevant first"""
    powers: NDArray[np.int64]
    """exponent k of each column: the network sees x / 10^k"""
    x: Floats
    """(n_draws, n_rows, n_columns) scaled"""
    y: Floats
    """(n_draws, n_rows)"""

    @property
    def scaled_target(self) -> Floats:
        """y relative to its largest value; an offset too large for single precision is removed."""
        middle = float(np.median(self.y))
        y = self.y - middle if abs(middle) > MOST_OFFSET * np.ptp(self.y) else self.y
        largest = np.abs(y).max()
        return y / largest if largest > 0.0 else y

    @property
    def scales(self) -> Floats:
        """10^k for each column."""
        return np.asarray(10.0**self.powers)


def choose_view(
    X: Floats, y: Floats, max_variables: int, look_rows: int, n_draws: int, seed: int
) -> ShownData:
    """Choose the most relevant variables if there are too many, and several samples of too many rows."""
    in_order = np.lexsort((X.sum(axis=1), y))
    rng = np.random.default_rng(seed)
    screened = _draw(in_order, SCREENED_ROWS, rng)
    scores = [relevance(column, y[screened]) for column in X[screened].T]
    means, spreads = np.sort(X, axis=0).mean(axis=0), np.ptp(X, axis=0)
    columns = np.lexsort((spreads, means, -np.array(scores)))
    varying = columns[spreads[columns] > 0.0]  # a column that never changes is a constant
    columns = (varying if len(varying) else columns)[:max_variables]
    powers = np.array([find_power(X[:, column]) for column in columns], dtype=np.int64)
    draws = [_draw(in_order, look_rows, rng) for _ in range(n_draws if len(y) > look_rows else 1)]
    for rows in draws:
        if y[rows[0]] == y[rows[-1]]:  # a target that is nearly always 0 is informative only elsewhere
            rows[[0, -1]] = in_order[[0, -1]]
    shown = X[:, columns] / 10.0**powers
    return ShownData(
        columns, powers, np.stack([shown[rows] for rows in draws]), np.stack([y[d] for d in draws])
    )


def _draw(rows: NDArray[np.intp], n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    return rows if len(rows) <= n else rows[np.sort(rng.choice(len(rows), n, replace=False))]


def relevance(x: Floats, y: Floats) -> float:
    """Return how much of the ranks of y, and of their scatter, bins of x explain: from 0 to about 2.

    The scatter detects a factor that widens the target without moving its middle.
    """
    n = len(y)
    n_bins = int(np.clip(np.sqrt(n) / 2, 2, MOST_BINS))
    if n < 2 * n_bins or x.max() == x.min():
        return 0.0
    ranks = np.searchsorted(np.sort(y), y) / n
    order = np.lexsort((ranks, x))
    bins = np.empty(n, dtype=np.int64)
    bins[order] = np.arange(n) * n_bins // n
    scatter = np.abs(ranks - _means(ranks, bins, n_bins)[bins])
    return _explained(ranks, bins, n_bins) + _explained(scatter, bins, n_bins)


def _means(values: Floats, bins: NDArray[np.int64], n_bins: int) -> Floats:
    return np.asarray(np.bincount(bins, values, n_bins) / np.bincount(bins, minlength=n_bins))


def _explained(values: Floats, bins: NDArray[np.int64], n_bins: int) -> float:
    variance = values.var()
    return float(_means(values, bins, n_bins)[bins].var() / variance) if variance > 0 else 0.0


def find_power(x: Floats) -> int:
    """Return k such that x / 10^k has a moderate size; 0 if x already has one."""
    sizes = np.abs(x[x != 0])
    typical = float(np.median(sizes)) if len(sizes) else 1.0
    return 0 if MODERATE[0] <= typical <= MODERATE[1] else int(np.floor(np.log10(typical)))
