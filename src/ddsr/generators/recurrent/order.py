"""Conversion between prefix order, which the RNN writes, and breadth-first order, used elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ddsr import _core
from ddsr.expression import PAD
from ddsr.expression.vocabulary import Vocabulary

Tokens = NDArray[np.int16]


def prefix_rows(vocabulary: Vocabulary, breadth_first: Tokens) -> Tokens:
    """Return the expressions in prefix order, each operator before its operands."""
    return _reordered(vocabulary, breadth_first, _core.prefix_from_breadth_first)


def breadth_first_rows(vocabulary: Vocabulary, prefix: Tokens) -> Tokens:
    """Return the expressions in breadth-first order, level by level."""
    return _reordered(vocabulary, prefix, _core.breadth_first_from_prefix)


def _reordered(
    vocabulary: Vocabulary, rows: Tokens, order_of: Callable[[_core.Vocabulary, Tokens], list[int]]
) -> Tokens:
    reordered = np.full_like(rows, PAD)
    for target, row, size in zip(reordered, rows, (rows != PAD).sum(axis=1), strict=True):
        target[:size] = row[order_of(vocabulary.core, row[:size])]
    return reordered
