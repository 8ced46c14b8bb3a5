"""SymPy forms of expressions, for algebra and SRBench's measures; SymPy is imported only when used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import isfinite, pi
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ddsr.errors import ExpressionError
from ddsr.expression.operators import Operator, numpy_function, sympy_function
from ddsr.expression.own_operators import CustomOperator, FormulaOperator

if TYPE_CHECKING:
    from ddsr.expression.folded import Folded

LARGEST_EXACT = 2.0**53  # all larger doubles are whole numbers
LARGEST_EXACT_EXPONENT = 100
# A double that exactly equals such a fraction or multiple of pi becomes one: no fit ends there by chance.
LARGEST_NUMERATOR, LARGEST_DENOMINATOR = 1000, 16
FRAMES_A_LEVEL = 4  # least number of frames that Python needs to print one level of nested functions
DECIMAL_DENOMINATORS = (5, 10)  # 1.3 stays a decimal: to SymPy exp(1.3 * x) differs from exp(13 * x / 10)


class _Part(NamedTuple):
    form: Any
    value: Any = None  # as a double, if the part has no variable
    levels: int = 0  # depth of nested functions


def to_sympy(expression: Folded) -> Any:
    """Return the SymPy form; fractions and multiples of pi are exact, decimals are Floats.

    Symbols have the variables' names and no assumptions, because SymPy distinguishes symbols by these. Still,
    all values are treated as real: exp(x)^2 becomes exp(2 x), and log(exp(x)) becomes x.

    A part without variables becomes a double if it exceeds 2^53 or overflows. So does a function of anything
    but a plain number, such as sin(exp(2)). Otherwise SymPy would write out all digits of 7^(10^10), or
    compute a million for the sign of a sine. sqrt(2) and log(3) stay exact.

    SymPy recurses for each level of nesting. `ExpressionError` is raised if there are too many for Python.
    """
    return _folded(expression, _apply)


def _folded(expression: Folded, apply: Callable[[Operator, list[_Part]], _Part]) -> Any:
    import sympy

    names = expression.vocabulary.variables
    with np.errstate(all="ignore"), _naming_depth(expression):
        return expression.fold(
            variable=lambda column: _Part(sympy.Symbol(names[column])),
            constant=lambda value: _Part(_number(value), np.asarray(value)),
            one=_Part(sympy.Integer(1), np.asarray(1.0)),
            apply=apply,
        ).form


def complexity(expression: Folded) -> int:
    """Return the number of operators and leaves of the SymPy form: SRBench's model size.

    A Python function without a SymPy form counts as one operator.
    """
    form = _folded(expression, _apply_for_size)
    with _naming_depth(expression):
        return count_nodes(form)


def count_nodes(form: Any) -> int:
    """Return the number of operators and leaves of a SymPy expression: SRBench's model size."""
    from sympy import preorder_traversal

    return sum(1 for _ in preorder_traversal(form))


@contextmanager
def _naming_depth(expression: Folded) -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise ExpressionError(
            f"the expression is nested too deeply for SymPy, {expression.depth} levels: simplify it, or "
            "raise sys.setrecursionlimit"
        ) from None


def _number(value: float) -> Any:
    import sympy

    if not isfinite(value):
        return sympy.Float(value)
    if value.is_integer():
        return sympy.Integer(int(value)) if abs(value) <= LARGEST_EXACT else sympy.Float(value)
    for unit, symbol in ((1.0, sympy.Integer(1)), (pi, sympy.pi)):
        fraction = Fraction(value / unit).limit_denominator(LARGEST_DENOMINATOR)
        is_simple = 0 < abs(fraction.numerator) <= LARGEST_NUMERATOR
        is_decimal = unit == 1.0 and fraction.denominator in DECIMAL_DENOMINATORS
        if is_simple and not is_decimal and fraction.numerator * unit / fraction.denominator == value:
            return sympy.Rational(fraction.numerator, fraction.denominator) * symbol
    return sympy.Float(value)


def _apply(row: Operator, operands: list[_Part]) -> _Part:
    value, levels = None, max(part.levels for part in operands) + (len(operands) == 1)
    if levels > sys.getrecursionlimit() // FRAMES_A_LEVEL:
        raise RecursionError
    if all(part.value is not None for part in operands):
        value = numpy_function(row)(*(part.value for part in operands))
        if abs(value) > LARGEST_EXACT or not all(part.form.is_Number for part in operands):
            return _Part(_number(float(value)), value)
    forms = [part.form for part in operands]
    if row.name == "pow":
        forms[1] = _inexact_if_large(forms[1])
    return _Part(_of_reals(row, forms), value, levels)


def _apply_for_size(row: Operator, operands: list[_Part]) -> _Part:
    import sympy

    if isinstance(row.own, CustomOperator) and row.own.sympy is None:
        return _Part(sympy.Function(row.name)(*(part.form for part in operands)))
    return _apply(row, operands)


def _of_reals(row: Operator, forms: list[Any]) -> Any:
    """Apply an operator to real operands, even where SymPy stops because they might be complex."""
    if isinstance(row.own, FormulaOperator):
        return row.own.fold(forms, _number, _of_reals)
    import sympy
    from sympy.functions.elementary.hyperbolic import HyperbolicFunction
    from sympy.functions.elementary.trigonometric import TrigonometricFunction

    if row.name in ("pow", "sqrt"):
        base, exponent = forms[0], forms[1] if row.name == "pow" else sympy.Rational(1, 2)
        if isinstance(base, sympy.exp):
            return sympy.exp(base.args[0] * exponent)
        if base.is_Float and base > 0 and not exponent.is_number:
            return sympy.exp(sympy.log(base) * exponent)
    if row.name == "log" and isinstance(forms[0], sympy.exp):
        return forms[0].args[0]
    function = sympy_function(row)
    periodic = TrigonometricFunction, HyperbolicFunction  # along the real or the imaginary axis
    if isinstance(function, type) and issubclass(function, periodic) and forms[0].has(*periodic):
        # SymPy would test whether it is real, and compute real and imaginary parts of everything inside.
        return function(*forms, evaluate=False)
    return function(*forms)


def _inexact_if_large(exponent: Any) -> Any:
    # otherwise SymPy extracts the digits of 2^1000000000 from (2*x)^1000000000
    import sympy

    is_large = exponent.is_Rational and abs(exponent) > LARGEST_EXACT_EXPONENT
    return sympy.Float(exponent) if is_large else exponent
