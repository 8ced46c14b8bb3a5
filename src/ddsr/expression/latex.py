r"""LaTeX by the templates of the operator table, in the expression's own structure.

A template such as `\frac{#1}{#2}` encloses its operands, `#1 + #2` leaves them open, and so does
`{#1}^{2}` for what is raised: parentheses go by that, see `_fill`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ddsr.expression.operators import Operator
from ddsr.expression.printing import ATOM, Piece, check_precision, digits

if TYPE_CHECKING:
    from ddsr.expression.expression import Expression

SUM, PRODUCT, FRACTION, POWER = 1, 2, 3, 4


def to_latex(expression: Expression, precision: int | None = None) -> str:
    """For math mode; constants with `precision` significant digits, or all of them."""
    import sympy

    check_precision(precision)
    names = expression.vocabulary.variables
    return expression.fold(
        variable=lambda column: Piece(sympy.latex(sympy.Symbol(names[column]))),
        constant=lambda value: _number(digits(value, precision)),
        one=Piece("1"),
        apply=_apply,
    ).text


def _number(text: str) -> Piece:
    r"""1.2e-05 as 1.2 \times 10^{-5}."""
    mantissa, _, exponent = text.partition("e")
    written = rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else mantissa
    if text.startswith("-"):
        return Piece(written, SUM)
    return Piece(written, PRODUCT if exponent else ATOM)


def _apply(row: Operator, operands: list[Piece]) -> Piece:
    template = row.latex
    if row.name == "mul" and re.match(r"\{*\d", operands[1].text):
        template = template.replace(r"\,", r"\cdot")  # 2 3 would read as 23
    text = re.sub(r"#(\d)", lambda slot: _fill(row, template, slot, operands[int(slot[1]) - 1]), template)
    return Piece(text, _precedence(row))


def _fill(row: Operator, template: str, slot: re.Match[str], operand: Piece) -> str:
    """The operand, in parentheses where the slot is open and another reading would be possible."""
    before, after = template[: slot.start()], template[slot.end() :]
    starts_with_minus = operand.text.startswith("-")
    if after.startswith("}^"):
        is_safe = operand.precedence > POWER
    elif before and not after:  # the open right end of a + b, a - b, a b, -a
        is_safe = operand.precedence > _precedence(row) and not starts_with_minus
    elif not before:  # the open left end, where a negative number may stand as it is
        is_safe = operand.precedence >= _precedence(row) or _is_negative_number(operand)
    else:
        is_safe = True
    return operand.text if is_safe else rf"\left({operand.text}\right)"


def _is_negative_number(operand: Piece) -> bool:
    return re.fullmatch(r"-[\d.]+( \\times 10\^\{-?\d+\})?", operand.text) is not None


def _precedence(row: Operator) -> int:
    if row.name == "neg":
        return SUM
    if row.latex.startswith(r"\frac"):
        return FRACTION
    return POWER if "^" in row.latex else row.precedence
