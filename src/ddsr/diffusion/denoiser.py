"""The network φ_θ: from a partly masked expression to a distribution over tokens at every position."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ddsr.config import DenoiserConfig

if TYPE_CHECKING:
    from jaxtyping import Float, Int

WAVELENGTH = 10_000.0


def encode(places: Int[Tensor, " n"], width: int) -> Float[Tensor, "n width"]:
    """sin and cos of l / 10000^(4i/D) for i = 0 … D/4, in turn: half of the paper's PE(l, t).

    `width` is D/2: one call encodes the position l, another the step t.
    """
    rates = WAVELENGTH ** (-torch.arange(0, width, 2) / width)  # 4i/D with D = 2 width
    angles = places[..., None].float() * rates
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)


class Denoiser(nn.Module):
    """A Transformer with one encoder and one decoder layer, both fed the whole sequence.

    Pre-norm, without dropout and without a causal mask: every position sees every other.
    """

    def __init__(self, vocab_size: int, max_length: int, config: DenoiserConfig) -> None:
        super().__init__()
        self.vocab_size, self.max_length = vocab_size, max_length
        self.embedding = nn.Embedding(vocab_size + 1, config.width)  # the last one is MASK
        width, n_heads, wide = config.width, config.n_heads, config.feed_forward_width
        encoder_layer = nn.TransformerEncoderLayer(
            width, n_heads, wide, dropout=0.0, norm_first=True, batch_first=True
        )
        decoder_layer = nn.TransformerDecoderLayer(
            width, n_heads, wide, dropout=0.0, norm_first=True, batch_first=True
        )
        self.encoder = nn.TransformerEncoder(
            encoder_layer, config.n_encoder_layers, nn.LayerNorm(width), enable_nested_tensor=False
        )
        self.decoder = nn.TransformerDecoder(decoder_layer, config.n_decoder_layers, nn.LayerNorm(width))
        self.to_logits = nn.Linear(config.width, vocab_size)
        half = config.width // 2
        self.position_codes: Tensor
        self.step_codes: Tensor
        self.register_buffer("position_codes", encode(torch.arange(max_length), half), persistent=False)
        self.register_buffer("step_codes", encode(torch.arange(max_length + 1), half), persistent=False)

    def forward(self, noisy_tokens: Int[Tensor, "B M"], step: Int[Tensor, " B"]) -> Float[Tensor, "B M V"]:
        """Logits of q(X_0) given X_t and t; MASK and PAD are negative ids."""
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
        logits: Tensor = self.to_logits(self.decoder(sequence, self.encoder(sequence)))
        return logits
