"""D3PM's forward process: at each step, a token may be replaced by one drawn uniformly from all d.

Q_t = (1 − β_t) I + β_t 11ᵀ/d and X_t = X_{t−1} Q_t at every position. β_t is the share of noise, as in Austin
et al. 2021; in the paper's background section β_t is the share that is kept. Products have the same form:
Q̄_t = Q_1 … Q_t = ᾱ_t I + (1 − ᾱ_t) 11ᵀ/d with ᾱ_t = Π (1 − β_s).

The schedule is β_t = 1/(T − t + 1), so that ᾱ_t = 1 − t/T: after t of T steps each token has survived with
probability 1 − t/T, as with random masking, where t of M = T positions are masked. Thus the two differ in the
kind of noise but not in its amount, and X_T is exactly uniform noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ddsr.expression import PAD, Tokens
from ddsr.generators.diffusion.corrupted import Corrupted

if TYPE_CHECKING:
    from jaxtyping import Float, Int


@dataclass(frozen=True)
class UniformTransition:
    """T steps towards uniform noise over d tokens."""

    vocab_size: int
    """d"""
    n_steps: int
    """T"""

    def matrix(self, step: int, n_back: int = 1) -> NDArray[np.float64]:
        """Return Q_{t−n+1} … Q_t, (d, d): rows are tokens before these steps, columns tokens after them."""
        return self._mixture(1.0 - n_back / (self.n_steps - step + n_back))

    def cumulative(self, step: int) -> NDArray[np.float64]:
        """Return Q̄_t, (d, d), for all steps up to t: the identity for t = 0, and 11ᵀ/d for t = T."""
        return self._mixture(1.0 - step / self.n_steps)

    def _mixture(self, kept_share: float) -> NDArray[np.float64]:
        size = self.vocab_size
        return kept_share * np.eye(size) + (1.0 - kept_share) / size

    def corrupt(self, clean_tokens: Tokens, step: NDArray[np.int64], rng: np.random.Generator) -> Corrupted:
        """Draw X_t ~ q(X_t | X_0) = X_0 Q̄_t, with a step for each row.

        Padding holds nothing that could survive, so it is uniform noise at every step. The backward process
        has a token everywhere as well, and only arities say where an expression ends.
        """
        shape = clean_tokens.shape
        noise = rng.integers(self.vocab_size, size=shape)
        survives = rng.random(shape) < 1.0 - step[:, None] / self.n_steps
        is_token = clean_tokens != PAD
        noisy_tokens = np.where(survives & is_token, clean_tokens, noise).astype(np.int16)
        return Corrupted(clean_tokens, noisy_tokens, step, is_token)

    def corrupt_at_random(self, clean_tokens: Tokens, rng: np.random.Generator) -> Corrupted:
        """Return X_t at a step t drawn uniformly from 1 … T for each row."""
        step = np.asarray(rng.integers(1, self.n_steps, size=len(clean_tokens), endpoint=True))
        return self.corrupt(clean_tokens, step, rng)

    def backward(
        self,
        clean_probs: Float[Tensor, "B M d"],
        noisy_tokens: Int[Tensor, "B M"],
        step: int,
        n_back: int = 1,
    ) -> Float[Tensor, "B M d"]:
        """Return p(x_{t−n} | x_t) = Σ_{x_0} q(x_{t−n} | x_t, x_0) φ(x_0 | x_t).

        By the paper's equation `d3pm`, q(x_{t−1} | x_t, x_0) = (x_t Q_tᵀ ⊙ x_0 Q̄_{t−1}) / (x_0 Q̄_t x_tᵀ). For
        several steps at once, their product takes the place of Q_t, and Q̄_{t−n} that of Q̄_{t−1}.

        The sum over x_0 is a product with Q̄_{t−n}, after φ is divided by the denominator, which depends only
        on x_0 and x_t. At t = n the result is φ itself.
        """
        these_steps, before, now = (
            torch.as_tensor(matrix, dtype=clean_probs.dtype, device=clean_probs.device)
            for matrix in (self.matrix(step, n_back), self.cumulative(step - n_back), self.cumulative(step))
        )
        ids = noisy_tokens.long()
        to_noisy = these_steps.T[ids]  # x_t (Q_{t−n+1} … Q_t)ᵀ, (B, M, d)
        reached = now.T[ids]  # x_0 Q̄_t x_tᵀ for every x_0, (B, M, d)
        return to_noisy * ((clean_probs / reached) @ before)
