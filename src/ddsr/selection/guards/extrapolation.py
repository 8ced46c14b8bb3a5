"""What an equation that explodes beyond the rows would cost: towers of exp that fit, and must not be used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import values
from ddsr.expression import Batch
from ddsr.price.model import Model
from ddsr.selection.samples import Samples

# Ranges of y beyond which a prediction is an explosion. Laws grow, too: what is less far out is no evidence.
MOST_RANGES = 10.0
HUGE = 1e100  # what is larger, or infinite, counts as this: its square is finite


def nats_of_growth(
    models: Sequence[Model], mean_squares: NDArray[np.float64], samples: Samples
) -> NDArray[np.float64]:
    """Nats by which each model, with this mean square of its residuals, is expected to do worse on new rows.

    `Samples.outer` lie beyond the outermost rows of the data by as much as these stand alone. Any of n+1
    rows may be the outermost, so a new one is, with a chance of 1 / (n+1), at each end of each column. What
    is predicted there beyond ten ranges of y counts as an error; what is undefined is none: √x ends at 0.
    """
    if len(models) == 0:
        return np.zeros(0)
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
    """Columns that any of the expressions has: beyond the ends of the others nothing changes."""
    columns = np.unique(batch.tokens) - batch.vocabulary.first_variable
    return set(columns[(columns >= 0) & (columns < len(batch.vocabulary.variables))].tolist())
