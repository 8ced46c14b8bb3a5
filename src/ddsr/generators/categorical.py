"""Distributions over tokens, shared by generators and objectives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int

# Streams of random numbers for sampling and for varying expressions. Stream 1 draws the noise for training.
SAMPLING, VARYING = 0, 2


def constrain(logits: Float[Tensor, "*B V"], is_legal: Bool[Tensor, "*B V"]) -> Float[Tensor, "*B V"]:
    """Return log-probabilities over the legal tokens, or over all tokens at padding, where none is legal."""
    is_empty = ~is_legal.any(dim=-1, keepdim=True)
    return logits.masked_fill(~(is_legal | is_empty), -torch.inf).log_softmax(dim=-1)


def draw_tokens(probs: Float[Tensor, "*B V"], uniform: Float[Tensor, "*B"]) -> Int[Tensor, "*B"]:
    """Draw the token in whose share of [0, 1) `uniform` falls; never draw one of probability 0."""
    shares = probs.cumsum(dim=-1)
    # Sums end near 1 but not at 1. Relative to the last sum, no number falls beyond all tokens.
    return (shares[..., :-1] <= uniform[..., None] * shares[..., -1:]).sum(dim=-1)
