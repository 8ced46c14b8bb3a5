"""What counts as rounding: errors that are too small, or too near to each other, to tell equations apart."""

from __future__ import annotations

from ddsr.engine import Engine

# Errors below this share of y's spread (NRMSE) are rounding: the equation is exact, and none is better.
EXACT = 1e-12
# Relative: two errors so near are the same.
SAME_ERROR = 1e-9
# Relative: errors and predictions of two fits that are so near belong to one function in two notations.
SAME_FUNCTION = 1e-6
# The rounding of y and of predictions, as a share of y's root mean square.
SHARE_OF_Y = 1e-13


def is_lower(nrmse: float, other: float) -> bool:
    """Whether an error is lower than another by more than rounding."""
    return max(nrmse, EXACT) < (1.0 - SAME_ERROR) * other


def rounding_of(engine: Engine) -> float:
    """The NRMSE that the rounding of y and of the predictions explains, also far from the origin."""
    return SHARE_OF_Y * engine.root_mean_square / engine.spread
