"""The part of an expression's interface that exports use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from ddsr.expression.operators import Operator
from ddsr.expression.own_operators import OwnOperator
from ddsr.expression.vocabulary import Vocabulary

T = TypeVar("T")


class Folded(Protocol):
    """An expression as the exports to text, Python source, LaTeX and SymPy see it."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of its tokens."""

    @property
    def constants(self) -> tuple[float, ...]:
        """The constants in breadth-first order."""

    @property
    def n_constants(self) -> int:
        """Number of constants."""

    @property
    def depth(self) -> int:
        """Number of levels of the tree."""

    @property
    def variables_used(self) -> tuple[str, ...]:
        """Names of the variables that the expression uses, in column order."""

    def fold(
        self,
        *,
        variable: Callable[[int], T],
        constant: Callable[[float], T],
        one: T,
        apply: Callable[[Operator, list[T]], T],
    ) -> T:
        """Evaluate the tree from the leaves to the root."""

    def with_constants(self, values: Iterable[float]) -> Folded:
        """Return the same expression with other values of its constants."""


def used_operators(expression: Folded) -> tuple[OwnOperator, ...]:
    """Return the user-defined operators in an expression, in the vocabulary's order."""
    found: set[str] = set()
    expression.fold(
        variable=lambda column: None,
        constant=lambda value: None,
        one=None,
        apply=lambda row, operands: found.add(row.name),
    )
    return tuple(own for own in expression.vocabulary.own if own.name in found)
