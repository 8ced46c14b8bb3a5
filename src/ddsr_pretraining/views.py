"""Views of expressions that the denoiser is trained on: each expression, masked in several ways.

Half of the views mask tokens at random, with a probability drawn for the view, to suit any order of
unmasking. The other half show the beginning and mask the rest, as when expressions are drawn from left to
right. There the first masked token has the highest weight, since it is drawn next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from ddsr._core import MASK

if TYPE_CHECKING:
    from jaxtyping import Float, Int

LENGTHS = ((4, 0.1), (8, 0.2), (12, 0.15), (16, 0.15), (24, 0.1), (32, 0.3))
"""numbers of positions to which batches are cut, with their frequencies; fewer masked positions at the end
make training and drawing faster"""


@dataclass(frozen=True, eq=False)
class Views:
    """Several maskings of each of B expressions; those of one expression are consecutive."""

    noisy_tokens: Int[Tensor, "R L"]
    """MASK if masked or after the end"""
    clean_tokens: Int[Tensor, "R L"]
    weights: Float[Tensor, "R L"]
    """weights of the masked tokens in the loss, with a sum of 1 in every row"""


def draw_length(max_length: int, generator: torch.Generator) -> int:
    """Draw the number of positions to which a batch is cut."""
    lot = float(torch.rand((), generator=generator, device=generator.device))
    for length, share in LENGTHS:
        lot -= share
        if lot < 0:
            return min(length, max_length)
    return max_length


def draw_views(
    clean_tokens: Int[Tensor, "B M"], n_views: int, length: int, generator: torch.Generator
) -> Views:
    """Mask each expression `n_views` times, alternating between both ways."""
    clean = clean_tokens[:, :length].long().repeat_interleave(n_views, dim=0)
    is_token = clean >= 0
    n_rows = len(clean)
    uniform = torch.rand((n_rows, length + 1), generator=generator, device=clean.device)
    places = torch.arange(length, device=clean.device)
    sizes = is_token.sum(dim=1, keepdim=True)
    first_hidden = (uniform[:, :1] * sizes).long().clamp(max=sizes - 1)
    is_prefix = (torch.arange(n_rows, device=clean.device) % 2 == 0)[:, None]
    # At least the token with the lowest lot is masked.
    lots = uniform[:, 1:].masked_fill(~is_token, 2.0)
    is_hidden = (lots < uniform[:, :1]) | (lots == lots.amin(dim=1, keepdim=True))
    is_hidden = torch.where(is_prefix, places >= first_hidden, is_hidden) & is_token
    distance = (places - first_hidden).clamp(min=0)
    weights = torch.where(is_prefix, 1.0 / (1.0 + distance), 1.0) * is_hidden
    weights = weights / weights.sum(dim=1, keepdim=True)
    return Views(torch.where(is_hidden | ~is_token, MASK, clean), clean, weights)


def masked_loss(logits: Float[Tensor, "R L T"], views: Views) -> Float[Tensor, ""]:
    """Return the mean over views of the weighted cross-entropy of the masked tokens."""
    targets = views.clean_tokens.clamp(min=0)
    losses = cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view_as(views.weights)
    return (losses * views.weights).sum(dim=1).mean()
