"""Canonical notation: one way to write all trees of a function that differ only by algebra.

`core/price/building.hpp` defines which trees count as the same function. Constants stand where people put
them, as in a * x / (b + x) and a + b * exp(c * x). A fixed one stays fixed unless a fitted one absorbs it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ddsr import _core
from ddsr.expression import Batch
from ddsr.price.model import Model


def canonical(models: Sequence[Model]) -> list[Model]:
    """Return each model in canonical notation.

    A model stays as it is if its operators cannot express that notation, or if a constant overflows.
    """
    if not models:
        return []
    if models[0].expression.is_filled:
        return [model.with_parts(canonical(model.parts)) for model in models]
    batch = Batch.of([model.expression for model in models])
    is_free = batch.mask(model.is_free for model in models).view(np.uint8)
    tokens, constants, is_fixed = _core.canonical(
        batch.vocabulary.core, batch.tokens, batch.constants, is_free
    )
    is_written = (tokens[:, 0] >= 0).tolist()
    found = []
    for row, model in enumerate(models):
        if is_written[row]:
            expression = Batch(batch.vocabulary, tokens[row : row + 1], constants[row : row + 1])[0]
            flags = is_fixed[row, : expression.n_constants].astype(bool).tolist()
            model = Model(expression, tuple(flags))
        found.append(model)
    return found
