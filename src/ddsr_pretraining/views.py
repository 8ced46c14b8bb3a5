"""What the denoiser is trained on: each data set's expression, partly masked, several times over.

Half of the views hide tokens at random, each with a probability drawn for the view, so that any order of
unmasking can be asked for. The other half show the beginning and hide the rest, as when expressions are
drawn from left to right; the next token counts most there, since it is the one that is drawn.
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
"""to how many positions a batch is cut, and how often: masked positions behind all others say nothing, and
leaving them out is faster, here and where expressions are drawn"""


@dataclass(frozen=True, eq=False)
class Views:
    """Several maskings of each of B expressions, those of one expression in a row."""

    noisy_tokens: Int[Tensor, "R L"]
    """MASK where masked, and behind the end"""
    clean_tokens: Int[Tensor, "R L"]
    weights: Float[Tensor, "R L"]
    """of each masked token in the loss; they add up to 1 in every row"""


def draw_length(max_length: int, generator: torch.Generator) -> int:
    """To how many positions the next batch is cut."""
    lot = float(torch.rand((), generator=generator, device=generator.device))
    for length, share in LENGTHS:
        lot -= share
        if lot < 0:
            return min(length, max_length)
    return max_length


def draw_views(
    clean_tokens: Int[Tensor, "B M"], n_views: int, length: int, generator: torch.Generator
) -> Views:
    """Mask each expression `n_views` times, in both ways by turns."""
    clean = clean_tokens[:, :length].long().repeat_interleave(n_views, dim=0)
    is_token = clean >= 0
    n_rows = len(clean)
    uniform = torch.rand((n_rows, length + 1), generator=generator, device=clean.device)
    places = torch.arange(length, device=clean.device)
    sizes = is_token.sum(dim=1, keepdim=True)
    first_hidden = (uniform[:, :1] * sizes).long().clamp(max=sizes - 1)
    is_prefix = (torch.arange(n_rows, device=clean.device) % 2 == 0)[:, None]
    # Where the lots hide nothing, the token of the least lot is hidden.
    lots = uniform[:, 1:].masked_fill(~is_token, 2.0)
    is_hidden = (lots < uniform[:, :1]) | (lots == lots.amin(dim=1, keepdim=True))
    is_hidden = torch.where(is_prefix, places >= first_hidden, is_hidden) & is_token
    distance = (places - first_hidden).clamp(min=0)
    weights = torch.where(is_prefix, 1.0 / (1.0 + distance), 1.0) * is_hidden
    weights = weights / weights.sum(dim=1, keepdim=True)
    return Views(torch.where(is_hidden | ~is_token, MASK, clean), clean, weights)


def masked_loss(logits: Float[Tensor, "R L T"], views: Views) -> Float[Tensor, ""]:
    """Mean over views of the weighted cross-entropy of what is masked."""
    targets = views.clean_tokens.clamp(min=0)
    losses = cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view_as(views.weights)
    return (losses * views.weights).sum(dim=1).mean()
