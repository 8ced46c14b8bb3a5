"""The tables of several grammars, stacked along the first axis for the fill kernel."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ddsr.grammar import Grammar, GrammarTables
from ddsr_bench.stacking.support import MAX_TOKENS

MAX_CONTEXTS = 256
MAX_USE_RULES = 7
"""the numbers of remaining uses share a word, 8 bits each; the last byte would have the sign"""
MAX_LENGTH = 64


def suits_fill(grammar: Grammar) -> bool:
    """Return whether the fill kernel supports all rules of a grammar."""
    if len(grammar.vocabulary) > MAX_TOKENS or grammar.max_length > MAX_LENGTH:
        return False
    tables = grammar.tables()
    return (
        not tables.needs_lookahead
        and len(tables.allowed) <= MAX_CONTEXTS
        and len(tables.use_limits) <= MAX_USE_RULES
    )


class StackedTables:
    """The rules of each grammar, padded to the largest vocabulary."""

    def __init__(self, n_problems: int, max_vocab_size: int, max_length: int, device: torch.device) -> None:
        self.max_vocab_size, self.max_length = max_vocab_size, max_length
        self.n_use_rules = 0
        """maximum number of rules on uses over the grammars"""

        def zeros(*shape: int, dtype: torch.dtype = torch.int64) -> Tensor:
            return torch.zeros((n_problems, *shape), dtype=dtype, device=device)

        self.allowed = zeros(MAX_CONTEXTS)
        self.below = zeros(MAX_CONTEXTS, max_vocab_size, dtype=torch.int16)
        self.directly_below = zeros(max_vocab_size + 1)
        self.of_arity_at_most = zeros(3)
        self.constant_like = zeros()
        self.use_sets = zeros(MAX_USE_RULES)
        self.use_limits = zeros()  # the limit of rule r in byte r
        self.use_steps = zeros(max_vocab_size)  # a 1 in byte r if rule r counts the token

    def load(self, problem: int, grammar: Grammar) -> None:
        """Copy the tables of one grammar to a problem."""
        if not suits_fill(grammar):
            raise ValueError("the fill kernel does not support all rules of this grammar")
        if grammar.max_length != self.max_length or len(grammar.vocabulary) > self.max_vocab_size:
            raise ValueError(
                f"the grammar has {len(grammar.vocabulary)} tokens and max_length={grammar.max_length}; "
                f"the stack takes {self.max_vocab_size} and {self.max_length}"
            )
        tables = grammar.tables()
        self.n_use_rules = max(self.n_use_rules, len(tables.use_limits))
        for own, given in (
            (self.allowed, tables.allowed[:, 0]),
            (self.below, tables.below),
            (self.directly_below, tables.directly_below[:, 0]),
            (self.of_arity_at_most, tables.of_arity_at_most[:, 0]),
            (self.constant_like, tables.constant_like[0, 0]),
            (self.use_sets, tables.use_sets[:, 0]),
            (self.use_limits, _in_bytes(tables.use_limits)),
            (self.use_steps, _use_steps(tables, len(grammar.vocabulary))),
        ):
            own[problem] = torch.from_numpy(_padded(np.asarray(given), tuple(own.shape[1:])))

    def of_kernel(self) -> tuple[Tensor, ...]:
        """Return the tensors that `launch_fill` takes."""
        return (
            self.allowed,
            self.below,
            self.directly_below,
            self.of_arity_at_most,
            self.constant_like,
            self.use_sets,
            self.use_limits,
            self.use_steps,
        )


def _padded(given: NDArray[np.generic], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return integers as signed words, padded with zeros."""
    result = np.zeros(shape, np.int64)
    result[tuple(slice(length) for length in given.shape)] = given.astype(np.int64)
    return result


def _in_bytes(counts: NDArray[np.int32]) -> np.int64:
    return np.int64(sum(int(count) << (8 * byte) for byte, count in enumerate(counts)))


def _use_steps(tables: GrammarTables, n_tokens: int) -> NDArray[np.int64]:
    is_counted = tables.use_sets[:, 0] >> np.arange(n_tokens, dtype=np.uint64)[:, None] & np.uint64(1)
    return np.array([_in_bytes(counts) for counts in is_counted.astype(np.int32)], np.int64)
