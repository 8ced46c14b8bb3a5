"""Model averaging: prediction intervals over all likely forms, and the rows to measure next.

Each form predicts a Student's t distribution from its value, the uncertainty of its constants, and the noise.
The forms are mixed by their weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddsr.data.arrays import Floats
from ddsr.data.losses import SQUARED, Loss
from ddsr.engine import gradients, values
from ddsr.price.description_length import LEAST_STRENGTH
from ddsr.selection.outcome import Outcome
from ddsr.selection.posterior import Form

LEAST_LIKELY = 0.01  # share of the likeliest form's weight, below which forms are ignored
# Squared error of a suggested row after its measurement, relative to one measurement's. It is small, so that
# the next rows add something else.
WELL_MEASURED = 0.01
LEAST_GAIN = 0.05  # ratio of remaining variance to the noise's, below which a row adds nothing more
HALVINGS = 60  # number of times that the interval around a quantile is halved


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predictions of all forms on some rows."""

    weights: Floats
    """(K,) weights of the forms, with sum 1"""
    values: Floats
    """(K, n)"""
    effects: tuple[Floats, ...]
    """(n, k) for each form: effect of a standard deviation in each direction of its k constants"""
    noise: Floats
    """(K, n) standard deviations of measurements"""
    n_degrees: NDArray[np.int64]
    """(K,) degrees of freedom"""

    @property
    def uncertainty(self) -> Floats:
        """(K, n) standard errors due to the constants."""
        return np.array([np.sqrt((each**2).sum(axis=1)) for each in self.effects])

    def of_some(self, is_kept: NDArray[np.bool_]) -> Prediction:
        """Return the predictions of some of the forms."""
        weights = self.weights[is_kept]
        effects = tuple(effect for effect, is_one in zip(self.effects, is_kept, strict=True) if is_one)
        return Prediction(
            weights / weights.sum(),
            self.values[is_kept],
            effects,
            self.noise[is_kept],
            self.n_degrees[is_kept],
        )


def predict_forms(
    forms: Sequence[Form],
    X: Floats,
    *,
    spread: float,
    n_observed: int,
    size_of_y: float | None,
    loss: Loss = SQUARED,
) -> Prediction:
    """Return the predictions of each form; `size_of_y` is None unless errors are relative, see `Outcome`."""
    equations = [form.entry.equation for form in forms]
    # one by one: forms may use other operators
    predicted = np.array([values([equation], X, 1)[0][0] for equation in equations])
    slopes = [gradients([equation], X, 1)[0][0] for equation in equations]
    noise, effects = np.zeros_like(predicted), []
    n_degrees = np.ones(len(forms), dtype=np.int64)
    for row, form in enumerate(forms):
        entry = form.entry
        n_degrees[row] = form.n_degrees(n_observed)
        variance, is_known = loss.variance(entry.nrmse * spread)
        error = np.sqrt(variance) if is_known else form.error(spread, n_observed)
        if size_of_y is None:
            noise[row] = error * loss.noise_of(predicted[row])
        else:
            noise[row] = error * np.abs(predicted[row]) / size_of_y
        covariance = covariance_of(form.is_measured, form.information, variance, n_observed, is_known)
        strengths, directions = np.linalg.eigh(covariance)
        with np.errstate(all="ignore"):  # some slopes are not defined
            effects.append(
                slopes[row][:, : len(covariance)] @ (directions * np.sqrt(np.maximum(strengths, 0.0)))
            )
    weights = np.array([form.weight for form in forms])
    return Prediction(weights / weights.sum(), predicted, tuple(effects), noise, n_degrees)


def covariance_of(
    is_free: Sequence[bool],
    information: Floats | None,
    loss: float,
    n_observed: int,
    is_known: bool = False,
) -> Floats:
    """Return the covariance of the constants, 0 for fixed ones, omitting undetermined directions."""
    covariance = np.zeros((len(is_free), len(is_free)))
    free = np.flatnonzero(is_free)
    n_degrees = n_observed if is_known else n_observed - len(free)
    if information is None or n_degrees <= 0 or len(free) == 0:
        return covariance
    some = information[np.ix_(free, free)]
    if not np.isfinite(some).all():
        return covariance
    slopes = np.sqrt(np.diagonal(some))
    scale = np.where(slopes > 0.0, slopes, 1.0)
    inverse = np.linalg.pinv(some / np.outer(scale, scale), rcond=LEAST_STRENGTH, hermitian=True)
    with np.errstate(over="ignore"):  # a constant that hardly changes any prediction is undetermined
        covariance[np.ix_(free, free)] = loss / n_degrees * inverse / np.outer(scale, scale)
    return np.nan_to_num(covariance, nan=0.0, posinf=0.0, neginf=0.0)


