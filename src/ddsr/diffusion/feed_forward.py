"""The Transformer's feed-forward layer, more than a hundred times as wide inside as outside.

Written out, the hidden layer of one batch takes hundreds of megabytes, and reading and writing it is nearly
all the time of a forward pass on a GPU. In inference mode it is therefore never written: a kernel
(fused_feed_forward.py) goes over it in pieces that stay on the chip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from jaxtyping import Float

HIDDEN_BLOCK = 64  # how much of the hidden layer the kernel has on the chip at a time


class FeedForward(nn.Module):
    """W₂ relu(W₁ x + b₁) + b₂."""

    def __init__(self, width: int, hidden_width: int) -> None:
        super().__init__()
        self.widen = nn.Linear(width, hidden_width)
        self.narrow = nn.Linear(hidden_width, width)

    def forward(self, x: Float[Tensor, "... D"]) -> Float[Tensor, "... D"]:
        """The kernel's products are in TF32: good enough to draw from, but not to compare policies by."""
        if x.is_cuda and torch.is_inference_mode_enabled() and self._suits_kernel(x.shape[-1]):
            return self._fused(x)
        result: Tensor = self.narrow(torch.relu(self.widen(x)))
        return result

    def _suits_kernel(self, width: int) -> bool:
        is_power_of_two = width & (width - 1) == 0
        return is_power_of_two and 16 <= width <= 128 and self.widen.out_features % HIDDEN_BLOCK == 0

    def _fused(self, x: Tensor) -> Tensor:
        # Triton comes with the CUDA builds of PyTorch alone
        from ddsr.diffusion.fused_feed_forward import fused_feed_forward

        return fused_feed_forward(x, self.widen, self.narrow, HIDDEN_BLOCK)
