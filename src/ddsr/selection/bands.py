"""Curves of equations over one of their inputs, and the band that likely contains new measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.engine import values
from ddsr.expression import Expression
from ddsr.selection.averaging import interval, predicted_by_forms
from ddsr.selection.outcome import Outcome

LEVEL, N_POINTS = 0.95, 241
BEYOND = 0.25  # share of the data's range that is added on either side
LOGARITHMIC = 100.0  # positive values that span at least this factor get a logarithmic axis


@dataclass(frozen=True, eq=False)
class Band:
    """Curves and band over one input."""

    x: Floats
    """points over the data and a quarter of their range to either side"""
    low: Floats | None
    """lower end of the band; None if forms have no weights"""
    high: Floats | None
    curves: tuple[Floats, ...]
    """the chosen equation, then other forms"""

    @classmethod
    def over(
        cls,
        x: Floats,
        outcome: Outcome,
        equations: Sequence[Expression],
        others: Floats | None = None,
        column: int = 0,
        has_band: bool = True,
    ) -> Band:
        """Compute curves and band of a fit over a column with the values `x`; the first equation is chosen.

        `others` has one value for each column, at which the other columns stay.
        """
        points = _points(x)
        rows = np.tile(np.zeros(1) if others is None else others, (len(points), 1))
        rows[:, column] = points
        curves = tuple(values([equation], rows, 1)[0][0] for equation in equations)
        if not (has_band and outcome.forms):
            return cls(points, None, None, curves)
        ends = interval(predicted_by_forms(outcome, rows), LEVEL, of_measurements=True)
        return cls(points, ends[:, 0], ends[:, 1], curves)


def spans_decades(numbers: Floats) -> bool:
    """Return whether positive values span enough decades for a logarithmic axis."""
    return bool(numbers.min() > 0.0 and numbers.max() >= LOGARITHMIC * numbers.min())


def _points(x: Floats) -> Floats:
    low, high = float(x.min()), float(x.max())
    if spans_decades(x):
        room = (high / low) ** BEYOND
        return np.geomspace(low / room, high * room, N_POINTS)
    room = BEYOND * (high - low) or 0.5 * abs(low) or 0.5
    least = low - room
    return np.linspace(max(least, 0.0) if low >= 0.0 else least, high + room, N_POINTS)
