"""Whether the kernels know a network and a device; if not, each place draws by its own generator."""

from __future__ import annotations

from importlib.util import find_spec

import torch

from ddsr.config import DenoiserConfig
from ddsr_bench.stacking.launch import DEFAULT


def suits_network(config: DenoiserConfig) -> bool:
    """Whether the kernel knows networks of this shape."""
    width = config.width
    return (
        config.n_encoder_layers == config.n_decoder_layers == config.n_heads == 1
        and 16 <= width <= 64
        and width & (width - 1) == 0
        and config.feed_forward_width % DEFAULT.hidden_block == 0
    )


def has_kernels(device: torch.device) -> bool:
    """Whether the kernels can run on this device: one of NVIDIA's, with Triton."""
    is_nvidia = device.type == "cuda" and torch.version.cuda is not None  # AMD's devices are "cuda" too
    return is_nvidia and find_spec("triton") is not None
