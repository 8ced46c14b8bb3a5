"""The backward process: from a fully masked sequence to an expression, one kept position at a time.

Each step predicts every position, fills the masked ones legally from left to right, and keeps one more
position of an order drawn up front (the paper's Algorithm `sampling_expressison` and the text around it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ddsr._core import MASK, PAD
from ddsr.categorical import SAMPLING, constrain
from ddsr.config import PaperConfig
from ddsr.diffusion.denoiser import Denoiser
from ddsr.diffusion.masking import Masked, draw_unmask_order, mask_at_random
from ddsr.diffusion.predictor import Pending, make_predictor
from ddsr.expression.batch import Batch
from ddsr.grammar import Grammar

if TYPE_CHECKING:
    from jaxtyping import Float

Tokens = NDArray[np.int16]


class MaskedDiffusion:
    """A denoiser and the grammar that it fills."""

    def __init__(
        self, grammar: Grammar, config: PaperConfig, seed: int, device: torch.device, n_threads: int = 1
    ) -> None:
        self.grammar, self.config, self.seed = grammar, config, seed
        self.device, self.n_threads = device, n_threads
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = Denoiser(len(grammar.vocabulary), grammar.max_length, config.denoiser).to(device)
        self.predictor = make_predictor(self.network, device, n_threads)

    def sample(self, batch_size: int, epoch: int) -> Batch:
        """Draw `oversampling` times as many expressions, and keep the first `batch_size` distinct ones."""
        drawn = self.draw(self.config.oversampling * batch_size, epoch)
        return Batch.from_tokens(self.grammar.vocabulary, drawn).first_distinct(batch_size, self.n_threads)

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

    def legal_tokens(self, clean_tokens: Tokens) -> NDArray[np.bool_]:
        """Which tokens may stand at each position, given those before it."""
        return self.grammar.legal_tokens(clean_tokens, self.n_threads)

    def log_probs(self, network: nn.Module, view: Masked, is_legal: Tensor) -> Float[Tensor, "B M V"]:
        """Log-probabilities of the constrained, renormalised distribution; −inf where not legal."""
        return constrain(self._logits(network, view.noisy_tokens, view.step), is_legal)

    def _logits(self, network: nn.Module, noisy_tokens: Tokens, step: NDArray[np.int64]) -> Tensor:
        tokens = torch.from_numpy(noisy_tokens).to(self.device)
        steps = torch.from_numpy(step).to(self.device)
        logits: Tensor = network(tokens, steps)
        return logits


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
        filled, _ = generator.grammar.fill(self.pending(), kept, generator.seed, stream, generator.n_threads)
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