def predicted_by_forms(outcome: Outcome, rows: Floats) -> Prediction:
    """Predict with the forms of a fit, each with its noise and the uncertainty of its constants."""
    return predict_forms(
        outcome.forms,
        rows,
        spread=outcome.spread,
        n_observed=outcome.n_counted if outcome.n_observed is None else outcome.n_observed,
        size_of_y=outcome.size_of_y if outcome.noise == "relative" else None,
        loss=outcome.loss,
    )


def interval(prediction: Prediction, level: float, *, of_measurements: bool) -> Floats:
    """Return (n, 2) limits between which the mixture of the forms has the probability `level`."""
    variance = prediction.uncertainty**2 + (prediction.noise**2 if of_measurements else 0.0)
    widths = np.sqrt(variance)
    tail = 0.5 * (1.0 - level)
    return np.column_stack([_quantile(prediction, widths, share) for share in (tail, 1.0 - tail)])


def _quantile(prediction: Prediction, widths: Floats, share: float) -> Floats:
    from scipy.special import stdtr, stdtrit

    degrees = prediction.n_degrees[:, None]
    with np.errstate(invalid="ignore"):
        each = prediction.values + widths * stdtrit(degrees, share)
    is_finite = np.isfinite(each)
    # where a form is undefined, the others share its weight; if all are undefined, there is no interval
    weights = np.where(is_finite, prediction.weights[:, None], 0.0)
    with np.errstate(invalid="ignore"):
        weights /= weights.sum(axis=0)
    has_any = is_finite.any(axis=0)
    low = np.where(has_any, np.where(is_finite, each, np.inf).min(axis=0), np.nan)
    high = np.where(has_any, np.where(is_finite, each, -np.inf).max(axis=0), np.nan)
    centre = np.where(is_finite, prediction.values, 0.0)
    least = np.where(is_finite, np.maximum(widths, np.finfo(np.float64).tiny), 1.0)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        below = (weights * stdtr(degrees, (middle - centre) / least)).sum(axis=0)
        low, high = np.where(below < share, middle, low), np.where(below < share, high, middle)
    return np.asarray(0.5 * (low + high))


def informative_rows(prediction: Prediction, n: int, X: Floats | None = None) -> list[int]:
    """Return the rows where likely forms and constants differ most, compared with the noise, best first.

    Rows are chosen one after the other, each as if those before it had been measured well, so that no two
    rows add the same. Once no row adds anything, rows are chosen that are far from the chosen ones in `X`.
    """
    factors, noise = _unknown(prediction)
    is_open = np.isfinite(factors).all(axis=1) & np.isfinite(noise)
    factors = np.where(is_open[:, None], factors, 0.0)
    left = np.eye(factors.shape[1])  # what is still unknown in each direction
    distances = np.full(len(factors), np.inf)
    chosen: list[int] = []
    for _ in range(min(n, int(is_open.sum()))):
        gains = np.einsum("ni,ij,nj->n", factors, left, factors) / noise
        is_known = bool(chosen) and X is not None and gains[is_open].max() < LEAST_GAIN
        best = int(np.argmax(np.where(is_open, distances if is_known else gains, -np.inf)))
        chosen.append(best)
        is_open[best] = False
        known = left @ factors[best]
        left -= np.outer(known, known) / (factors[best] @ known + WELL_MEASURED * noise[best])
        if X is not None:
            distances = np.minimum(distances, _distances(X, best))
    return chosen


def _unknown(prediction: Prediction) -> tuple[Floats, Floats]:
    """Return factors F (n, r) of the covariance F Fᵀ of likely predictions, and the noise's variance."""
    is_likely = prediction.weights >= LEAST_LIKELY * prediction.weights[0]
    prediction = prediction.of_some(is_likely)
    roots = np.sqrt(prediction.weights)
    mean = prediction.weights @ prediction.values
    between = (roots[:, None] * (prediction.values - mean)).T
    within = [root * effect for root, effect in zip(roots, prediction.effects, strict=True)]
    noise = np.maximum(prediction.weights @ prediction.noise**2, np.finfo(np.float64).tiny)
    return np.column_stack([between, *within]), noise


def _distances(X: Floats, row: int) -> Floats:
    """Return the distances of all rows from one of them, with each column relative to its range."""
    wide = np.ptp(X, axis=0)
    return np.asarray(np.sqrt((((X - X[row]) / np.where(wide > 0.0, wide, 1.0)) ** 2).sum(axis=1)))
