"""Rounding: errors too small, or too close to each other, to distinguish equations."""

from __future__ import annotations

from ddsr.engine import Engine

# NRMSE below which an equation counts as exact and no other equation as better.
EXACT = 1e-12
# Relative difference within which two errors are equal.
SAME_ERROR = 1e-9
# Relative difference of errors and predictions within which two fits show the same function.
SAME_FUNCTION = 1e-6
# Rounding of y and of predictions, as a share of y's root mean square.
SHARE_OF_Y = 1e-13


def is_lower(nrmse: float, other: float) -> bool:
    """Return whether an error is lower than another by more than rounding."""
    return max(nrmse, EXACT) < (1.0 - SAME_ERROR) * other


def rounding_of(engine: Engine) -> float:
    """Return the NRMSE that rounding of y and of the predictions explains, also far from the origin."""
    return SHARE_OF_Y * engine.root_mean_square / engine.spread
