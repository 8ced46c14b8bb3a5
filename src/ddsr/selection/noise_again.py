"""Second choice of the noise model, based on the equations that a search found.

Before the search, only the cheapest structures show how errors grow with y (`ddsr.price.noise`). If none of
them is near the law, their misfit hides the noise. The candidates of the choice are nearer.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from ddsr.engine import Engine
from ddsr.expression import Batch
from ddsr.price.description_length import digits, nats_of_structure
from ddsr.price.enumeration import NATS_OF_SIZE, TOLERANCE, FittedForm
from ddsr.price.model import Model
from ddsr.price.noise import CONSTANT, NoiseModel, may_be_relative, noise_shown_by, relative_weights
from ddsr.selection.canonical import canonical

MAX_STEPS = 30


def noise_again(models: Sequence[Model], engine: Engine) -> NoiseModel:
    """Return the noise model under which the best of the models has the shorter description."""
    y = engine.target
    if not models or not may_be_relative(y):
        return CONSTANT
    written = canonical(models)
    constant = _fitted(written, engine.reweighted(None))
    relative = _fitted(written, engine.reweighted(relative_weights(y)))
    return noise_shown_by(constant, relative, engine.rows, y)


def _fitted(models: Sequence[Model], engine: Engine) -> list[FittedForm]:
    batch = Batch.of(model.expression for model in models)
    is_fixed = ~batch.mask(model.is_free for model in models)
    scores = engine.refit(batch, is_fixed, max_steps=MAX_STEPS, tolerance=TOLERANCE)
    assert scores.information is not None  # a refit always has it
    fitted = []
    for row, model in enumerate(models):
        nrmse = float(scores.nrmse[row])
        if not np.isfinite(nrmse):
            continue
        found = Model(scores.batch[row], model.is_fixed)
        n_free = len(found.free_constants)
        # beyond what each form pays for a constant
        more_digits = digits(found, nrmse * engine.spread, scores.information[row], engine.n_counted)
        more_digits -= n_free * (0.5 * log(engine.n_counted) + NATS_OF_SIZE)
        nats = nats_of_structure(found.expression, tuple(found.is_fixed)) + more_digits
        fitted.append(FittedForm(found.expression, found.is_free, nats, (nrmse * engine.spread) ** 2))
    return fitted
