"""The Transformer's feed-forward layer, over a hundred times wider inside than outside.

The hidden layer of one batch takes hundreds of megabytes, and reading and writing it would take most of a
forward pass. Without gradients it is therefore computed in pieces that stay on the chip: on a GPU, in
inference mode, by a kernel (fused_feed_forward.py); on a CPU by products that fit a core's cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from jaxtyping import Float

HIDDEN_BLOCK = 64  # width of the kernel's pieces of the hidden layer
# On a CPU such a piece is 1 MiB, half of a core's second-level cache on a recent server.
CPU_HIDDEN_BLOCK, CPU_ROW_BLOCK = 128, 2048


class FeedForward(nn.Module):
    """W₂ relu(W₁ x + b₁) + b₂."""

    def __init__(self, width: int, hidden_width: int) -> None:
        super().__init__()
        self.widen = nn.Linear(width, hidden_width)
        self.narrow = nn.Linear(hidden_width, width)

    def forward(self, x: Float[Tensor, "... D"]) -> Float[Tensor, "... D"]:
        """Apply the layer; the kernel's TF32 products suffice for drawing, but not for comparing policies."""
        if x.is_cuda and torch.is_inference_mode_enabled() and self._suits_kernel(x.shape[-1]):
            return self._fused(x)
        if x.device.type == "cpu" and not torch.is_grad_enabled():
            return self._in_blocks(x)
        result: Tensor = self.narrow(self.widen(x).relu_())
        return result

    def _suits_kernel(self, width: int) -> bool:
        is_power_of_two = width & (width - 1) == 0
        return is_power_of_two and 16 <= width <= 128 and self.widen.out_features % HIDDEN_BLOCK == 0

    def _fused(self, x: Tensor) -> Tensor:
        # Triton is only part of the CUDA builds of PyTorch
        from ddsr.generators.diffusion.fused_feed_forward import fused_feed_forward

        return fused_feed_forward(x, self.widen, self.narrow, HIDDEN_BLOCK)

    def _in_blocks(self, x: Tensor) -> Tensor:
        """Sum over blocks of the hidden layer, each in the same small buffer."""
        rows = x.reshape(-1, x.shape[-1])
        result = self.narrow.bias.repeat(len(rows), 1)
        # The bias is the weight of an extra input of 1, which saves a pass over the output.
        rows = torch.cat((rows, rows.new_ones(len(rows), 1)), dim=1)
        first = torch.cat((self.widen.weight, self.widen.bias[:, None]), dim=1).T
        second = self.narrow.weight.T
        buffer = rows.new_empty(min(len(rows), CPU_ROW_BLOCK) * min(len(second), CPU_HIDDEN_BLOCK))
        for begin in range(0, len(rows), CPU_ROW_BLOCK):
            some, total = rows[begin : begin + CPU_ROW_BLOCK], result[begin : begin + CPU_ROW_BLOCK]
            for start in range(0, len(second), CPU_HIDDEN_BLOCK):
                back = second[start : start + CPU_HIDDEN_BLOCK]
                hidden = buffer[: len(some) * len(back)].view(len(some), len(back))
                torch.mm(some, first[:, start : start + len(back)], out=hidden).relu_()
                total.addmm_(hidden, back)
        return result.view(x.shape)
