"""The blocks that encoder and denoiser are built from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, layer_norm, linear, scaled_dot_product_attention

if TYPE_CHECKING:
    from jaxtyping import Bool, Float

EVERYWHERE = slice(None)


class CrossAttention(nn.Module):
    """softmax(QKᵀ/√d) V over the positions of `context` that are there."""

    def __init__(self, width: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def forward(
        self,
        x: Float[Tensor, "B M D"],
        context: Float[Tensor, "B N D"],
        is_there: Bool[Tensor, "B N"] | None = None,
    ) -> Float[Tensor, "B M D"]:
        """Every position of `x` looks at every position of `context`."""
        return self.look(x, *self.keys_and_values(context), is_there)

    def keys_and_values(
        self, context: Float[Tensor, "B N D"]
    ) -> tuple[Float[Tensor, "B H N d"], Float[Tensor, "B H N d"]]:
        """What of the context is looked at: the same whoever looks."""
        key, value = self.key_value(context).chunk(2, dim=-1)
        return _in_heads(key, self.n_heads), _in_heads(value, self.n_heads)

    def look(
        self,
        x: Float[Tensor, "B M D"],
        key: Float[Tensor, "B H N d"],
        value: Float[Tensor, "B H N d"],
        is_there: Bool[Tensor, "B N"] | None = None,
    ) -> Float[Tensor, "B M D"]:
        """Every position of `x` looks at these."""
        query = _in_heads(self.query(x), self.n_heads)
        mask = None if is_there is None else is_there[:, None, None, :]
        mixed = scaled_dot_product_attention(query, key, value, attn_mask=mask)
        result: Tensor = self.out(mixed.transpose(1, 2).flatten(-2))
        return result


class SelfAttention(nn.Module):
    """Every position looks at every position that is there; one product makes queries, keys and values."""

    def __init__(self, width: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.query_key_value = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(
        self,
        x: Float[Tensor, "B M D"],
        is_there: Bool[Tensor, "B M"] | None = None,
        asked: slice = EVERYWHERE,
    ) -> Float[Tensor, "B m D"]:
        """softmax(QKᵀ/√d) V, a head a slice of the width, at the positions that are asked for."""
        if asked == EVERYWHERE:
            parts = self.query_key_value(x).chunk(3, dim=-1)
        else:
            weight, bias, width = self.query_key_value.weight, self.query_key_value.bias, x.shape[-1]
            of_all = linear(x, weight[width:], bias[width:]).chunk(2, dim=-1)
            parts = (linear(x[:, asked], weight[:width], bias[:width]), *of_all)
        query, key, value = (_in_heads(part, self.n_heads) for part in parts)
        mask = None if is_there is None else is_there[:, None, None, :]
        mixed = scaled_dot_product_attention(query, key, value, attn_mask=mask)
        result: Tensor = self.out(mixed.transpose(1, 2).flatten(-2))
        return result


class Norm(nn.LayerNorm):
    """Layer normalisation that gives what it takes: half precision stays half, whatever else is cast."""

    def forward(self, x: Float[Tensor, "... D"]) -> Float[Tensor, "... D"]:
        """Sums are in single precision all the same."""
        with torch.autocast(x.device.type, enabled=False):
            weight, bias = self.weight.to(x.dtype), self.bias.to(x.dtype)
            return layer_norm(x, self.normalized_shape, weight, bias, self.eps)


def _in_heads(projected: Float[Tensor, "B M D"], n_heads: int) -> Float[Tensor, "B H M d"]:
    return projected.view(*projected.shape[:2], n_heads, -1).transpose(1, 2)


class GeluFeedForward(nn.Module):
    """W₂ gelu(W₁ x + b₁) + b₂."""

    def __init__(self, width: int, ratio: int) -> None:
        super().__init__()
        self.widen = nn.Linear(width, ratio * width)
        self.narrow = nn.Linear(ratio * width, width)

    def forward(self, x: Float[Tensor, "... D"]) -> Float[Tensor, "... D"]:
        """The same for every position."""
        widened = self.widen(x)
        # The approximation is off by less than half precision is, and processors are faster without it.
        is_rounded = widened.dtype == torch.bfloat16 and widened.device.type == "cpu"
        result: Tensor = self.narrow(gelu(widened, approximate="none" if is_rounded else "tanh"))
        return result


class MixingLayer(nn.Module):
    """Attention to itself, then feed-forward; norms come first, and each part adds to what it was given."""

    def __init__(self, width: int, n_heads: int) -> None:
        super().__init__()
        self.self_norm = Norm(width)
        self.self_attention = SelfAttention(width, n_heads)
        self.last_norm = Norm(width)
        self.feed_forward = GeluFeedForward(width, ratio=4)

    def forward(self, x: Float[Tensor, "B M D"], is_there: Bool[Tensor, "B M"]) -> Float[Tensor, "B M D"]:
        """Positions that are not there are looked at by none."""
        x = x + self.self_attention(self.self_norm(x), is_there)
        result: Tensor = x + self.feed_forward(self.last_norm(x))
        return result
