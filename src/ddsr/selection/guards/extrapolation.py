"""Expected cost of predictions that explode outside the data, as nested exponentials do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import values
from ddsr.expression import Batch
from ddsr.price.model import Model
from ddsr.selection.samples import Samples

# Ranges of y beyond which a prediction counts as an explosion. Laws also grow, so less proves nothing.
MOST_RANGES = 10.0
HUGE = 1e100  # cap on predictions, so that their squares are finite


def nats_of_growth(
    models: Sequence[Model], mean_squares: NDArray[np.float64], samples: Samples
) -> NDArray[np.float64]:
    """Return how much worse each model is expected to do on new rows, in nats.

    `mean_squares` are those of the models' residuals. `Samples.outer` are isolated outermost rows, moved
    outwards. A new row is the outermost of n+1 rows with probability 1 / (n+1), at each end of each column.
    Predictions there beyond ten ranges of y count as errors. Undefined ones cost nothing: √x ends at 0.
    """
    if len(models) == 0 or not samples.engine.dataset.loss.is_of_values:
        return np.zeros(len(models))
    engine, target = samples.engine, samples.audited.target
    batch = Batch.of(model.expression for model in models)
    outer = samples.outer(_columns_of(batch))
    if len(outer) == 0:
        return np.zeros(len(models))
    predicted, _ = values(batch, outer, engine.n_threads)
    least, most = target.min(), target.max()
    with np.errstate(all="ignore"):
        distance = np.abs(predicted - 0.5 * (least + most)) - MOST_RANGES * (most - least)
        beyond = np.clip(np.nan_to_num(distance, nan=0.0, posinf=HUGE), 0.0, HUGE)  # (B, ends)
        added = (beyond**2).sum(axis=1) / (engine.n_counted + 1)
        nats = 0.5 * engine.n_counted * np.log1p(added / mean_squares)
    return np.asarray(np.where(added > 0.0, np.nan_to_num(nats, nan=0.0), 0.0))


def _columns_of(batch: Batch) -> set[int]:
    """Return the columns that the expressions use; nothing changes beyond the ends of the others."""
    columns = np.unique(batch.tokens) - batch.vocabulary.first_variable
    return set(columns[(columns >= 0) & (columns < len(batch.vocabulary.variables))].tolist())
