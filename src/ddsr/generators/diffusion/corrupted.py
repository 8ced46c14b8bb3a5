"""Expressions at a step of a forward process, which a network learns to restore."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddsr.expression import Tokens


@dataclass(frozen=True, eq=False)
class Corrupted:
    """Expressions at step t of a forward process: random masking, or D3PM's uniform noise."""

    clean_tokens: Tokens
    """X_0, (B, M)"""
    noisy_tokens: Tokens
    """X_t, (B, M): MASK or noise where a token is hidden, and in the padding"""
    step: NDArray[np.int64]
    """t, (B,): with masks, the number of masked positions among all M"""
    is_masked: NDArray[np.bool_]
    """(B, M): hidden positions that hold a token; with noise all that do, since any of them may be noise"""
