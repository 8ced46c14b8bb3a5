"""Formulas for Excel, LibreOffice and other spreadsheets with English function names."""

from __future__ import annotations

from collections.abc import Mapping

from ddsr.errors import ExpressionError, did_you_mean
from ddsr.expression.exports.source import Language
from ddsr.expression.folded import Folded
from ddsr.expression.operators import OPERATORS
from ddsr.expression.printing import Piece, call, infix

LONGEST_FORMULA = 8192  # characters that Excel accepts
FIRST_ROW = 2  # below the names of the columns


def _number(value: float) -> str:
    return repr(value).removesuffix(".0").upper()


def _logistic(operands: list[Piece]) -> Piece:
    exponential = call("EXP", [Piece(f"-({operands[0].text})")])
    return infix(OPERATORS["div"], " / ", Piece("1"), Piece(f"(1 + {exponential.text})"))


# Excel reads -2^2 as 4, so powers are calls. Its ATAN2 has the operands of NumPy's in the other order.
EXCEL = Language(
    "Excel",
    {
        **{
            name: name.upper()
            for name in ("sin", "cos", "sqrt", "exp", "tan", "tanh", "asin", "acos", "atan")
        },
        **{name: name.upper() for name in ("sinh", "cosh", "abs", "min", "max", "sign", "gamma")},
        "log": "LN",
        "pow": "POWER",
        "floor": "INT",
        "erf": "ERF.PRECISE",
        "atan2": lambda operands: call("ATAN2", operands[::-1]),
        "hypot": lambda operands: call("SQRT", [call("SUMSQ", operands)]),
        "step": lambda operands: Piece(f"IF({operands[0].text} >= 0, 1, 0)"),
        "logistic": _logistic,
        "relu": lambda operands: call("MAX", [*operands, Piece("0")]),
        "square": lambda operands: call("POWER", [*operands, Piece("2")]),
        "cube": lambda operands: call("POWER", [*operands, Piece("3")]),
    },
    number=_number,
)


def to_excel_formula(expression: Folded, cells: Mapping[str, str] | None = None) -> str:
    """Return a formula such as `=2.5 * EXP(-0.3 * A2)`.

    `cells` has the reference for each input, such as `{"t": "C5"}` or `{"t": "[@time]"}`. Without it, the
    inputs are in the columns A, B, … in their order, and the first row has the names.
    """
    inputs = expression.vocabulary.inputs
    given = {name: f"{_column(n)}{FIRST_ROW}" for n, name in enumerate(inputs)} if cells is None else cells
    for name in given:
        if name not in inputs:
            raise ExpressionError(f"cells names {name!r}, which is not an input{did_you_mean(name, inputs)}")
    missing = [name for name in expression.variables_used if name in inputs and name not in given]
    if missing:
        raise ExpressionError(f"cells has no reference for {', '.join(map(repr, missing))}")
    text = f"={EXCEL.body(expression, [given.get(name, '') for name in inputs])}"
    if len(text) > LONGEST_FORMULA:
        raise ExpressionError(
            f"the formula has {len(text)} characters, but Excel accepts {LONGEST_FORMULA}: "
            "choose a smaller equation"
        )
    return text


def _column(number: int) -> str:
    """Return A, B, …, Z, AA, AB, … for 0, 1, …"""
    before, letter = divmod(number, 26)
    return (_column(before - 1) if before else "") + chr(ord("A") + letter)
