"""The prior's denoiser with the encoding of one data set, over the user's tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ddsr._core import MASK
from ddsr.generators.diffusion.denoiser import TokenNetwork
from ddsr.generators.prior.attention import EVERYWHERE
from ddsr.generators.prior.denoiser import ConditionalDenoiser, Recollection
from ddsr.generators.prior.encoder import Encoding
from ddsr.generators.prior.token_ids import UNKNOWN_LOGIT

if TYPE_CHECKING:
    from jaxtyping import Float, Int


class ConditionedDenoiser(TokenNetwork):
    """The denoiser for one encoded data set, with the user's tokens."""

    def __init__(
        self, denoiser: ConditionalDenoiser, encoding: Encoding, prior_ids: list[int], max_length: int
    ) -> None:
        super().__init__()
        self.vocab_size, self.max_length = len(prior_ids), max_length
        self.denoiser = denoiser
        self.memory: Tensor
        self.variables: Tensor
        self.prior_ids: Tensor
        self.register_buffer("memory", encoding.memory, persistent=False)
        self.register_buffer("variables", encoding.variables, persistent=False)
        self.register_buffer("prior_ids", torch.tensor([*prior_ids, MASK]), persistent=False)
        is_unknown = torch.tensor(prior_ids) < 0
        self.unknown_logits = nn.Parameter(torch.where(is_unknown, UNKNOWN_LOGIT, 0.0))

    def forward(self, noisy_tokens: Int[Tensor, "B M"], step: Int[Tensor, " B"]) -> Float[Tensor, "B M V"]:
        """Return logits of q(X_0), zero beyond the prior's length; the step is not used."""
        length = noisy_tokens.shape[1]
        known = min(length, self.denoiser.max_length)
        logits = self.predict(noisy_tokens[:, :known], self.denoiser.recall(self.encoding))
        return nn.functional.pad(logits, (0, 0, 0, length - known))

    def predict(
        self, noisy_tokens: Int[Tensor, "B M"], recalled: Recollection, asked: slice = EVERYWHERE
    ) -> Float[Tensor, "B m V"]:
        """Return logits at the positions in `asked`, given what `recall` returned for the encoding."""
        ids = torch.where(noisy_tokens < 0, self.vocab_size, noisy_tokens.long())
        logits = self.denoiser.predict(self.prior_ids[ids], recalled, asked)
        columns = self.prior_ids[:-1]
        return torch.where(columns >= 0, logits[..., columns.clamp(min=0)], self.unknown_logits)

    @property
    def encoding(self) -> Encoding:
        """Encoding of the data set, without padding."""

        def all_true(tensor: Tensor) -> Tensor:
            return torch.ones(tensor.shape[:2], dtype=torch.bool, device=tensor.device)

        return Encoding(self.memory, all_true(self.memory), self.variables, all_true(self.variables))
