"""How the kernels cut their work, which decides about their speed alone, and the largest vocabulary."""

from __future__ import annotations

from typing import NamedTuple

MAX_TOKENS = 64
"""of a vocabulary: a set of tokens is one word of a GPU"""


class Launch(NamedTuple):
    """Sizes of blocks; `python -m benchmarks.stack_kernels --sweep` compares them."""

    n_tokens: int = 128
    """positions of the sequences that one program predicts"""
    hidden_block: int = 64
    """how much of the hidden layer is on the chip at a time"""
    predict_warps: int = 4
    predict_stages: int = 3
    max_registers: int = 128
    """of a thread that predicts: more would leave room for fewer programs at a time"""
    precision: str = "tf32"
    """of products outside of the feed-forward layers; "tf32x3" is as good as single precision, and slower"""
    fill_rows: int = 32
    """rows that one program fills"""
    fill_warps: int = 4


DEFAULT = Launch()
