"""D3PM (Austin et al. 2021) with uniform noise in place of masks: the generator of the paper's ablation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ddsr._core import MASK
from ddsr.categorical import SAMPLING, constrain, draw_tokens
from ddsr.config import PaperConfig
from ddsr.diffusion.denoiser import Denoiser
from ddsr.diffusion.transition import Noised, Tokens, UniformTransition
from ddsr.expression.batch import Batch
from ddsr.grammar import Grammar

if TYPE_CHECKING:
    from jaxtyping import Float, Int


class D3PM:
    """The same denoiser, fed noisy tokens instead of masked ones; as many steps as positions, T = M.

    The noisy sequences X_T … X_1 obey no grammar: they are drawn position by position, each on its own.
    Legality enters in the last step alone, from X_1 to X_0, which fills the sequence from left to right with
    legal tokens, and in the log-probabilities that the objective sees, which are those of such a fill.
    """

    def __init__(
        self, grammar: Grammar, config: PaperConfig, seed: int, device: torch.device, n_threads: int = 1
    ) -> None:
        self.grammar, self.config, self.seed = grammar, config, seed
        self.device, self.n_threads = device, n_threads
        self.transition = UniformTransition(len(grammar.vocabulary), n_steps=grammar.max_length)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = Denoiser(len(grammar.vocabulary), grammar.max_length, config.denoiser).to(device)

    def sample(self, batch_size: int, epoch: int) -> Batch:
        """Draw `oversampling` times as many expressions, and keep the first `batch_size` distinct ones."""
        drawn = self.draw(self.config.oversampling * batch_size, epoch)
        return Batch.from_tokens(self.grammar.vocabulary, drawn).first_distinct(batch_size, self.n_threads)

    @torch.no_grad()
    def draw(self, n_rows: int, epoch: int) -> Tokens:
        """Run the backward process from X_T, uniform noise, to X_0, legal expressions."""
        shape = (n_rows, self.grammar.max_length)
        rng = np.random.default_rng((self.seed, SAMPLING, epoch))
        noise = rng.integers(self.transition.vocab_size, size=shape)
        noisy_tokens = torch.from_numpy(noise).to(self.device)
        for step in range(self.transition.n_steps, 1, -1):
            uniform = torch.from_numpy(rng.random(shape, dtype=np.float32)).to(self.device)
            noisy_tokens = draw_tokens(self.token_probs(noisy_tokens, step), uniform)
        logits = self.token_probs(noisy_tokens, 1).log().cpu().numpy()
        filled, _ = self.grammar.fill(
            logits, np.full(shape, MASK, np.int16), self.seed, epoch, self.n_threads
        )
        return filled

    def token_probs(self, noisy_tokens: Int[Tensor, "B M"], step: int) -> Float[Tensor, "B M V"]:
        """p(x_{t−1} | x_t) at every position, from the predicted q(X_0)."""
        steps = torch.full((len(noisy_tokens),), step, device=self.device)
        clean_probs = self.network(noisy_tokens, steps).float().softmax(dim=-1)
        return self.transition.backward(clean_probs, noisy_tokens, step)

    def corrupt(self, clean_tokens: Tokens, rng: np.random.Generator) -> Noised:
        """X_t at a random step t, for the objective."""
        return self.transition.corrupt_at_random(clean_tokens, rng)

    def legal_tokens(self, clean_tokens: Tokens) -> NDArray[np.bool_]:
        """Which tokens may stand at each position, given those before it."""
        return self.grammar.legal_tokens(clean_tokens, self.n_threads)

    def log_probs(self, network: nn.Module, view: Noised, is_legal: Tensor) -> Float[Tensor, "B M V"]:
        """Log-probabilities of the predicted q(X_0), constrained and renormalised; −inf where not legal."""
        noisy_tokens = torch.from_numpy(view.noisy_tokens).to(self.device)
        steps = torch.from_numpy(view.step).to(self.device)
        return constrain(network(noisy_tokens, steps), is_legal)
