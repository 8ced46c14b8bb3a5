"""Weights of the rows: relative weights, and counts that repeat rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ddsr.data.arrays import Floats

# Bits of a weight that are kept. A change of unit alters the last of the 53 bits of a double. Rounding to
# fewer bits makes relative weights the same in any unit.
BITS_OF_WEIGHT = 32
# Weights proportional to one of these powers of 1/y mean that errors grow with √y, as for counted events, or
# with y. They match if the products of weight and variance have an effective number of at least this share of
# the rows.
POWERS_OF_TARGET, LEAST_MATCH = (1, 2), 0.95


class Weighting(NamedTuple):
    """Checked weights and counts of the rows."""

    weights: Floats | None
    """weight of each row in sums over rows, relative weight times count; None if all are 1"""
    counts: Floats | None
    """how often each row was observed; None if each was observed once"""
    n_counted: int
    """number of observations that the rows represent, see `effective_number`"""
    n_observed: int
    """number of observations with a weight above 0"""

    @classmethod
    def of(cls, sample_weight: Floats | None, counts: Floats | None, target: Floats) -> Weighting:
        """Combine checked weights and counts of rows with these values of y."""
        n_rows = len(target)
        relative = relative_weights(sample_weight)
        repeats = None if counts is None or (counts == 1.0).all() else counts
        if relative is None and repeats is None:
            return cls(None, None, n_rows, n_rows)
        weights = np.ones(n_rows) if relative is None else relative
        each = np.ones(n_rows) if repeats is None else repeats
        n_observed = int(each[weights > 0.0].sum())
        n_counted = n_observed if relative is None else observations_worth(weights, each, target)
        return cls(weights * each, repeats, n_counted, n_observed)


def relative_weights(weights: Floats | None) -> Floats | None:
    """Return weights relative to the largest, independent of their unit; None if all are equal.

    Dividing by the largest is exact up to one rounding for weights of any size, 1e308 and denormals included.
    """
    if weights is None or (weights == weights[0]).all():
        return None
    mantissas, exponents = np.frexp(weights / weights.max())
    unit = 2.0**BITS_OF_WEIGHT
    return np.asarray(np.ldexp(np.round(mantissas * unit) / unit, exponents))


def observations_worth(weights: Floats, counts: Floats, target: Floats) -> int:
    """Return the number of equally weighted observations that the rows are worth.

    Weights that match errors in proportion to y or to √y do not make a row count less than another.
    """
    n_observed = float(counts[weights > 0.0].sum())
    largest = np.abs(target).max()
    sizes = np.abs(target) / (largest if largest > 0.0 else 1.0)
    for power in POWERS_OF_TARGET:
        if effective_number(weights * sizes**power, counts) >= LEAST_MATCH * n_observed:
            return int(n_observed)
    return max(1, round(effective_number(weights, counts)))


def effective_number(weights: Floats, counts: Floats) -> float:
    """Return Kish's effective number of observations, (Σw)² / Σw²; a row with count c is c observations."""
    largest = weights.max()
    if not largest > 0.0:
        return 0.0
    shares = weights / largest
    total, squares = float((counts * shares).sum()), float((counts * shares**2).sum())
    return total * total / squares
