"""Cost of exact fits that depend on a single row, such as a spike fitted to it."""

from __future__ import annotations

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.engine import gradients, values
from ddsr.price.model import Model
from ddsr.selection.guards.leverage import LEAST_FREEDOM, RELATIVE_RANK
from ddsr.selection.samples import Samples

LEAST_MISS = 1e-3  # in spreads of y: a left-out row with a smaller error counts as explained


def nats_of_lone_rows(model: Model, samples: Samples, least_nrmse: float) -> float:
    """Return how much worse an exact model predicts rows that were left out of the fit, in nats.

    Only rows that determine a constant alone are left out, one at a time. A Gauss-Newton step then fits the
    constants to the others. A law that is exact on the others predicts such a row too, however far out it is.
    A pole at the only row where y is not 0 does not: the other rows set its factor to 0.
    """
    engine = samples.engine
    rows, target, weights, _, n_counted = samples.audited
    if not any(model.is_fitted) or not engine.dataset.loss.is_squared:
        return 0.0
    predicted, _ = values([model.expression], rows, engine.n_threads)
    slopes, _ = gradients([model.expression], rows, engine.n_threads)
    with np.errstate(all="ignore"):
        fitted = slopes[0][:, : len(model.is_fixed)][:, np.array(model.is_fitted, dtype=bool)]
        missed = _missed_unseen(fitted, weights, target - predicted[0]) / engine.spread
        share = float((missed**2).sum()) / len(rows)
    if not missed.max(initial=0.0) > LEAST_MISS:
        return 0.0
    return float(n_counted * max(0.0, 0.5 * np.log(share) - np.log(least_nrmse)))


def _missed_unseen(slopes: Floats, weights: Floats, errors: Floats) -> Floats:
    """Return the error of each row that determines a constant alone, when it is left out of the fit."""
    roots = np.sqrt(weights)
    seen = np.nan_to_num(roots[:, None] * slopes, posinf=0.0, neginf=0.0)
    wanted = np.nan_to_num(roots * errors, posinf=0.0, neginf=0.0)
    basis, strengths, _ = np.linalg.svd(seen / _norms(seen), full_matrices=False)
    leverage = (basis[:, strengths > np.sqrt(RELATIVE_RANK) * strengths.max(initial=0.0)] ** 2).sum(axis=1)
    missed = []
    for row in np.flatnonzero(1.0 - leverage < LEAST_FREEDOM):
        others = np.delete(seen, row, axis=0)
        scale = _norms(others)
        step = np.linalg.pinv(others / scale, rcond=np.sqrt(RELATIVE_RANK)) @ np.delete(wanted, row) / scale
        missed.append(abs(errors[row] - slopes[row] @ step))
    found = np.array(missed)
    return np.asarray(np.where(np.isfinite(found), found, 0.0))


def _norms(columns: Floats) -> Floats:
    norms = np.sqrt((columns**2).sum(axis=0))
    return np.asarray(np.where(norms > 0.0, norms, 1.0))
