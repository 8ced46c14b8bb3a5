"""The units that the constants of a consistent expression have."""

from __future__ import annotations

import numpy as np

from ddsr import _core
from ddsr.expression import Expression


def units_of_constants(expression: Expression, units: _core.Units) -> list[list[int] | None]:
    """Return the unit of each constant; None if those of the variables and of y do not determine it."""
    tokens = np.array(expression.tokens, dtype=np.int16)
    return _core.units_of_constants(expression.vocabulary.core, units, tokens, expression.constants)
