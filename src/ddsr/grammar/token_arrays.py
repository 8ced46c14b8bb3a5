"""Arrays and numbers that the native grammar takes, checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ddsr.errors import GrammarError


def as_logits(given: ArrayLike) -> NDArray[np.float32]:
    """Return logits of the shape (rows, positions, tokens)."""
    logits = np.ascontiguousarray(given, dtype=np.float32)
    if logits.ndim != 3:
        raise GrammarError(f"logits must have the shape (B, M, V), got {logits.shape}")
    return logits


def as_row_numbers(given: ArrayLike) -> NDArray[np.int64]:
    """Return one row number for each row."""
    numbers = np.asarray(given)
    if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
        raise GrammarError(
            f"logits_of must be integers of shape (B,), got {numbers.dtype} of shape {numbers.shape}"
        )
    return np.ascontiguousarray(numbers, dtype=np.int64)


def as_tokens(given: ArrayLike, n_dims: int) -> NDArray[np.int16]:
    """Return tokens of this many dimensions."""
    tokens = np.asarray(given)
    if tokens.ndim != n_dims:
        raise GrammarError(f"tokens must have {n_dims} dimension(s), got shape {tokens.shape}")
    if tokens.dtype != np.int16:
        if tokens.size and not np.issubdtype(tokens.dtype, np.integer):
            raise GrammarError(f"tokens must be integers, got {tokens.dtype}")
        range_ = np.iinfo(np.int16)
        if tokens.size and not range_.min <= tokens.min() <= tokens.max() <= range_.max:
            raise GrammarError(f"tokens range from {tokens.min()} to {tokens.max()}, which are not token ids")
    return np.ascontiguousarray(tokens, dtype=np.int16)


def as_word(value: int, what: str) -> int:
    """Return an integer of 64 bits without a sign."""
    if not isinstance(value, (int, np.integer)) or not 0 <= value < 2**64:
        raise GrammarError(f"{what} must be an integer from 0 to 2**64 - 1, got {value!r}")
    return int(value)
