"""The backward process: from a masked sequence to an expression, keeping more positions at each step.

Each step predicts every position, fills the masked ones legally from left to right, and keeps one more
position in an order drawn in advance (the paper's Algorithm `sampling_expressison` and the text around it).
With fewer steps than positions (`PaperConfig.denoising_steps`), each keeps several more.
It starts from all masks to draw an expression, or from a partly masked expression to vary it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import ExpressionError
from ddsr.expression import MASK, PAD, Tokens
from ddsr.expression.batch import Batch
from ddsr.generators.categorical import SAMPLING, VARYING
from ddsr.generators.diffusion.corrupted import Corrupted
from ddsr.generators.diffusion.denoising import DenoisingGenerator
from ddsr.generators.diffusion.masking import draw_unmask_order, mask_at_random, order_behind
from ddsr.generators.diffusion.predictor import Pending
from ddsr.generators.diffusion.schedule import step_levels
from ddsr.generators.diffusion.variation import mask_parts

FIRST_VARYING_STREAM = 2**40
"""first stream of random numbers for `vary`; lower ones are the epochs of `draw`"""


class MaskedDiffusion(DenoisingGenerator):
    """The paper's generator: random positions are masked, and legal fills unmask them."""

    def draw(self, n_rows: int, epoch: int) -> Tokens:
        """Run the backward process from X_M, all masked, to X_0."""
        rng = np.random.default_rng((self.seed, SAMPLING, epoch))
        order = draw_unmask_order(n_rows, self.grammar.max_length, rng)
        return self.unmask(np.full(order.shape, MASK, dtype=np.int16), order, stream=epoch)

    def vary(
        self, batch: Batch, n_rows: int, epoch: int, masked_share: tuple[float, float] = (0.2, 0.6)
    ) -> Batch:
        """Mask a part of each expression, in turns until `n_rows` are masked, and draw these parts again.

        Return the distinct results that are not in the batch: at most `n_rows`, maybe none. Their constants
        start at 1, as those of sampled expressions do.
        """
        clean_tokens = self._widened(batch)
        known = set(batch.keys(self.n_threads))
        in_turns = np.arange(n_rows) % len(batch) if len(batch) else np.arange(0)
        rng = np.random.default_rng((self.seed, VARYING, epoch))
        masked = mask_parts(clean_tokens[in_turns], self.grammar.vocabulary.arities, masked_share, rng)
        drawn = self.refill(masked, rng, stream=FIRST_VARYING_STREAM + epoch)
        varied = Batch.from_tokens(self.grammar.vocabulary, drawn)
        first_rows: dict[bytes, int] = {}
        for row, key in enumerate(varied.keys(self.n_threads)):
            if key not in known:
                first_rows.setdefault(key, row)
        return varied.take(list(first_rows.values()))

    def refill(self, masked: Corrupted, rng: np.random.Generator, stream: int) -> Tokens:
        """Run the backward process from X_t to X_0, in a random order of the masked positions."""
        order = order_behind(masked.noisy_tokens != MASK, rng)
        return self.unmask(masked.noisy_tokens, order, stream)

    def unmask(self, given: Tokens, order: NDArray[np.int64], stream: int) -> Tokens:
        """Run the backward process from the given tokens, MASK where masked, to X_0.

        The batch is split into parts in turns: the grammar fills one while the network predicts another.
        """
        n_parts = self.predictor.n_parts
        parts = [
            Backward(self, part, given[part::n_parts], order[part::n_parts], stream * n_parts + part)
            for part in range(n_parts)
        ]
        for step in range(self.grammar.max_length, 0, -1):
            for part in parts:
                self.deadline.check()
                part.take_step(step)
        drawn = np.empty(given.shape, dtype=np.int16)
        for part in parts:
            drawn[part.index :: n_parts] = part.drawn
        return drawn

    def predict(self, noisy_tokens: Tokens, step: int) -> NDArray[np.float32]:
        """Return logits of q(X_0) on the host."""
        return self.predictor.start(0, noisy_tokens, step)().of_rows

    def corrupt(self, clean_tokens: Tokens, rng: np.random.Generator) -> Corrupted:
        """Return X_t at a random step t, for the objective."""
        return mask_at_random(clean_tokens, rng)

    def _widened(self, batch: Batch) -> Tokens:
        """Return the batch's tokens, padded to the grammar's length."""
        if batch.vocabulary != self.grammar.vocabulary:
            raise ExpressionError("the expressions to vary and the generator must share one vocabulary")
        longest, max_length = max(batch.sizes, default=0), self.grammar.max_length
        if longest > max_length:
            raise ExpressionError(
                f"an expression to vary has {longest} tokens, the grammar takes {max_length}: leave it out"
            )
        tokens = np.full((len(batch), max_length), PAD, dtype=np.int16)
        tokens[:, :longest] = batch.tokens[:, :longest]
        return tokens


