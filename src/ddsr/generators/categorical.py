"""Distributions over tokens, as every generator and its objective use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int

# Tell the random numbers that draw samples, and those that vary expressions, from those that draw noise to
# learn from (1).
SAMPLING, VARYING = 0, 2


def constrain(logits: Float[Tensor, "*B V"], is_legal: Bool[Tensor, "*B V"]) -> Float[Tensor, "*B V"]:
    """Log-softmax over the legal tokens; positions behind the end have none, and get all."""
    is_empty = ~is_legal.any(dim=-1, keepdim=True)
    return logits.masked_fill(~(is_legal | is_empty), -torch.inf).log_softmax(dim=-1)


def draw_tokens(probs: Float[Tensor, "*B V"], uniform: Float[Tensor, "*B"]) -> Int[Tensor, "*B"]:
    """The token in whose share of [0, 1) the uniform number falls; never one of probability 0."""
    shares = probs.cumsum(dim=-1)
    # Sums end near 1 and not at it: measured by the last one, no number falls behind every token.
    return (shares[..., :-1] <= uniform[..., None] * shares[..., -1:]).sum(dim=-1)
