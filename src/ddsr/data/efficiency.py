"""How much a fit by a loss says about the constants, from its residuals.

The constants of a fit by the loss ρ have the covariance V (JᵀJ)⁻¹ with V = E[ψ²] / E[ψ']², where ψ is the
derivative of ρ at the residuals (Huber 1973). For squares, V is the mean square. For a quantile τ it is
τ (1 − τ) / f², where f is the density of the residuals at 0 (Koenker and Bassett 1978).
"""

from __future__ import annotations

from math import isfinite, pi, sqrt
from statistics import NormalDist

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.data.losses import HUBER, Loss

LEAST_ROWS = 10
NORMAL = NormalDist()
Z_OF_95 = 1.959964
NORMAL_QUARTILES = 1.349  # distance between the quartiles of the normal distribution
# The usual reach is too wide for tables of 20 to 80 rows.
SHARE_OF_REACH = 0.5
MOST_SHARE = 0.95  # of the way from the quantile to 0 or 1
SCALE_STEPS = 30


def efficiency(loss: Loss, error: float, residuals: Floats, weights: Floats | None) -> float:
    """Return error² / V, the information on the constants relative to that of normal errors of this size.

    It is 1 for losses whose likelihood gives the variance, and for too few rows.
    """
    kept = np.ones(len(residuals)) if weights is None else weights
    is_kept = kept > 0.0
    if loss.name not in ("absolute", "quantile", "huber") or is_kept.sum() < LEAST_ROWS:
        return 1.0
    of_rows = residuals[is_kept], kept[is_kept] / kept[is_kept].sum()
    variance = _of_huber(*of_rows) if loss.name == "huber" else _of_quantile(loss.quantile, *of_rows)
    found = error**2 / variance if variance > 0.0 else 1.0
    return found if isfinite(found) and found > 0.0 else 1.0


def _of_quantile(quantile: float, residuals: Floats, shares: Floats) -> float:
    """Return τ (1 − τ) / f², with f from the share of small residuals (Powell 1991).

    How small depends on their spread and on their number (Hall and Sheather 1988).
    """
    z = NORMAL.inv_cdf(quantile)
    density = NORMAL.pdf(z)
    n = 1.0 / float((shares**2).sum())  # effective number of rows
    reach = (
        SHARE_OF_REACH
        * n ** (-1 / 3)
        * Z_OF_95 ** (2 / 3)
        * (1.5 * density**2 / (2.0 * z * z + 1.0)) ** (1 / 3)
    )
    reach = min(reach, MOST_SHARE * min(quantile, 1.0 - quantile))
    order = np.argsort(residuals)
    middles = np.cumsum(shares[order]) - 0.5 * shares[order]
    low, high = np.interp([0.25, 0.75], middles, residuals[order])
    width = (
        (high - low)
        / NORMAL_QUARTILES
        * (NORMAL.inv_cdf(quantile + reach) - NORMAL.inv_cdf(quantile - reach))
    )
    if not width > 0.0:
        return 0.0
    at_zero = float(shares[np.abs(residuals) <= width].sum()) / (2.0 * width)
    return quantile * (1.0 - quantile) / at_zero**2 if at_zero > 0.0 else 0.0


def _of_huber(residuals: Floats, shares: Floats) -> float:
    scale = _huber_scale(np.abs(residuals), shares)
    if not scale > 0.0:
        return 0.0
    z = residuals / scale
    of_squares = float(shares @ np.clip(z, -HUBER, HUBER) ** 2)
    share_inside = float(shares[np.abs(z) <= HUBER].sum())
    return scale**2 * of_squares / share_inside**2 if share_inside > 0.0 else 0.0


def _huber_scale(sizes: Floats, shares: Floats) -> float:
    """Return the scale at which min(z², c²) has the mean that it has for normal errors, as in the core."""
    inside = 2.0 * NORMAL.cdf(HUBER) - 1.0
    expected = inside - 2.0 * HUBER * NORMAL.pdf(HUBER) + HUBER**2 * (1.0 - inside)
    scale = float(shares @ sizes) * sqrt(pi / 2.0)
    for _ in range(SCALE_STEPS):
        if not (scale > 0.0 and isfinite(scale)):
            return 0.0
        scale *= sqrt(float(shares @ np.minimum(sizes / scale, HUBER) ** 2) / expected)
    return scale
