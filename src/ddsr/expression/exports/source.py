"""Source code of an expression in a language with infix arithmetic and function calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ddsr.errors import ExpressionError
from ddsr.expression.folded import Folded
from ddsr.expression.operators import OPERATORS, Operator
from ddsr.expression.own_operators import FormulaOperator
from ddsr.expression.printing import Piece, call, infix, negated, number

Writer: TypeAlias = Callable[[list[Piece]], Piece]


@dataclass(frozen=True)
class Language:
    """How a language writes operators that are not infix arithmetic."""

    name: str
    functions: Mapping[str, str | Writer]
    """name of the function for an operator, or a function that writes it"""
    number: Callable[[float], str] = repr
    helpers: Mapping[str, str] = field(default_factory=dict)
    """source of functions that the language lacks, by operator"""

    def body(self, expression: Folded, names: Sequence[str]) -> str:
        """Return the expression as text; `names` are those of the inputs."""
        vocabulary = expression.vocabulary
        known = [number(self.number(each.value)) for each in vocabulary.known_constants]
        variables = [*(Piece(name) for name in names), *known]
        return expression.fold(
            variable=lambda column: variables[column],
            constant=self._constant,
            one=number(self.number(1.0)),
            apply=self._apply,
        ).text

    def helpers_of(self, expression: Folded) -> list[str]:
        """Return the source of the helpers that the expression needs."""
        used = _operators_of(expression)
        return [text for name, text in self.helpers.items() if name in used]

    def _constant(self, value: float) -> Piece:
        return number(self.number(value))

    def _apply(self, row: Operator, operands: list[Piece]) -> Piece:
        if isinstance(row.own, FormulaOperator):
            return row.own.fold(operands, self._constant, self._apply)
        if row.own is not None:
            raise ExpressionError(f"{row.name} is a Python function, which {self.name} cannot call")
        if row.name == "neg":
            return negated(operands[0])
        if row.name == "inverse":
            return infix(OPERATORS["div"], " / ", self._constant(1.0), operands[0])
        if row.symbol and row.name != "pow":
            return infix(row, f" {row.symbol} ", *operands)
        written = self.functions.get(row.name)
        if written is None:
            raise ExpressionError(f"{self.name} has no function for {row.name}")
        return call(written, operands) if isinstance(written, str) else written(operands)


def _operators_of(expression: Folded) -> set[str]:
    """Return the names of the operators in an expression and in the formulas of its own operators."""
    found: set[str] = set()

    def note(row: Operator, operands: list[None]) -> None:
        found.add(row.name)
        if isinstance(row.own, FormulaOperator):
            row.own.fold(operands, lambda value: None, note)

    expression.fold(variable=lambda column: None, constant=lambda value: None, one=None, apply=note)
    return found


def identifiers(variables: Sequence[str], reserved: Iterable[str]) -> list[str]:
    """Return a different identifier for each variable, as close to its name as ASCII allows."""
    taken = {*reserved}
    kept = {name for name in variables if _is_identifier(name) and name not in taken}
    names: list[str] = []
    for variable in variables:
        stem = re.sub(r"\W", "_", variable, flags=re.ASCII)
        stem = stem if _is_identifier(stem) else f"x{stem}"
        name, n = stem, 2
        while name in taken or (name in kept and name != variable):
            name, n = f"{stem}_{n}", n + 1
        taken.add(name)
        names.append(name)
    return names


def check_name(name: str, reserved: Iterable[str], language: str) -> None:
    """Raise an error unless `name` can be the name of a function."""
    if not _is_identifier(name) or name in reserved:
        raise ExpressionError(f"{name!r} cannot be the name of a function in {language}")


def _is_identifier(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_]\w*", name, flags=re.ASCII) is not None
