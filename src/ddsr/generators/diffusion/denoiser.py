"""The denoiser φ_θ: from a partly masked expression to a distribution over tokens at every position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from ddsr.config import DenoiserConfig
from ddsr.generators.diffusion.feed_forward import FeedForward

if TYPE_CHECKING:
    from jaxtyping import Float, Int

WAVELENGTH = 10_000.0


def encode(places: Int[Tensor, " n"], width: int) -> Float[Tensor, "n width"]:
    """Return alternating sin and cos of l / 10000^(4i/D) for i = 0 … D/4: half of the paper's PE(l, t).

    `width` is D/2: one call encodes the position l, another the step t.
    """
    rates = WAVELENGTH ** (-torch.arange(0, width, 2) / width)  # 4i/D with D = 2 width
    angles = places[..., None].float() * rates
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)


class Attention(nn.Module):
    """Attention of every position of `x` to every position of `context`."""

    is_written_out = False
    """whether to use plain products, which allow more axes (`torch.vmap`)"""

    def __init__(self, width: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)

    def forward(self, x: Float[Tensor, "B M D"], context: Float[Tensor, "B M D"]) -> Float[Tensor, "B M D"]:
        """Compute softmax(QKᵀ/√d) V, with a slice of the width per head."""

        def heads(projected: Tensor) -> Float[Tensor, "B H M d"]:
            return projected.view(*projected.shape[:2], self.n_heads, -1).transpose(1, 2)

        queries, keys, values = heads(self.query(x)), heads(self.key(context)), heads(self.value(context))
        if self.is_written_out:
            scores = queries @ keys.transpose(-2, -1) * queries.shape[-1] ** -0.5
            mixed = scores.softmax(dim=-1) @ values
        else:
            mixed = scaled_dot_product_attention(queries, keys, values)
        result: Tensor = self.out(mixed.transpose(1, 2).flatten(-2))
        return result


class Layer(nn.Module):
    """Pre-norm layer: self-attention, cross-attention to the encoder in a decoder, then feed-forward."""

    def __init__(self, config: DenoiserConfig, is_decoder: bool) -> None:
        super().__init__()
        self.self_norm = nn.LayerNorm(config.width)
        self.self_attention = Attention(config.width, config.n_heads)
        self.cross_norm = nn.LayerNorm(config.width) if is_decoder else None
        self.cross_attention = Attention(config.width, config.n_heads) if is_decoder else None
        self.last_norm = nn.LayerNorm(config.width)
        self.feed_forward = FeedForward(config.width, config.feed_forward_width)

    def forward(
        self, x: Float[Tensor, "B M D"], encoded: Float[Tensor, "B M D"] | None = None
    ) -> Float[Tensor, "B M D"]:
        """Add the output of each part to its input."""
        normed = self.self_norm(x)
        x = x + self.self_attention(normed, normed)
        if self.cross_norm is not None and self.cross_attention is not None:
            x = x + self.cross_attention(self.cross_norm(x), encoded)
        result: Tensor = x + self.feed_forward(self.last_norm(x))
        return result


class TokenNetwork(nn.Module):
    """Interface of φ_θ for the backward process: X_t and t to logits, (B, M, V)."""

    vocab_size: int
    max_length: int


class Denoiser(TokenNetwork):
    """Transformer with one encoder and one decoder layer, both fed the whole sequence.

    Pre-norm, without dropout and without a causal mask: every position sees every other.
    """

    def __init__(self, vocab_size: int, max_length: int, config: DenoiserConfig) -> None:
        super().__init__()
        self.vocab_size, self.max_length = vocab_size, max_length
        self.embedding = nn.Embedding(vocab_size + 1, config.width)  # the last row is MASK
        self.encoder = nn.ModuleList(Layer(config, is_decoder=False) for _ in range(config.n_encoder_layers))
        self.decoder = nn.ModuleList(Layer(config, is_decoder=True) for _ in range(config.n_decoder_layers))
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(config.width), nn.LayerNorm(config.width)
        self.to_logits = nn.Linear(config.width, vocab_size)
        half = config.width // 2
        self.position_codes: Tensor
        self.step_codes: Tensor
        self.register_buffer("position_codes", encode(torch.arange(max_length), half), persistent=False)
        self.register_buffer("step_codes", encode(torch.arange(max_length + 1), half), persistent=False)

    def start_from(self, arities: Sequence[int], odds: Sequence[float]) -> None:
        """Shift the output's bias so that, all else equal, tokens of each arity have these odds.

        With equal odds, the tokens of few variables are mostly operators, so that nearly all expressions
        reach the maximum length.
        """
        # the root of a template is the only token with more operands, and it never competes with others
        shares = [odds[min(arity, len(odds) - 1)] / arities.count(arity) for arity in arities]
        with torch.no_grad():
            self.to_logits.bias.add_(torch.tensor(shares).log().to(self.to_logits.bias))

    def forward(self, noisy_tokens: Int[Tensor, "B M"], step: Int[Tensor, " B"]) -> Float[Tensor, "B M V"]:
        """Return logits of q(X_0) given X_t and t; MASK and PAD are negative ids."""
        is_shown = noisy_tokens >= 0
        ids = torch.where(is_shown, noisy_tokens, self.vocab_size).long()
        batch, length = ids.shape
        codes = torch.cat(
            (
                self.position_codes[None, :length].expand(batch, -1, -1),
                self.step_codes[step][:, None].expand(-1, length, -1),
            ),
            dim=-1,
        )  # (B, M, D)
        sequence = self.embedding(ids) + codes
        encoded = sequence
        for layer in self.encoder:
            encoded = layer(encoded)
        encoded = self.encoder_norm(encoded)
        decoded = sequence
        for layer in self.decoder:
            decoded = layer(decoded, encoded)
        logits: Tensor = self.to_logits(self.decoder_norm(decoded))
        return logits
