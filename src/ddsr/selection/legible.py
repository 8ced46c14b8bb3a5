"""Significant digits of constants: as few as possible while the equation keeps its values.

Far from the origin, four digits are too few: `exp(-(w - 6563)^2)` is not the line at 6562.76.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.expression.printing import SHORT_PRECISION
from ddsr.search.front import FrontEntry

MOST_DIGITS = 17
# Rounding may change the values by this share of the error, or of the spread of y if the error is smaller.
SHARE_OF_ERROR, SHARE_OF_SPREAD = 0.1, 1e-3
MOST_OF_FIXED = 9  # digits of a fixed number that is written in full, such as 1013.25


def with_precision(entry: FrontEntry, information: Floats | None, spread: float) -> FrontEntry:
    """Return the entry with the significant digits that each constant needs, at least `SHORT_PRECISION`.

    `information` is `Scores.information`.
    """
    constants = np.array(entry.equation.constants)
    if information is None or not len(constants) or not np.isfinite(information).all():
        return entry
    allowed = max(SHARE_OF_ERROR * entry.nrmse, SHARE_OF_SPREAD) * spread
    is_free = entry.is_free or (True,) * len(constants)
    precision = np.array(
        [
            SHORT_PRECISION if each else _digits_of_fixed(value)
            for value, each in zip(constants, is_free, strict=True)
        ]
    )
    while True:
        rounded = [float(f"{value:.{n}g}") for value, n in zip(constants, precision, strict=True)]
        steps = constants - rounded
        if steps @ information @ steps <= allowed**2:
            return replace(entry, precision=tuple(map(int, precision)))
        coarsest = int(np.argmax(np.abs(steps) * np.sqrt(np.diagonal(information))))
        if precision[coarsest] == MOST_DIGITS:
            return replace(entry, precision=tuple(map(int, precision)))
        precision[coarsest] += 1


def _digits_of_fixed(value: float) -> int:
    exact = (n for n in range(SHORT_PRECISION, MOST_OF_FIXED + 1) if float(f"{value:.{n}g}") == value)
    return next(exact, SHORT_PRECISION)
