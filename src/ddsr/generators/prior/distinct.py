"""Distinct expressions from the prior: a sample without repetition, drawn from left to right.

The number of each prefix is its log-probability plus Gumbel noise, and the prefixes with the highest numbers
are kept (Kool, van Hoof & Welling 2019). A prefix's number is the maximum of its continuations' numbers, so
the result is the same as if all expressions were listed: a sample without repetition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddsr.data.arrays import Floats
from ddsr.expression import MASK, PAD, Tokens
from ddsr.grammar import Grammar

NextLogits = Callable[[Tokens, int], NDArray[np.float32]]
"""(prefixes, position) → logits of the token there, (B, V)"""


@dataclass
class Beginnings:
    """Prefixes of expressions, the highest first."""

    tokens: Tokens
    """(B, M), MASK where nothing is drawn yet"""
    log_probs: Floats
    gumbels: Floats
    n_open: NDArray[np.int64]
    """number of operands still to be drawn; 0 for a complete expression"""

    def take(self, rows: NDArray[np.intp]) -> Beginnings:
        """Return some of the rows."""
        return Beginnings(self.tokens[rows], self.log_probs[rows], self.gumbels[rows], self.n_open[rows])


def draw_distinct(
    grammar: Grammar,
    next_logits: NextLogits,
    n: int,
    rng: np.random.Generator,
    n_threads: int = 1,
    places: NDArray[np.intp] | None = None,
) -> Tokens:
    """Return at most `n` distinct legal expressions, (n, M), or all if the grammar has fewer.

    `places` has the index of each token's random number within a step; the default is the token's id.
    """
    arities = np.asarray(grammar.vocabulary.arities)
    first = np.full((1, grammar.max_length), MASK, dtype=np.int16)
    known = Beginnings(first, np.zeros(1), np.zeros(1), np.ones(1, dtype=np.int64))
    for position in range(grammar.max_length):
        live = np.flatnonzero(known.n_open)
        if not len(live):
            break
        parents = known.take(live)
        is_legal = grammar.legal_tokens(parents.tokens, n_threads)[:, position]
        log_probs = parents.log_probs[:, None] + _log_softmax(next_logits(parents.tokens, position), is_legal)
        noise = rng.gumbel(size=log_probs.shape)
        gumbels = below(parents.gumbels, log_probs, noise if places is None else noise[:, places])
        rows, tokens = np.nonzero(is_legal)
        children = parents.take(rows)
        children.tokens[:, position] = tokens
        children.log_probs, children.gumbels = log_probs[rows, tokens], gumbels[rows, tokens]
        children.n_open = children.n_open - 1 + arities[tokens]
        known = _highest(_joined(known.take(np.flatnonzero(known.n_open == 0)), children), n)
    return np.where(known.tokens == MASK, PAD, known.tokens).astype(np.int16)


def below(most: Floats, log_probs: Floats, noise: Floats) -> Floats:
    """Return Gumbel numbers around `log_probs`, (B, V), given that the largest of each row is `most`."""
    free = log_probs + noise
    largest = free.max(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        # log(1 − exp(free − largest)) is −∞ for the largest, which becomes `most` itself
        excess = most[:, None] - free + np.log1p(-np.exp(free - largest))
        bounded = most[:, None] - np.maximum(0.0, excess) - np.log1p(np.exp(-np.abs(excess)))
    return np.where(np.isneginf(log_probs), -np.inf, np.where(free == largest, most[:, None], bounded))


def _log_softmax(logits: NDArray[np.float32], is_legal: NDArray[np.bool_]) -> Floats:
    shown = np.where(is_legal, logits.astype(np.float64), -np.inf)
    shown -= shown.max(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        return np.asarray(shown - np.log(np.exp(shown).sum(axis=1, keepdims=True)))


def _joined(one: Beginnings, other: Beginnings) -> Beginnings:
    return Beginnings(
        np.concatenate((one.tokens, other.tokens)),
        np.concatenate((one.log_probs, other.log_probs)),
        np.concatenate((one.gumbels, other.gumbels)),
        np.concatenate((one.n_open, other.n_open)),
    )


def _highest(known: Beginnings, n: int) -> Beginnings:
    return known.take(np.argsort(-known.gumbels, kind="stable")[:n])
