"""What forms predict over one input: curves, and the band for new measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import values
from ddsr.estimator.averaging import interval
from ddsr.estimator.fit import Outcome
from ddsr.estimator.uncertainty import predicted_by_forms
from ddsr.expression import Expression

Floats = NDArray[np.float64]

LEVEL = 0.95
N_POINTS = 241
BEYOND = 0.25  # of the range of the data, to either side
LOGARITHMIC = 100.0  # positive values that span at least this factor get a logarithmic axis


@dataclass(frozen=True, eq=False)
class Band:
    """Curves and band over one input."""

    x: Floats
    """points over the data and a quarter of their range to either side"""
    low: Floats
    high: Floats
    curves: tuple[Floats, ...]
    """the chosen equation, then other forms"""

    @classmethod
    def over(cls, x: Floats, outcome: Outcome, equations: Sequence[Expression]) -> Band:
        """Compute curves and band of a fit on the values `x`; the first equation is the chosen one."""
        points = _points(x)
        rows = np.ascontiguousarray(points[:, None])
        ends = interval(predicted_by_forms(outcome, rows), LEVEL, of_measurements=True)
        curves = tuple(values([equation], rows)[0][0] for equation in equations)
        return cls(points, ends[:, 0], ends[:, 1], curves)


def spans_decades(numbers: Floats) -> bool:
    """Whether positive values span so much that their axis is logarithmic."""
    return bool(numbers.min() > 0.0 and numbers.max() >= LOGARITHMIC * numbers.min())


def _points(x: Floats) -> Floats:
    low, high = float(x.min()), float(x.max())
    if spans_decades(x):
        room = (high / low) ** BEYOND
        return np.geomspace(low / room, high * room, N_POINTS)
    room = BEYOND * (high - low) or 0.5 * abs(low) or 0.5
    least = low - room
    return np.linspace(max(least, 0.0) if low >= 0.0 else least, high + room, N_POINTS)
