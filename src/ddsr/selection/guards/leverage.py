"""Cost of predicting each row from the others, which exposes constants that fit single rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import gradients, values
from ddsr.expression import Batch
from ddsr.price.model import Model
from ddsr.selection.samples import Samples

# A row with a smaller 1 - h determines a constant alone. Its residual is then rounding, and the other rows
# say nothing about the constant: without the row it might as well be 0.
LEAST_FREEDOM = 1e-3
RELATIVE_RANK = 1e-10  # smaller eigenvalues belong to directions that the data do not determine
WORK_AT_ONCE = 2_000_000  # derivatives held in memory at a time


def nats_of_leverage(
    models: Sequence[Model],
    samples: Samples,
    outliers: Sequence[NDArray[np.intp]] = (),
    tolerated: float = 0.0,
) -> NDArray[np.float64]:
    """Return how much worse each model predicts unseen rows, in nats, beyond what its constants explain.

    To first order, a row with residual e and leverage h is missed by e / (1 - h) when it is left out of the
    fit. Over n rows that costs n log(RMSE left out / RMSE) nats. For even leverages this is the sum of h, one
    for each constant, which the description length has priced already. It is more if constants were fitted to
    single rows. `outliers` are rows of each model that are not counted. Errors up to `tolerated`
    on left-out rows cost nothing: if rows are few, many constants of plain laws depend on one of them.
    """
    found = np.zeros(len(models))
    with_constants = [row for row, model in enumerate(models) if any(model.is_fitted)]
    most_constants = max((len(models[row].is_fixed) for row in with_constants), default=1)
    n_at_once = max(1, WORK_AT_ONCE // (len(samples.audited.rows) * most_constants))
    counted = np.repeat(samples.audited.weights[None], len(models), axis=0)
    for row, named in enumerate(outliers):
        counted[row, named] = 0.0
    for begin in range(0, len(with_constants), n_at_once):
        part = with_constants[begin : begin + n_at_once]
        found[part] = _excess([models[row] for row in part], samples, counted[part], tolerated)
    return found


def _excess(
    models: Sequence[Model], samples: Samples, weights: NDArray[np.float64], tolerated: float
) -> NDArray[np.float64]:
    rows, target, all_weights, counts, n_counted = samples.audited
    batch = Batch.of(model.expression for model in models)
    is_fitted = batch.mask(model.is_fitted for model in models)
    predicted, _ = values(batch, rows, samples.engine.n_threads)
    slopes, _ = gradients(batch, rows, samples.engine.n_threads)
    n_left = n_counted * weights.sum(axis=1) / all_weights.sum()  # without outliers
    with np.errstate(all="ignore"):
        slopes = np.where(is_fitted[:, None, :], slopes, 0.0)
        errors, curvatures = samples.engine.dataset.loss.working(target, predicted)
        weights = weights * curvatures
        leverage, errors = _refitted(slopes, weights, errors)  # (B, n) each
        n_constants = leverage.sum(axis=1)
        leverage = leverage / counts  # leverage of one observation: the others of its row stay in the fit
        left_out = np.abs(errors) / np.maximum(1.0 - leverage, LEAST_FREEDOM)
        alone = np.nonzero(1.0 - leverage < LEAST_FREEDOM)  # indices of models and of their rows
        parts = np.abs(slopes[alone] * batch.constants[alone[0]]).max(axis=1, initial=0.0)
        left_out[alone] = np.maximum(left_out[alone], parts)
        left_out = np.sqrt(np.maximum(errors**2, left_out**2 - tolerated**2))
        ratio = (left_out**2 * weights).sum(axis=1) / (errors**2 * weights).sum(axis=1)
        nats = 0.5 * n_left * np.log(ratio)
    excess = nats - n_constants
    return np.where(excess > 0.0, excess, 0.0)  # NaN comes from an exact fit


def _refitted(
    slopes: NDArray[np.float64], weights: NDArray[np.float64], errors: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the (B, n) leverages of (B, n, K) derivatives, and the errors after a Gauss-Newton step.

    e / (1 - h) holds only at the least-squares solution, which fixed constants and rows without weight
    prevent; hence the step. Derivatives that overflow count as 0.
    """
    roots = np.sqrt(weights)[..., None]
    norms = np.sqrt(((roots * slopes) ** 2).sum(axis=1, keepdims=True))
    units = np.where(np.isfinite(norms) & (norms > 0.0), slopes / norms, 0.0)
    seen = roots * units
    across = seen.transpose(0, 2, 1)
    inverses = np.linalg.pinv(across @ seen, rcond=RELATIVE_RANK, hermitian=True)
    steps = inverses @ (across @ (roots * np.nan_to_num(errors)[..., None]))
    leverage = ((seen @ inverses) * seen).sum(axis=2)
    return np.asarray(leverage), np.asarray(errors - (units @ steps)[..., 0])
