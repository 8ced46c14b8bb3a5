"""D3PM (Austin et al. 2021), with uniform noise instead of masks: the generator of the paper's ablation."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from ddsr._core import MASK
from ddsr.expression import Tokens
from ddsr.generators.categorical import SAMPLING, draw_tokens
from ddsr.generators.diffusion.corrupted import Corrupted
from ddsr.generators.diffusion.denoising import DenoisingGenerator
from ddsr.generators.diffusion.schedule import step_levels
from ddsr.generators.diffusion.transition import UniformTransition

if TYPE_CHECKING:
    from jaxtyping import Float, Int


class D3PM(DenoisingGenerator):
    """The denoiser on noisy instead of masked tokens, in as many steps as there are positions, T = M.

    The noisy sequences X_T … X_1 obey no grammar: each position is drawn separately. Legality matters only in
    the last step from X_1 to X_0, which fills the sequence from left to right with legal tokens, and in the
    log-probabilities for the objective, which describe such a fill. With fewer steps, each goes back through
    several of the T steps at once, and the last one fills the sequence from an earlier X_t.
    """

    @property
    def transition(self) -> UniformTransition:
        """Forward process."""
        return UniformTransition(len(self.grammar.vocabulary), n_steps=self.grammar.max_length)

    @torch.no_grad()
    def draw(self, n_rows: int, epoch: int) -> Tokens:
        """Run the backward process from X_T, uniform noise, to X_0, legal expressions."""
        shape = (n_rows, self.grammar.max_length)
        rng = np.random.default_rng((self.seed, SAMPLING, epoch))
        noise = rng.integers(self.transition.vocab_size, size=shape)
        noisy_tokens = torch.from_numpy(noise).to(self.device)
        *steps, last, _ = step_levels(self.transition.n_steps, self.config.denoising_steps)
        for step, following in pairwise((*steps, last)):
            self.deadline.check()
            uniform = torch.from_numpy(rng.random(shape, dtype=np.float32)).to(self.device)
            noisy_tokens = draw_tokens(self.token_probs(noisy_tokens, step, step - following), uniform)
        logits = self.token_probs(noisy_tokens, last, last).log().cpu().numpy()
        return self.grammar.fill_tokens(
            logits, np.full(shape, MASK, np.int16), self.seed, epoch, self.n_threads
        )

    def token_probs(
        self, noisy_tokens: Int[Tensor, "B M"], step: int, n_back: int = 1
    ) -> Float[Tensor, "B M V"]:
        """Return p(x_{t−n} | x_t) at every position, from the predicted q(X_0)."""
        clean_probs = self.predictor.predict(noisy_tokens, step).softmax(dim=-1)
        return self.transition.backward(clean_probs, noisy_tokens, step, n_back)

    def corrupt(self, clean_tokens: Tokens, rng: np.random.Generator) -> Corrupted:
        """Return X_t at a random step t, for the objective."""
        return self.transition.corrupt_at_random(clean_tokens, rng)
