"""The backward process: from a fully masked sequence to an expression, one kept position at a time.

Each step predicts every position, fills the masked ones legally from left to right, and keeps one more
position of an order drawn up front (the paper's Algorithm `sampling_expressison` and the text around it).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ddsr._core import MASK, PAD
from ddsr.categorical import SAMPLING
from ddsr.diffusion.denoising import DenoisingGenerator, Tokens
from ddsr.diffusion.masking import Masked, draw_unmask_order, mask_at_random
from ddsr.diffusion.predictor import Pending


class MaskedDiffusion(DenoisingGenerator[Masked]):
    """The paper's generator: random positions are masked, and a fill of the grammar unmasks them."""

    def draw(self, n_rows: int, epoch: int) -> Tokens:
        """Run the backward process from X_M, all masked, to X_0.

        The batch is cut into parts that take turns: the grammar fills one while the network predicts another.
        """
        rng = np.random.default_rng((self.seed, SAMPLING, epoch))
        order = draw_unmask_order(n_rows, self.grammar.max_length, rng)
        n_parts = self.predictor.n_parts
        parts = [
            Backward(self, part, order[part::n_parts], stream=epoch * n_parts + part)
            for part in range(n_parts)
        ]
        for step in range(self.grammar.max_length, 0, -1):
            for part in parts:
                self.deadline.check()
                part.take_step(step)
        drawn = np.empty((n_rows, self.grammar.max_length), dtype=np.int16)
        for part in parts:
            drawn[part.index :: n_parts] = part.drawn
        return drawn

    def predict(self, noisy_tokens: Tokens, step: int) -> NDArray[np.float32]:
        """Logits of q(X_0) on the host."""
        return self.predictor.start(0, noisy_tokens, step)()

    def corrupt(self, clean_tokens: Tokens, rng: np.random.Generator) -> Masked:
        """X_t at a random step t, for the objective."""
        return mask_at_random(clean_tokens, rng)


class Backward:
    """The backward process of one part of a batch."""

    def __init__(self, generator: MaskedDiffusion, index: int, order: NDArray[np.int64], stream: int) -> None:
        self.generator, self.index, self.order = generator, index, order
        self.max_length = order.shape[1]
        self.first_stream = stream * self.max_length
        self.kept = np.full(order.shape, MASK, dtype=np.int16)
        self.drawn = np.full(order.shape, PAD, dtype=np.int16)
        self.active = np.arange(len(order))
        self.pending = self._start(self.max_length)

    def take_step(self, step: int) -> None:
        """X_t → X_{t−1}: fill from the prediction, keep one more position, ask for the next prediction."""
        if len(self.active) == 0:
            return
        generator, kept = self.generator, self.kept[self.active]
        stream = self.first_stream + step - 1
        filled = generator.grammar.fill_tokens(
            self.pending(), kept, generator.seed, stream, generator.n_threads
        )
        self.drawn[self.active] = filled
        kept = keep_one_more(kept, filled, self.order[self.active, self.max_length - step])
        self.kept[self.active] = kept
        self.active = self.active[~is_complete(kept, filled)]
        if step > 1 and len(self.active):
            self.pending = self._start(step - 1)

    def _start(self, step: int) -> Pending:
        return self.generator.predictor.start(self.index, self.kept[self.active], step)


def keep_one_more(kept: Tokens, filled: Tokens, position: NDArray[np.int64]) -> Tokens:
    """Keep the tokens kept before, as far as they were legal, and that at one more position.

    A position that lies outside the tree just filled reveals nothing, and stays masked.
    """
    rows = np.arange(len(kept))
    is_kept = kept != MASK
    is_kept[rows, position] = True
    return np.where(is_kept & (filled != PAD), filled, MASK).astype(np.int16)


def is_complete(kept: Tokens, filled: Tokens) -> NDArray[np.bool_]:
    """Whether the kept tokens are a whole expression: nothing of it is left to draw."""
    return np.asarray(((kept != MASK) | (filled == PAD)).all(axis=1))
