"""Expressions in SymPy, for algebra and SRBench's measures; imported only when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ddsr.expression.operators import Operator, numpy_function, sympy_function

if TYPE_CHECKING:
    from ddsr.expression.expression import Expression

LARGEST_EXACT = 2.0**53  # beyond it every double is whole
LARGEST_EXACT_EXPONENT = 100


class _Part(NamedTuple):
    form: Any
    value: Any = None  # as a double, where it holds no variable


def to_sympy(expression: Expression) -> Any:
    """Symbols by the variables' names; whole constants as Integer, others as Float.

    What holds no variable and exceeds 2^53 becomes the double that it is, overflow included, and so does
    a function of what is no plain number, such as sin(exp(2)): SymPy would else write out all digits of
    7^(10^10), or compute a million for the sign of a sine. sqrt(2) and log(3) stay as they are.
    """
    import sympy

    names = expression.vocabulary.variables
    with np.errstate(all="ignore"):
        return expression.fold(
            variable=lambda column: _Part(sympy.Symbol(names[column])),
            constant=lambda value: _Part(_number(value), np.asarray(value)),
            one=_Part(sympy.Integer(1), np.asarray(1.0)),
            apply=_apply,
        ).form


def count_nodes(form: Any) -> int:
    """Operators and leaves of a SymPy expression: SRBench's model size."""
    from sympy import preorder_traversal

    return sum(1 for _ in preorder_traversal(form))


def _number(value: float) -> Any:
    import sympy

    is_exact = value.is_integer() and abs(value) <= LARGEST_EXACT
    return sympy.Integer(int(value)) if is_exact else sympy.Float(value)


def _apply(row: Operator, operands: list[_Part]) -> _Part:
    value = None
    if all(part.value is not None for part in operands):
        value = numpy_function(row)(*(part.value for part in operands))
        if abs(value) > LARGEST_EXACT or not all(part.form.is_Number for part in operands):
            return _Part(_number(float(value)), value)
    forms = [part.form for part in operands]
    if row.name == "pow":
        forms[1] = _inexact_if_large(forms[1])
    return _Part(sympy_function(row)(*forms), value)


def _inexact_if_large(exponent: Any) -> Any:
    # or SymPy takes the digits of 2^1000000000 out of (2*x)^1000000000
    import sympy

    is_large = exponent.is_Rational and abs(exponent) > LARGEST_EXACT_EXPONENT
    return sympy.Float(exponent) if is_large else exponent
