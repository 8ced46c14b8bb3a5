r"""LaTeX of an expression that keeps its structure, from the templates of the operator table.

A template such as `\frac{#1}{#2}` encloses its operands; `#1 + #2` leaves them open, and so does the base of
`{#1}^{2}`. Open operands may need parentheses, see `_fill`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ddsr.expression.operators import Operator
from ddsr.expression.printing import ATOM, Piece, Precision, constant_writer, is_minus_one

if TYPE_CHECKING:
    from ddsr.expression.folded import Folded

SUM, PRODUCT, FRACTION, POWER = 1, 2, 3, 4

# SymPy typesets Greek letters, accents and subscripts; any other name is set upright.
_READABLE_NAME = re.compile(r"[^\W\d_][^\W_]*(_[^\W_]+)*")
_SPELLED = {"\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim "} | {c: f"\\{c}" for c in "#$%&_{}"}


def to_latex(expression: Folded, precision: Precision = None) -> str:
    """Return LaTeX for math mode; constants have `precision` significant digits, or all."""
    written = constant_writer(precision)
    names = expression.vocabulary.variables
    return expression.fold(
        variable=lambda column: Piece(write_name(names[column])),
        constant=lambda value: _number(written(value)),
        one=Piece("1"),
        apply=_apply,
    ).text


def write_name(name: str) -> str:
    r"""Return beta as \beta and x_1 as x_{1}; other names upright, character by character."""
    import sympy

    if _READABLE_NAME.fullmatch(name):
        return str(sympy.latex(sympy.Symbol(name)))
    return rf"\mathrm{{{''.join(map(_character, name))}}}"


def _character(c: str) -> str:
    if c.isspace() or not c.isprintable():
        return r"\ "
    # braces prevent a sign from being set as an operator: a-b is not a difference
    return _SPELLED.get(c) or (c if c.isalnum() else f"{{{c}}}")


def _number(text: str) -> Piece:
    r"""Return 1.2e-05 as 1.2 \times 10^{-5}."""
    mantissa, _, exponent = text.partition("e")
    written = rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else mantissa
    if text.startswith("-"):
        return Piece(written, SUM)
    return Piece(written, PRODUCT if exponent else ATOM)


def _apply(row: Operator, operands: list[Piece]) -> Piece:
    template = row.latex
    if row.name == "mul" and re.match(r"\{*\d", operands[1].text):
        template = template.replace(r"\,", r"\cdot")  # 2 3 would read as 23
    elif row.name == "mul" and is_minus_one(operands[0]):
        template = "-#2"
    text = re.sub(r"#(\d)", lambda slot: _fill(row, template, slot, operands[int(slot[1]) - 1]), template)
    return Piece(text, _precedence(row))


def _fill(row: Operator, template: str, slot: re.Match[str], operand: Piece) -> str:
    """Return the operand, in parentheses if it could be misread in an open slot."""
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
