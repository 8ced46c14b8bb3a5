"""An independent evaluation in NumPy, with a bound on its rounding error.

Every node's bound is the sum of its operands' bounds times its slopes, plus a few units in its last place.
This is the first-order error of computing the tree in double precision. Two correct evaluations differ by
less than the sum of their bounds, however badly conditioned the expression is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ddsr.expression import Expression
from ddsr.expression.operators import Operator, numpy_function

Floats = NDArray[np.float64]
UNIT = np.finfo(np.float64).eps
ULPS_PER_STEP = 8  # vector math libraries guarantee 4
ULPS_OF_GAMMA = 200

SLOPES = {
    "add": (lambda a, b: np.ones_like(a), lambda a, b: np.ones_like(a)),
    "sub": (lambda a, b: np.ones_like(a), lambda a, b: -np.ones_like(a)),
    "mul": (lambda a, b: b, lambda a, b: a),
    "div": (lambda a, b: 1 / b, lambda a, b: -a / b**2),
    "pow": (lambda a, b: b * a ** (b - 1), lambda a, b: a**b * np.log(np.abs(a))),
    "sin": (np.cos,),
    "cos": (np.sin,),
    "log": (lambda a: 1 / a,),
    "sqrt": (lambda a: 0.5 / np.sqrt(a),),
    "exp": (np.exp,),
    "tan": (lambda a: 1 / np.cos(a) ** 2,),
    "tanh": (lambda a: 1 / np.cosh(a) ** 2,),
    "asin": (lambda a: 1 / np.sqrt(1 - a**2),),
    "acos": (lambda a: 1 / np.sqrt(1 - a**2),),
    "atan": (lambda a: 1 / (1 + a**2),),
    "sinh": (np.cosh,),
    "cosh": (np.sinh,),
    "abs": (np.ones_like,),
    "neg": (np.ones_like,),
    "inverse": (lambda a: 1 / a**2,),
    "square": (lambda a: 2 * a,),
    "cube": (lambda a: 3 * a**2,),
    "min": (lambda a, b: np.ones_like(a), lambda a, b: np.ones_like(b)),
    "max": (lambda a, b: np.ones_like(a), lambda a, b: np.ones_like(b)),
    "sign": (np.zeros_like,),
    "floor": (np.zeros_like,),
    "step": (np.zeros_like,),
    "erf": (lambda a: 1.2 * np.exp(-(a**2)),),
    "gamma": (lambda a: special.gamma(a) * special.psi(a),),
    "logistic": (lambda a: special.expit(a) * special.expit(-a),),
    "relu": (np.ones_like,),
    "atan2": (lambda a, b: b / (a**2 + b**2), lambda a, b: a / (a**2 + b**2)),
    "hypot": (lambda a, b: np.ones_like(a), lambda a, b: np.ones_like(a)),
}
"""Absolute slopes, as the bounds need them."""

EDGES = {
    "div": 0.0,
    "inverse": 0.0,
    "log": 0.0,
    "sqrt": 0.0,
    "asin": 1.0,
    "acos": 1.0,
    "sign": 0.0,
    "step": 0.0,
}
"""Absolute values of the last operand where an operator's domain ends or has a hole, or its value jumps."""


LARGEST_ANGLE = 1e6
"""Above it the last digits of an angle are whole turns, also if the oracle takes it as exact."""
LARGEST_EXPONENT = 64.0
"""(2 / u)^809 has a value where 2^809 / u^809 overflows: equal forms of such powers cannot be compared."""


class Bounded(NamedTuple):
    """Values, their error bounds, the largest bound below, and whether all values below are finite."""

    value: Floats
    bound: Floats
    worst: Floats
    is_finite: NDArray[np.bool_]


def evaluate(expression: Expression, X: Floats) -> Bounded:
    """Values of the expression on the rows of X."""
    n = len(X)

    def leaf(values: Floats) -> Bounded:
        return Bounded(values, np.zeros(n), np.zeros(n), np.isfinite(values))

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
    ulps = ULPS_OF_GAMMA if operator.name == "gamma" else ULPS_PER_STEP
    bound = np.where(np.isfinite(value), ulps * UNIT * np.abs(value) + 1e-307, 0.0)
    worst, is_finite = np.zeros(len(value)), np.isfinite(value)
    for slope, operand in zip(SLOPES[operator.name], operands, strict=True):
        # an infinite slope does not matter if the operand is exact, as at the edge of a domain
        carried = np.where(operand.bound > 0, np.abs(slope(*values)) * operand.bound, 0.0)
        bound = bound + np.where(np.isnan(carried), np.inf, carried)
        worst = np.maximum(worst, operand.worst)
        is_finite = is_finite & operand.is_finite
    # if rounding decides on which side of an edge an operand lies, it decides whether there is a value
    if operator.name in EDGES:
        bound = np.where(_may_reach(operands[-1], EDGES[operator.name]), np.inf, bound)
    if operator.name in ("floor", "gamma"):
        bound = np.where(_may_reach_whole(operands[0]), np.inf, bound)
    if operator.name == "atan2":  # a whole turn
        bound = np.where(_may_reach(operands[0], 0.0) & (values[1] <= operands[1].bound), np.inf, bound)
    if operator.name in ("sin", "cos", "tan"):
        bound = np.where(np.abs(values[0]) > LARGEST_ANGLE, np.inf, bound)
    if operator.name == "pow":
        bound = np.where(np.abs(values[1]) > LARGEST_EXPONENT, np.inf, bound)
        # a negative base has a power only if the exponent is exactly an integer
        has_edge = (values[1] < 0) | (values[1] != np.trunc(values[1]))
        bound = np.where(has_edge & _may_reach(operands[0], 0.0), np.inf, bound)
        bound = np.where((values[0] <= 0) & (operands[1].bound > 0), np.inf, bound)
    return Bounded(value, bound, np.maximum(worst, bound), is_finite)


def _may_reach(operand: Bounded, size: float) -> NDArray[np.bool_]:
    """Whether the operand's exact absolute value may be `size`, given the error bound."""
    return (operand.bound > 0) & (np.abs(np.abs(operand.value) - size) <= operand.bound)


def _may_reach_whole(operand: Bounded) -> NDArray[np.bool_]:
    return (operand.bound > 0) & (np.abs(operand.value - np.round(operand.value)) <= operand.bound)


def assert_same_values(original: Expression, other: Expression, X: Floats) -> None:
    """Check equality wherever the original is finite, within the rounding errors of both."""
    before, after = evaluate(original, X), evaluate(other, X)
    # where a bound is as large as the value, rounding decides even the signs
    is_certain = before.is_finite & (before.worst < 1e-6)
    with np.errstate(all="ignore"):  # non-finite values are compared separately
        distance = np.abs(before.value - after.value)
        allowed = 8 * (before.bound + after.bound) + 1e-9 * np.abs(before.value)
    far = (distance > allowed) | ~after.is_finite
    assert not np.any(is_certain & far), f"{original} is not {other}"
