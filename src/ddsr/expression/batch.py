"""Batches: many expressions as two arrays, which generators return and the engine takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ddsr import _core
from ddsr._core import PAD
from ddsr.errors import ExpressionError
from ddsr.expression.expression import Expression
from ddsr.expression.signs import signs_of
from ddsr.expression.vocabulary import Vocabulary

Tokens = NDArray[np.int16]
Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Batch:
    """Expressions over one vocabulary, one per row."""

    vocabulary: Vocabulary
    tokens: Tokens
    """(B, L) tokens in breadth-first order, padded with PAD"""
    constants: NDArray[np.float64]
    """(B, K) constants in the order of their tokens; values after a row's last constant are ignored"""
    n_drawn: int | None = None
    """number of draws that gave these distinct expressions; None if it equals their number"""

    def __post_init__(self) -> None:
        for name, kind in (("tokens", np.int16), ("constants", np.float64)):
            array = getattr(self, name)
            if not isinstance(array, np.ndarray) or array.dtype != kind or array.ndim != 2:
                raise ExpressionError(f"the {name} of a batch must be a table of {kind.__name__}")
            object.__setattr__(self, name, np.ascontiguousarray(array))
        if len(self.tokens) != len(self.constants):
            raise ExpressionError(f"{len(self.tokens)} rows of tokens, {len(self.constants)} of constants")

    @classmethod
    def from_tokens(cls, vocabulary: Vocabulary, tokens: ArrayLike) -> Batch:
        """Create a batch of expressions with unknown constants, which start at 1."""
        rows = _as_tokens(tokens)
        n_constants = (rows == vocabulary.constant).sum(axis=1) if vocabulary.has_constant else [0]
        return cls(vocabulary, rows, np.ones((len(rows), max(n_constants, default=0))))

    @classmethod
    def of(cls, expressions: Iterable[Expression]) -> Batch:
        """Create a batch of expressions, which must share a vocabulary."""
        listed = _as_expressions(expressions)
        vocabulary = listed[0].vocabulary
        tokens = np.full((len(listed), max(map(len, listed))), PAD, dtype=np.int16)
        constants = np.zeros((len(listed), max(e.n_constants for e in listed)))
        for row, expression in enumerate(listed):
            tokens[row, : len(expression)] = expression.tokens
            constants[row, : expression.n_constants] = expression.constants
        return cls(vocabulary, tokens, constants)

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, row: int) -> Expression:
        tokens = [token for token in self.tokens[row].tolist() if token != PAD]
        n_constants = tokens.count(self.vocabulary.constant)
        return Expression(self.vocabulary, tokens, self.constants[row, :n_constants].tolist())

    def __iter__(self) -> Iterator[Expression]:
        return (self[row] for row in range(len(self)))

    def keys(self, n_threads: int = 1) -> list[bytes]:
        """Return the `key` of each expression, which ignores operand order and constants."""
        try:
            return _core.canonical_keys(self.vocabulary.core, self.tokens, n_threads)
        except ValueError as error:
            raise ExpressionError(str(error)) from None

    def simplified(
        self, n_threads: int = 1, positive: Iterable[str] = (), nonnegative: Iterable[str] = ()
    ) -> Batch:
        """Simplify each expression with `Expression.simplified`, in the same order."""
        signs = signs_of(self.vocabulary, positive, nonnegative)
        try:
            tokens, constants = _core.simplify(
                self.vocabulary.core, self.tokens, self.constants, signs, n_threads
            )
        except ValueError as error:
            raise ExpressionError(str(error)) from None
        return Batch(self.vocabulary, tokens, constants)

    @classmethod
    def joined(cls, batches: Sequence[Batch]) -> Batch:
        """Concatenate batches that share a vocabulary."""
        length = max(batch.tokens.shape[1] for batch in batches)
        width = max(batch.constants.shape[1] for batch in batches)
        tokens = [_widened(batch.tokens, length, PAD) for batch in batches]
        constants = [_widened(batch.constants, width, 0.0) for batch in batches]
        return cls(batches[0].vocabulary, np.concatenate(tokens), np.concatenate(constants))

    def take(self, rows: NDArray[np.int64] | list[int]) -> Batch:
        """Return some of the rows, in the order given."""
        return Batch(self.vocabulary, self.tokens[rows], self.constants[rows])

    def first_distinct(self, n: int, n_threads: int = 1) -> Batch:
        """Return the first `n` rows with different `keys`; `n_drawn` is the number of rows searched."""
        first_rows = {key: row for row, key in reversed(list(enumerate(self.keys(n_threads))))}
        rows = sorted(first_rows.values())
        n_drawn = rows[n - 1] + 1 if len(rows) >= n > 0 else len(self)
        return replace(self.take(rows[:n]), n_drawn=n_drawn)

    def mask(self, flags: Iterable[Sequence[bool]]) -> NDArray[np.bool_]:
        """Return flags of each expression's constants in the shape of `constants`, padded with False."""
        found = np.zeros(self.constants.shape, dtype=bool)
        for row, each in enumerate(flags):
            found[row, : len(each)] = each
        return found

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of tokens of each expression."""
        return np.asarray((self.tokens != PAD).sum(axis=1))


def _as_expressions(expressions: Iterable[Expression]) -> list[Expression]:
    if isinstance(expressions, (Expression, str)) or not isinstance(expressions, Iterable):
        raise ExpressionError(f"expressions must be a list of expressions, not {expressions!r}")
    listed = list(expressions)
    if not listed:
        raise ExpressionError("a batch needs at least one expression")
    for expression in listed:
        if not isinstance(expression, Expression):
            raise ExpressionError(
                f"{expression!r} is not an Expression: create one from text with Expression.parse"
            )
        if expression.vocabulary != listed[0].vocabulary:
            raise ExpressionError("the expressions of a batch must share one vocabulary")
    return listed


def _as_tokens(tokens: ArrayLike) -> Tokens:
    try:
        rows = np.asarray(tokens)
    except ValueError as error:
        raise ExpressionError(f"tokens must be a table with one row per expression: {error}") from None
    if rows.ndim != 2:
        raise ExpressionError(f"tokens must be a table with one row per expression; got {rows.ndim}-D")
    limits = np.iinfo(np.int16)
    if rows.dtype.kind not in "iu" or (
        rows.size and not limits.min <= rows.min() <= rows.max() <= limits.max
    ):
        raise ExpressionError(f"tokens must be whole numbers of 16 bits; got {rows.dtype}")
    return rows.astype(np.int16)


def _widened(table: NDArray[Number], width: int, filling: float) -> NDArray[Number]:
    return np.pad(table, ((0, 0), (0, width - table.shape[1])), constant_values=filling)
