"""Building blocks of encoder and denoiser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, layer_norm, linear, scaled_dot_product_attention

if TYPE_CHECKING:
    from jaxtyping import Bool, Float

EVERYWHERE = slice(None)


class CrossAttention(nn.Module):
    """softmax(QKᵀ/√d) V over the positions of `context` that are not padding."""

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
        """Let every position of `x` attend to every position of `context`."""
        return self.look(x, *self.keys_and_values(context), is_there)

    def keys_and_values(
        self, context: Float[Tensor, "B N D"]
    ) -> tuple[Float[Tensor, "B H N d"], Float[Tensor, "B H N d"]]:
        """Return keys and values of the context, which do not depend on `x`."""
        key, value = self.key_value(context).chunk(2, dim=-1)
        return _in_heads(key, self.n_heads), _in_heads(value, self.n_heads)

    def look(
        self,
        x: Float[Tensor, "B M D"],
        key: Float[Tensor, "B H N d"],
        value: Float[Tensor, "B H N d"],
        is_there: Bool[Tensor, "B N"] | None = None,
    ) -> Float[Tensor, "B M D"]:
        """Let every position of `x` attend to these keys and values."""
        query = _in_heads(self.query(x), self.n_heads)
        mask = None if is_there is None else is_there[:, None, None, :]
        mixed = scaled_dot_product_attention(query, key, value, attn_mask=mask)
        result: Tensor = self.out(mixed.transpose(1, 2).flatten(-2))
        return result


class SelfAttention(nn.Module):
    """Self-attention over all positions except padding; one product computes queries, keys and values."""

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
        """Return softmax(QKᵀ/√d) V at the positions in `asked`, with a slice of the width per head."""
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
    """Layer normalisation that keeps the precision of its input: half stays half, also under autocast."""

    def forward(self, x: Float[Tensor, "... D"]) -> Float[Tensor, "... D"]:
        """Normalise, with sums in single precision."""
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
        """Apply the layer to every position."""
        widened = self.widen(x)
        # The approximation's error is below half precision, but CPUs are faster without it.
        is_rounded = widened.dtype == torch.bfloat16 and widened.device.type == "cpu"
        result: Tensor = self.narrow(gelu(widened, approximate="none" if is_rounded else "tanh"))
        return result


class MixingLayer(nn.Module):
    """Pre-norm layer of self-attention and feed-forward, each added to its input."""

    def __init__(self, width: int, n_heads: int) -> None:
        super().__init__()
        self.self_norm = Norm(width)
        self.self_attention = SelfAttention(width, n_heads)
        self.last_norm = Norm(width)
        self.feed_forward = GeluFeedForward(width, ratio=4)

    def forward(self, x: Float[Tensor, "B M D"], is_there: Bool[Tensor, "B M"]) -> Float[Tensor, "B M D"]:
        """Apply the layer; padding is ignored."""
        x = x + self.self_attention(self.self_norm(x), is_there)
        result: Tensor = x + self.feed_forward(self.last_norm(x))
        return result
