"""Infix text, with parentheses only where it would otherwise be parsed as another tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ddsr.errors import ExpressionError
from ddsr.expression.operators import Operator
from ddsr.expression.parser import UNARY_MINUS
from ddsr.expression.words import write_name

if TYPE_CHECKING:
    from ddsr.expression.folded import Folded

SHORT_PRECISION = 4  # digits of constants if there is little space for equations
# Significant digits: of all constants, or of each one in breadth-first order. None: all digits.
Precision: TypeAlias = "int | Sequence[int] | None"
ATOM = 9  # binds as tightly as a function call: never in parentheses


class Piece(NamedTuple):
    """A printed part of an expression."""

    text: str
    precedence: int = ATOM
    """precedence of the outermost operator"""
    is_fixed: bool = False
    """whether it has no variable"""

    def within(self, least: int) -> str:
        """Return the text, in parentheses if it binds less tightly than `least`."""
        return self.text if self.precedence >= least else f"({self.text})"


def to_text(expression: Folded, precision: Precision = None) -> str:
    """Return infix text; constants have `precision` significant digits, or all digits to parse back."""
    written = constant_writer(precision)
    return _write(expression, lambda value: number(_constant_text(written(value))))


def to_skeleton(expression: Folded, names: Sequence[str] | None = None) -> str:
    """Return infix text with `?` for every constant, or with given names in breadth-first order."""
    marks = reversed(["?"] * expression.n_constants if names is None else names)
    return _write(expression, lambda value: Piece(next(marks)))  # a fold meets the last constant first


def _write(expression: Folded, constant: Callable[[float], Piece]) -> str:
    vocabulary = expression.vocabulary
    names = [write_name(name, vocabulary.operators) for name in vocabulary.variables]
    return expression.fold(
        variable=lambda column: Piece(names[column]),
        constant=constant,
        one=number("1"),
        apply=_apply if "neg" in vocabulary.operators else _apply_without_neg,
    ).text


def _apply_without_neg(row: Operator, operands: list[Piece]) -> Piece:
    """Return -x for -1 * x, as the parser reads it without the operator neg."""
    if row.name == "mul" and is_minus_one(operands[0]) and not operands[1].is_fixed:
        return negated(operands[1])
    return _apply(row, operands)


def is_minus_one(operand: Piece) -> bool:
    """Return whether the text is the number -1."""
    return operand.text == "-1"


def _apply(row: Operator, operands: list[Piece]) -> Piece:
    if row.name == "neg":
        return negated(operands[0])
    if row.symbol:
        sign = row.symbol if row.name == "pow" else f" {row.symbol} "
        return infix(row, sign, *operands)
    return call(row.name, operands)


def infix(row: Operator, sign: str, left: Piece, right: Piece) -> Piece:
    """Return two operands with a sign between them; + - * / group to the left, ^ to the right."""
    if row.name == "pow":  # x^-y needs no parentheses: what follows ^ may begin with a minus
        text = left.within(row.precedence + 1) + sign + right.within(UNARY_MINUS)
    else:
        text = left.within(row.precedence) + sign + right.within(row.precedence + 1)
    return Piece(text, row.precedence, left.is_fixed and right.is_fixed)


def negated(operand: Piece) -> Piece:
    """Return the operand after a minus; a number is put in parentheses, since -2 is a number itself."""
    is_ambiguous = operand.text[0] in "-.0123456789" and operand.precedence in (ATOM, UNARY_MINUS)
    text = f"-({operand.text})" if is_ambiguous else "-" + operand.within(UNARY_MINUS)
    return Piece(text, UNARY_MINUS, operand.is_fixed)


def call(name: str, operands: list[Piece]) -> Piece:
    """Return a function call."""
    arguments = ", ".join(operand.text for operand in operands)
    return Piece(f"{name}({arguments})", is_fixed=all(operand.is_fixed for operand in operands))


def number(text: str) -> Piece:
    """Return a number, which binds like a unary minus if it starts with one."""
    return Piece(text, UNARY_MINUS if text.startswith("-") else ATOM, is_fixed=True)


def digits(value: float, precision: int | None) -> str:
    """Return the shortest decimal that equals this double, or a rounded one; 2.0 gives 2."""
    return repr(value).removesuffix(".0") if precision is None else f"{value:.{precision}g}"


def constant_writer(precision: Precision) -> Callable[[float], str]:
    """Return a function that writes the constants of one fold, which meets the last constant first."""
    _check_precision(precision)
    if precision is None or isinstance(precision, int):
        return lambda value: digits(value, precision)
    each = reversed(precision)
    return lambda value: digits(value, next(each))


def _check_precision(precision: Precision) -> None:
    """Raise an error unless `precision` is None or one or several numbers of digits."""
    numbers = precision if isinstance(precision, Sequence) else [1 if precision is None else precision]
    if not all(isinstance(each, int) and each >= 1 for each in numbers):
        raise ExpressionError(f"precision must be at least 1 digit, not {precision!r}")


def _constant_text(text: str) -> str:
    return "1.0" if text == "1" else text  # 1 is the literal