class Backward:
    """The backward process of one part of a batch.

    A row with t masked positions joins at step t; its order begins with the unmasked ones. If t is between
    two steps of the schedule, its first step is shorter, from t to the lower one, since the network reads the
    number of masked positions.
    """

    def __init__(
        self, generator: MaskedDiffusion, index: int, given: Tokens, order: NDArray[np.int64], stream: int
    ) -> None:
        self.generator, self.index, self.given, self.order = generator, index, given, order
        self.max_length = order.shape[1]
        self.first_stream = stream * self.max_length
        self.first_step = (given == MASK).sum(axis=1)
        self.levels = np.array(step_levels(self.max_length, generator.config.denoising_steps))
        self.steps = np.union1d(self.levels, self.first_step)
        self.kept = given.copy()
        self.drawn = np.full(order.shape, PAD, dtype=np.int16)
        self.is_done = np.zeros(len(order), dtype=np.bool_)
        self.active: NDArray[np.intp]
        self.pending: Pending
        self._start(self.max_length)

    def take_step(self, step: int) -> None:
        """Go from X_t to X_s: fill from the prediction, keep t − s more positions, start the next prediction.

        Nothing happens at a step without rows.
        """
        if step not in self.steps:
            return
        if len(self.active):
            self._fill(step)
        following = _below(self.steps, step)
        if following > 0:
            self._start(following)

    def _start(self, step: int) -> None:
        goes_on = (self.first_step > step) & (step in self.levels)
        self.active = np.flatnonzero(~self.is_done & ((self.first_step == step) | goes_on))
        if len(self.active):
            self.pending = self.generator.predictor.start(self.index, self.kept[self.active], step)

    def _fill(self, step: int) -> None:
        generator, kept = self.generator, self.kept[self.active]
        stream = self.first_stream + step - 1
        logits, number = self.pending()
        filled = generator.grammar.fill_tokens(
            logits, kept, generator.seed, stream, generator.n_threads, number
        )
        self.drawn[self.active] = filled
        following = _below(self.levels, step)
        positions = self.order[self.active, self.max_length - step : self.max_length - following]
        kept = keep_more(kept, filled, positions)
        self.is_done[self.active] = is_complete(kept, filled)
        # If a fill ends early, given tokens after its end are kept for a longer fill.
        self.kept[self.active] = np.where(filled == PAD, self.given[self.active], kept)


def keep_more(kept: Tokens, filled: Tokens, positions: NDArray[np.int64]) -> Tokens:
    """Return the kept tokens that are still legal, and the tokens at more positions, (B, n).

    A position outside the tree just filled reveals nothing, and is masked.
    """
    is_kept = kept != MASK
    np.put_along_axis(is_kept, positions, True, axis=1)
    return np.where(is_kept & (filled != PAD), filled, MASK).astype(np.int16)


def _below(steps: NDArray[np.int64], step: int) -> int:
    """Return the largest of the steps below this one."""
    return int(steps[steps < step].max())


def is_complete(kept: Tokens, filled: Tokens) -> NDArray[np.bool_]:
    """Return whether the kept tokens form a complete expression."""
    return np.asarray(((kept != MASK) | (filled == PAD)).all(axis=1))
