"""Which networks and devices the kernels support, and how the kernels divide their work."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch

    from ddsr.config import DenoiserConfig

MAX_TOKENS = 64
"""maximum size of a vocabulary: a set of tokens is one word of a GPU"""


class Launch(NamedTuple):
    """Sizes of blocks, which only affect speed (`python -m benchmarks.stack_kernels --sweep`)."""

    n_tokens: int = 128
    """number of positions that one program predicts"""
    hidden_block: int = 64
    """width of the part of the hidden layer that is on the chip at a time"""
    predict_warps: int = 4
    predict_stages: int = 3
    max_registers: int = 128
    """registers per thread of the prediction; with more, fewer programs run at a time"""
    precision: str = "tf32"
    """precision of products outside the feed-forward layers; "tf32x3" is as good as single, and slower"""
    fill_rows: int = 32
    """number of rows that one program fills"""
    fill_warps: int = 4


DEFAULT = Launch()


def suits_network(config: DenoiserConfig) -> bool:
    """Return whether the kernels support networks of this shape."""
    width = config.width
    return (
        config.n_encoder_layers == config.n_decoder_layers == config.n_heads == 1
        and 16 <= width <= 64
        and width & (width - 1) == 0
        and config.feed_forward_width % DEFAULT.hidden_block == 0
    )


def has_kernels(device: torch.device) -> bool:
    """Return whether the kernels run on this device: an NVIDIA GPU, with Triton installed."""
    import torch

    is_nvidia = device.type == "cuda" and torch.version.cuda is not None  # AMD's devices are "cuda" too
    return is_nvidia and find_spec("triton") is not None
