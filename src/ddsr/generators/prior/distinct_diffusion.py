"""The prior for one data set, drawing distinct expressions from left to right."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ddsr.expression import Tokens
from ddsr.expression.batch import Batch
from ddsr.generators.categorical import SAMPLING
from ddsr.generators.diffusion.predictor import CpuPredictor
from ddsr.generators.prior.conditioned import ConditionedDiffusion
from ddsr.generators.prior.conditioned_denoiser import ConditionedDenoiser
from ddsr.generators.prior.distinct import NextLogits, draw_distinct
from ddsr.generators.prior.next_token import LENGTH_STEP, NextToken
from ddsr.generators.prior.token_ids import places_in_view


class DistinctDiffusion(ConditionedDiffusion):
    """The conditioned prior, drawing without repetition: even the likeliest expressions are drawn once."""

    def sample(self, batch_size: int, epoch: int) -> Batch:
        """Draw without repetition; of expressions that differ only in operand order, keep the first."""
        drawn = self.draw_distinct(self.config.oversampling * batch_size, stream=epoch)
        return Batch.from_tokens(self.grammar.vocabulary, drawn).first_distinct(batch_size, self.n_threads)

    def draw_distinct(self, n_rows: int, stream: int) -> Tokens:
        """Return at most `n_rows` distinct legal expressions, (B, M): a sample without repetition."""
        rng = np.random.default_rng((self.seed, SAMPLING, stream))
        places = places_in_view(self.grammar.vocabulary, self.view)
        return draw_distinct(self.grammar, self._next_logits(), n_rows, rng, self.n_threads, places)

    def _next_logits(self) -> NextLogits:
        if isinstance(self.predictor, CpuPredictor) and isinstance(self.network, ConditionedDenoiser):
            return NextToken(self.network, self.predictor).logits
        return lambda beginnings, position: self.logits_up_to(beginnings, position + 1)[:, position]

    def logits_up_to(self, kept: Tokens, end: int) -> NDArray[np.float32]:
        """Return logits of the first positions; those after `end` are meaningless."""
        self.deadline.check()
        max_length = self.grammar.max_length
        is_cut = self.device.type == "cpu"  # on a GPU every length would need its own graph
        length = min(-(-end // LENGTH_STEP) * LENGTH_STEP, max_length) if is_cut else max_length
        shown = np.ascontiguousarray(kept[:, :length])
        logits = self.predictor.start(0, shown, max_length - end)().of_rows
        return np.pad(logits, ((0, 0), (0, max_length - length), (0, 0)))
