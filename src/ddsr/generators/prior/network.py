"""Encoder and denoiser together, as trained and shipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor, nn

from ddsr.generators.prior.config import NetworkConfig
from ddsr.generators.prior.denoiser import ConditionalDenoiser
from ddsr.generators.prior.encoder import Encoder, Encoding

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int


class PriorNetwork(nn.Module):
    """φ_θ(X_0 | X_t, data)."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.denoiser = ConditionalDenoiser(config)
        self._start()

    def _start(self) -> None:
        """Initialise with small weights, and smaller ones in layers whose outputs are added up."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=min(0.02 * 8, module.in_features**-0.5))
                nn.init.zeros_(module.bias)
        of_logits = (self.denoiser.fixed_out, self.denoiser.variable_out)
        for name, module in self.named_modules():
            if name.endswith(("out", "narrow", "tell")) and module not in of_logits:
                module.weight.data.mul_(0.3)
        for parameter in (
            self.denoiser.fixed,
            self.denoiser.variable_codes,
            self.denoiser.positions,
            self.denoiser.parent_positions,
            self.denoiser.sides,
        ):
            parameter.data.mul_(0.3)
        self.denoiser.fixed_out.weight.data.mul_(0.1)

    def encode(
        self,
        x: Float[Tensor, "B N V"],
        y: Float[Tensor, "B N"],
        is_row: Bool[Tensor, "B N"],
        is_variable: Bool[Tensor, "B V"],
    ) -> Encoding:
        """Encode data sets; see `Encoder`."""
        encoding: Encoding = self.encoder(x, y, is_row, is_variable)
        return encoding

    def forward(
        self,
        noisy_tokens: Int[Tensor, "R L"],
        x: Float[Tensor, "B N V"],
        y: Float[Tensor, "B N"],
        is_row: Bool[Tensor, "B N"],
        is_variable: Bool[Tensor, "B V"],
    ) -> Float[Tensor, "R L T"]:
        """Return logits for the expressions of the data sets, R/B of each."""
        logits: Tensor = self.denoiser(noisy_tokens, self.encode(x, y, is_row, is_variable))
        return logits

    @property
    def n_parameters(self) -> int:
        """Number of learned parameters."""
        return sum(parameter.numel() for parameter in self.parameters())
