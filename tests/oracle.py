"""An independent evaluation in NumPy, with a bound on how far rounding may have carried it.

Every node's bound is the sum of its operands' bounds times its slopes, plus a few units in its last place:
the first-order error of computing the tree in double precision. Two correct evaluations differ by less than
the sum of their bounds, however badly conditioned the expression is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddsr.expression import Expression
from ddsr.expression.operators import Operator, numpy_function

Floats = NDArray[np.float64]
UNIT = np.finfo(np.float64).eps
ULPS_PER_STEP = 8  # vector math libraries promise 4


class Bounded(NamedTuple):
    """Values, how far they may be off, and whether everything below was finite."""

    value: Floats
    bound: Floats
    is_finite: NDArray[np.bool_]


def evaluate(expression: Expression, X: Floats) -> Bounded:
    """Values of the expression on the rows of X."""
    n = len(X)

    def leaf(values: Floats) -> Bounded:
        return Bounded(values, np.zeros(n), np.isfinite(values))

    with np.errstate(all="ignore"):
        return expression.fold(
            variable=lambda column: leaf(X[:, column].astype(float)),
            constant=lambda value: leaf(np.full(n, value)),
            one=leaf(np.ones(n)),
            apply=_apply,
        )


def _apply(operator: Operator, operands: list[Bounded]) -> Bounded:
    values = [operand.value for operand in operands]
    value = np.asarray(numpy_function(operator)(*values), dtype=float)
    bound = ULPS_PER_STEP * UNIT * np.abs(value)
    for place, operand in enumerate(operands):
        bound = bound + np.abs(_slope(operator, values, place)) * operand.bound
    is_finite = np.isfinite(value)
    for operand in operands:
        is_finite = is_finite & operand.is_finite
    return Bounded(value, bound, is_finite)


def _slope(operator: Operator, values: list[Floats], place: int) -> Floats:
    """By central differences: it need only be right to a digit."""
    function = numpy_function(operator)
    step = 1e-6 * np.maximum(np.abs(values[place]), 1e-3)
    up, down = list(values), list(values)
    up[place], down[place] = values[place] + step, values[place] - step
    return np.asarray((function(*up) - function(*down)) / (2 * step))
