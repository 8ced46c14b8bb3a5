"""The data of a fit, checked once and then passed on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ddsr.data.arrays import Floats
from ddsr.data.checks import as_rows, check_counts, check_finite, check_target, check_weights
from ddsr.data.losses import SQUARED, Loss
from ddsr.data.units import Units
from ddsr.data.weighting import Weighting
from ddsr.errors import DataError


class RowWeights(NamedTuple):
    """Information on the rows: relative weights, numbers of observations, standard errors of y."""

    sample_weight: ArrayLike | None = None
    counts: ArrayLike | None = None
    y_err: ArrayLike | None = None


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
    loss: Loss = SQUARED
    """loss that a fit to these data minimises"""
    units: Units | None = None
    """units of the columns and of y; None: they are not known"""

    @classmethod
    def of(
        cls,
        X: Dataset | ArrayLike,
        y: ArrayLike | None,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        *,
        names: Sequence[str],
        loss: Loss = SQUARED,
        y_err: ArrayLike | None = None,
        units: Units | None = None,
    ) -> Dataset:
        """Check the data and drop rows with a count of 0; return a `Dataset` unchanged.

        `y_err` are the standard errors of y, which replace weights.
        """
        if isinstance(X, Dataset):
            return X
        if y is None:
            raise DataError("y is missing: pass one value for each row of X")
        rows, kept = as_rows(X, names), None
        if y_err is not None:
            known = _with_errors(rows, y, y_err, names, loss, (sample_weight, counts))
            return replace(known, units=units)
        repeats = check_counts(counts, len(rows))
        if repeats is not None and not repeats.all():
            check_weights(sample_weight, len(rows))
            kept = np.flatnonzero(repeats)
            rows, y, counts = np.ascontiguousarray(rows[kept]), np.asarray(y)[kept], repeats[kept]
            sample_weight = None if sample_weight is None else np.asarray(sample_weight)[kept]
        check_finite(rows, names)
        rows, target = _read_only(rows), _read_only(check_target(y, len(rows)))
        loss.check_target(target)
        if loss.name == "relative" and counts is not None:
            raise DataError("loss='relative' cannot be combined with counts: repeat the rows instead")
        weights, repeats = check_weights(sample_weight, len(rows)), check_counts(counts, len(rows))
        weights, repeats = (part if part is None else _read_only(part) for part in (weights, repeats))
        weighting = Weighting.of(weights, repeats, target)
        return cls(rows, target, tuple(names), weights, repeats, weighting, kept, loss, units)

    @property
    def is_weighted(self) -> bool:
        """Whether weights or counts were given."""
        return self.sample_weight is not None or self.counts is not None

    @property
    def allows_offset(self) -> bool:
        """Whether a constant may be added to every equation."""
        return self.units is None or self.units.allows_offset

    def with_target(self, y: ArrayLike) -> Dataset:
        """Return the same rows with another target, which has one value for each original row."""
        kept = np.asarray(y)[slice(None) if self.kept is None else self.kept]
        target = _read_only(check_target(kept, len(self.X)))
        self.loss.check_target(target)
        data = replace(self, y=target, weighting=Weighting.of(self.sample_weight, self.counts, target))
        return data._with_known_errors(self.loss) if self.loss.known else data

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
        weighting = Weighting.of(weights, counts, y)
        data = Dataset(X, y, self.names, weights, counts, weighting, kept, self.loss, self.units)
        return data._with_known_errors(self.loss) if self.loss.known else data

    def _with_known_errors(self, loss: Loss) -> Dataset:
        """Return the same data with weights of 1 / variance, each row being one observation."""
        assert self.sample_weight is not None
        n_observed = int(np.count_nonzero(self.sample_weight))
        weighting = self.weighting._replace(n_counted=n_observed, n_observed=n_observed)
        known = float(1.0 / np.mean(self.sample_weight))
        return replace(self, weighting=weighting, loss=replace(loss, known=known))


def _with_errors(
    rows: Floats,
    y: ArrayLike,
    y_err: ArrayLike,
    names: Sequence[str],
    loss: Loss,
    others: tuple[ArrayLike | None, ArrayLike | None],
) -> Dataset:
    if any(other is not None for other in others):
        raise DataError("y_err cannot be combined with weights or counts: it gives the weight of each row")
    if loss.name != "squared":
        raise DataError(f"y_err is for squared errors: it cannot be combined with loss={str(loss)!r}")
    errors = check_weights(y_err, len(rows), "y_err", "standard errors")
    assert errors is not None
    if not errors.all():
        raise DataError(f"y_err is 0 in row {int(np.argmin(errors))}: standard errors must be above 0")
    data = Dataset.of(rows, y, errors**-2.0, names=names)
    return data._with_known_errors(loss)


def _read_only(values: Floats) -> Floats:
    """Return a view that cannot be written to; the array itself stays as it is."""
    view = values.view()
    view.flags.writeable = False
    return view
