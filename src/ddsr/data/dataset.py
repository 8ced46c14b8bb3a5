"""The data of a fit, checked once and then passed on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ddsr.data.arrays import Floats
from ddsr.data.checks import as_rows, check_counts, check_finite, check_target, check_weights
from ddsr.data.weighting import Weighting
from ddsr.errors import DataError


@dataclass(frozen=True, eq=False)
class Dataset:
    """Columns X, the target y, and the weights of the rows; all values are finite.

    The arrays are read-only views: they may share the memory of the user's own arrays.
    """

    X: Floats
    y: Floats
    names: tuple[str, ...]
    """names of the columns of X"""
    sample_weight: Floats | None
    counts: Floats | None
    weighting: Weighting
    """weights and counts combined"""
    kept: NDArray[np.int64] | None = None
    """positions of the rows in the original data; None: all rows were kept"""

    @classmethod
    def of(
        cls,
        X: Dataset | ArrayLike,
        y: ArrayLike | None,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        *,
        names: Sequence[str],
    ) -> Dataset:
        """Check the data and drop rows with a count of 0; return a `Dataset` unchanged."""
        if isinstance(X, Dataset):
            return X
        if y is None:
            raise DataError("y is missing: pass one value for each row of X")
        rows, kept = as_rows(X, names), None
        repeats = check_counts(counts, len(rows))
        if repeats is not None and not repeats.all():
            check_weights(sample_weight, len(rows))
            kept = np.flatnonzero(repeats)
            rows, y, counts = np.ascontiguousarray(rows[kept]), np.asarray(y)[kept], repeats[kept]
            sample_weight = None if sample_weight is None else np.asarray(sample_weight)[kept]
        check_finite(rows, names)
        rows, target = _read_only(rows), _read_only(check_target(y, len(rows)))
        weights, repeats = check_weights(sample_weight, len(rows)), check_counts(counts, len(rows))
        weights, repeats = (part if part is None else _read_only(part) for part in (weights, repeats))
        weighting = Weighting.of(weights, repeats, target)
        return cls(rows, target, tuple(names), weights, repeats, weighting, kept)

    @property
    def is_weighted(self) -> bool:
        """Whether weights or counts were given."""
        return self.sample_weight is not None or self.counts is not None

    def with_target(self, y: ArrayLike) -> Dataset:
        """Return the same rows with another target, which has one value for each original row."""
        kept = np.asarray(y)[slice(None) if self.kept is None else self.kept]
        target = _read_only(check_target(kept, len(self.X)))
        return replace(self, y=target, weighting=Weighting.of(self.sample_weight, self.counts, target))

    def reweighted(self, sample_weight: ArrayLike | None) -> Dataset:
        """Return the same rows with other weights, each row counted as one observation."""
        weights = check_weights(sample_weight, len(self.X))
        weights = None if weights is None else _read_only(weights)
        weighting = Weighting.of(weights, None, self.y)
        return replace(self, sample_weight=weights, counts=None, weighting=weighting)

    def take(self, rows: NDArray[np.int64]) -> Dataset:
        """Return some of the rows."""
        X, y = np.ascontiguousarray(self.X[rows]), self.y[rows]
        weights, counts = (part if part is None else part[rows] for part in (self.sample_weight, self.counts))
        kept = rows if self.kept is None else self.kept[rows]
        return Dataset(X, y, self.names, weights, counts, Weighting.of(weights, counts, y), kept)


def _read_only(values: Floats) -> Floats:
    """Return a view that cannot be written to; the array itself stays as it is."""
    view = values.view()
    view.flags.writeable = False
    return view
