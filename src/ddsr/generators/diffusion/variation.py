"""Choice of the tokens of an expression to draw again: a whole subtree, or random tokens.

In breadth-first order, a token's place in the tree depends on the arities of all tokens before it. If an
operator is replaced by one of another arity, all later tokens move. A subtree includes its own operands, so
later tokens move only if the new subtree has another shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import MethodError
from ddsr.expression import MASK, PAD, Tokens
from ddsr.generators.diffusion.corrupted import Corrupted
from ddsr.generators.diffusion.masking import rank_of

Places = NDArray[np.int64]

SUBTREE_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class Bounds:
    """Limits on the number of masked tokens of each expression, at least 1."""

    fewest: Places
    """(B,)"""
    most: Places
    """(B,)"""

    @classmethod
    def of(cls, sizes: Places, masked_share: tuple[float, float]) -> Bounds:
        """Return the whole numbers within the shares, or the next larger one if there are none."""
        low, high = masked_share
        if not 0.0 <= low <= high <= 1.0:
            raise MethodError(f"masked_share must be two shares, 0 ≤ low ≤ high ≤ 1, got {masked_share}")
        rounding = 1e-9  # 0.07 · 100 is a little above 7, but 7 of 100 are within the share
        fewest = np.maximum(np.ceil(low * sizes - rounding), 1).astype(np.int64)
        most = np.maximum(np.floor(high * sizes + rounding).astype(np.int64), fewest)
        return cls(fewest, most)

    def distance(self, sizes: Places) -> Places:
        """Return the distance of each of (B, M) numbers from its row's bounds; 0 within."""
        below, above = self.fewest[:, None] - sizes, sizes - self.most[:, None]
        return np.asarray(np.maximum(np.maximum(below, above), 0))


def mask_parts(
    clean_tokens: Tokens, arities: Sequence[int], masked_share: tuple[float, float], rng: np.random.Generator
) -> Corrupted:
    """Mask a random subtree in half of the rows, and random tokens in the others.

    The share of masked tokens is drawn for each row within the given bounds. Padding is masked too, so that
    an expression may grow.
    """
    is_token = clean_tokens != PAD
    bounds = Bounds.of(is_token.sum(axis=1), masked_share)
    is_subtree = rng.random(len(clean_tokens)) < SUBTREE_SHARE
    is_masked = np.where(
        is_subtree[:, None],
        choose_subtree(clean_tokens, arities, bounds, rng),
        choose_tokens(is_token, bounds, rng),
    )
    noisy_tokens = np.where(is_masked | ~is_token, MASK, clean_tokens).astype(np.int16)
    return Corrupted(clean_tokens, noisy_tokens, (noisy_tokens == MASK).sum(axis=1), is_masked)


def choose_tokens(is_token: NDArray[np.bool_], bounds: Bounds, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return (B, M) random positions of each expression, a random number of them within the bounds."""
    n_chosen = rng.integers(bounds.fewest, bounds.most, endpoint=True)
    lots = np.where(is_token, rng.random(is_token.shape), 1.0)  # padding comes last
    return np.asarray(rank_of(np.argsort(lots, axis=1)) < n_chosen[:, None])


def choose_subtree(
    tokens: Tokens, arities: Sequence[int], bounds: Bounds, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return the (B, M) positions of a random subtree whose size is within the bounds.

    If no subtree has such a size, one of the nearest size is chosen.
    """
    is_token = tokens != PAD
    parents = parent_positions(tokens, arities)
    rows, max_length = np.arange(len(tokens)), tokens.shape[1]
    sizes = is_token.astype(np.int64)
    for position in range(max_length - 1, 0, -1):  # operands come after their operator
        sizes[rows, parents[:, position]] += sizes[:, position]
    distance = np.where(is_token, bounds.distance(sizes), max_length)
    is_candidate = distance == distance.min(axis=1, keepdims=True)
    root = np.argmax(np.where(is_candidate, rng.random(tokens.shape), -1.0), axis=1)
    is_inside = np.zeros(tokens.shape, dtype=np.bool_)
    is_inside[rows, root] = True
    for position in range(1, max_length):
        is_inside[:, position] |= is_inside[rows, parents[:, position]]
    return np.asarray(is_inside & is_token)


def parent_positions(tokens: Tokens, arities: Sequence[int]) -> Places:
    """Return (B, M) positions of each token's operator in breadth-first order; 0 for root and padding.

    The operands of position i end at 1 + Σ arities of all positions up to i.
    """
    is_token = tokens != PAD
    n_operands = np.where(is_token, np.asarray(arities)[tokens], 0)
    ends = 1 + n_operands.cumsum(axis=1)
    parents = np.zeros(tokens.shape, dtype=np.int64)
    for position in range(1, tokens.shape[1]):
        parents[:, position] = (ends <= position).sum(axis=1)
    return np.where(is_token, parents, 0)
