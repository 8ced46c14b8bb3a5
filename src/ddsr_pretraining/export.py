"""A training's network as a file of weights."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from ddsr.generators.prior.weights import CARD, Card, PriorFile
from ddsr_pretraining.checkpoint import Checkpoint


def prior_of_checkpoint(checkpoint: Checkpoint) -> PriorFile:
    """The network of a training in half precision; nothing was measured yet."""
    prefix = "weight/"
    arrays = {
        name.removeprefix(prefix): array.astype(np.float16)
        for name, array in checkpoint.arrays.items()
        if name.startswith(prefix)
    }
    progress = checkpoint.progress
    card = Card(
        checkpoint.network,
        asdict(checkpoint.training),
        checkpoint.recipe,
        progress.step,
        progress.seconds / 3600,
        origin=checkpoint.origin,
    )
    return PriorFile(arrays, {CARD: card.to_text()})
