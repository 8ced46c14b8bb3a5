"""Samples of the rows on which expressions are measured."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddsr.data.arrays import Floats
from ddsr.data.dataset import Dataset

MOST_SAMPLED_ROWS = 128
MOST_AUDITED_ROWS = 3000


class Audited(NamedTuple):
    """Rows of the data with their targets, weights and counts."""

    rows: Floats
    target: Floats
    weights: Floats
    """weights in sums over rows: relative weight times count"""
    counts: Floats
    n_counted: float
    """number of observations that the rows represent"""

    @classmethod
    def of(cls, data: Dataset, seed: int) -> Audited:
        """Return all rows with a weight above 0, or a random sample of `MOST_AUDITED_ROWS`."""
        rows, target, weighting = data.X, data.y, data.weighting
        weights = np.ones(len(rows)) if weighting.weights is None else weighting.weights
        counts = np.ones(len(rows)) if weighting.counts is None else weighting.counts
        chosen = choose_rows(weights, len(rows), MOST_AUDITED_ROWS, seed)
        if len(chosen) == 0:
            return cls(rows, target, weights, counts, weighting.n_counted)
        n_counted = weighting.n_counted * len(chosen) / np.count_nonzero(weights)
        some = np.ascontiguousarray(rows[chosen])
        return cls(some, target[chosen], weights[chosen], counts[chosen], n_counted)


def spread_evenly(n_rows: int, most: int) -> NDArray[np.intp]:
    """Return the numbers of at most `most` rows, evenly from the first to the last."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, most)).round().astype(np.intp))


def sampled(rows: Floats) -> Floats:
    """Return at most `MOST_SAMPLED_ROWS` rows, spread evenly."""
    chosen = np.linspace(0, len(rows) - 1, min(len(rows), MOST_SAMPLED_ROWS)).astype(np.int64)
    return np.ascontiguousarray(rows[chosen])


def choose_rows(weights: Floats | None, n_rows: int, fit_rows: int, seed: int) -> NDArray[np.int64]:
    """Return the rows to fit on, in ascending order; an empty array means all."""
    useful = np.arange(n_rows) if weights is None else np.flatnonzero(weights)
    if len(useful) <= fit_rows:
        return np.empty(0, dtype=np.int64) if len(useful) == n_rows else useful.astype(np.int64)
    chosen = np.random.default_rng(seed).choice(useful, size=fit_rows, replace=False)
    return np.sort(chosen).astype(np.int64)
