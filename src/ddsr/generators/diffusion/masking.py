"""The forward process: one random position is masked at each step (the paper's equation `mask-diffu`).

An order q_1 … q_M of all positions is drawn in advance. After t steps the positions q_1 … q_t are masked: X_t
= Q̄_t X_0 with Q̄_t = Π (I − diag(e_q)). In reverse, the same order says which position is kept next. Padding
is shown to the network as masked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ddsr.expression import MASK, PAD, Tokens
from ddsr.generators.diffusion.corrupted import Corrupted


def draw_unmask_order(n_rows: int, max_length: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return (B, M) random orders of the positions: order[:, 0] is kept first and masked last."""
    return rng.permuted(np.tile(np.arange(max_length), (n_rows, 1)), axis=1)


def order_behind(is_kept: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return (B, M) random orders of the positions, with those already kept first."""
    lots = rng.random(is_kept.shape)
    return np.argsort(np.where(is_kept, lots - 1.0, lots), axis=1)


def rank_of(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (B, M) ranks of the positions in their row's order."""
    return np.argsort(order, axis=1)


def mask(clean_tokens: Tokens, step: NDArray[np.int64], rng: np.random.Generator) -> Corrupted:
    """Draw X_t ~ q(X_t | X_0): mask `step` random positions of each row."""
    n_rows, max_length = clean_tokens.shape
    kept = max_length - step
    is_hidden = rank_of(draw_unmask_order(n_rows, max_length, rng)) >= kept[:, None]
    is_token = clean_tokens != PAD
    noisy_tokens = np.where(is_hidden | ~is_token, MASK, clean_tokens).astype(np.int16)
    return Corrupted(clean_tokens, noisy_tokens, step, is_hidden & is_token)


def mask_at_random(clean_tokens: Tokens, rng: np.random.Generator) -> Corrupted:
    """Return X_t at a step t drawn uniformly from 1 … M for each row."""
    n_rows, max_length = clean_tokens.shape
    step = np.asarray(rng.integers(1, max_length, size=n_rows, endpoint=True))
    return mask(clean_tokens, step, rng)
