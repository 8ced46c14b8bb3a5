"""Whether problems can be stacked on a device; where they cannot, each keeps its own generator."""

from __future__ import annotations

from importlib.util import find_spec

import torch

from ddsr.config import DenoiserConfig
from ddsr.grammar import Grammar
from ddsr.stacking.launch import DEFAULT
from ddsr.stacking.tables import suits_fill


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


def can_stack(config: DenoiserConfig, grammar: Grammar, device: torch.device) -> bool:
    """Whether a problem can be one of a stack on this device."""
    return has_kernels(device) and suits_network(config) and suits_fill(grammar)
