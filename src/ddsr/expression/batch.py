"""Many expressions as two arrays: what generators make and the engine takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddsr._core import PAD
from ddsr.errors import ExpressionError
from ddsr.expression.expression import Expression
from ddsr.expression.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Batch:
    """Expressions over one vocabulary, a row each."""

    vocabulary: Vocabulary
    tokens: NDArray[np.int16]
    """(B, L) breadth-first, PAD behind the end of each"""
    constants: NDArray[np.float64]
    """(B, K) in the order of their tokens; what is behind a row's last constant counts for nothing"""

    @classmethod
    def from_tokens(cls, vocabulary: Vocabulary, tokens: NDArray[np.int16]) -> Batch:
        """Expressions whose constants are not known yet: they start at 1."""
        tokens = np.ascontiguousarray(tokens, dtype=np.int16)
        if tokens.ndim != 2:
            raise ExpressionError(f"tokens must be a table, a row an expression; got {tokens.ndim}-D")
        n_constants = (tokens == vocabulary.constant).sum(axis=1) if vocabulary.has_constant else [0]
        return cls(vocabulary, tokens, np.ones((len(tokens), max(n_constants, default=0))))

    @classmethod
    def of(cls, expressions: Sequence[Expression]) -> Batch:
        """The same expressions as a batch; they must share a vocabulary."""
        if not expressions:
            raise ExpressionError("a batch needs at least one expression")
        vocabulary = expressions[0].vocabulary
        if any(expression.vocabulary != vocabulary for expression in expressions):
            raise ExpressionError("the expressions of a batch must share one vocabulary")
        tokens = np.full((len(expressions), max(map(len, expressions))), PAD, dtype=np.int16)
        constants = np.zeros((len(expressions), max(e.n_constants for e in expressions)))
        for row, expression in enumerate(expressions):
            tokens[row, : len(expression)] = expression.tokens
            constants[row, : expression.n_constants] = expression.constants
        return cls(vocabulary, tokens, constants)

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, row: int) -> Expression:
        tokens = [int(token) for token in self.tokens[row] if token != PAD]
        n_constants = sum(map(self.vocabulary.is_constant, tokens))
        constants = [float(value) for value in self.constants[row, :n_constants]]
        return Expression(self.vocabulary, tuple(tokens), tuple(constants))

    def __iter__(self) -> Iterator[Expression]:
        return (self[row] for row in range(len(self)))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of tokens of each."""
        return np.asarray((self.tokens != PAD).sum(axis=1))
