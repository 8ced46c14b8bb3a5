"""C source of a function that computes an expression."""

from __future__ import annotations

from ddsr.expression.exports.source import Language, check_name, identifiers
from ddsr.expression.folded import Folded
from ddsr.expression.printing import Piece, call

# As in NumPy, a missing value stays missing.
_HELPERS = {
    "min": "static double minimum(double a, double b) { return isnan(a) || isnan(b) ? NAN : fmin(a, b); }",
    "max": "static double maximum(double a, double b) { return isnan(a) || isnan(b) ? NAN : fmax(a, b); }",
    "relu": "static double relu(double a) { return isnan(a) || a > 0.0 ? a : 0.0; }",
    "sign": "static double sign(double a) { return isnan(a) ? a : (a > 0.0) - (a < 0.0); }",
    "step": "static double step(double a) { return isnan(a) ? a : a >= 0.0; }",
    "logistic": "static double logistic(double a) { return 1.0 / (1.0 + exp(-a)); }",
}


C = Language(
    "C",
    {
        **{name: name for name in ("pow", "sin", "cos", "log", "sqrt", "exp", "tan", "tanh", "asin", "acos")},
        **{name: name for name in ("atan", "sinh", "cosh", "floor", "erf", "atan2", "hypot")},
        **{name: name for name in ("relu", "sign", "step", "logistic")},
        "abs": "fabs",
        "gamma": "tgamma",
        "min": "minimum",
        "max": "maximum",
        "square": lambda operands: call("pow", [*operands, Piece("2.0")]),
        "cube": lambda operands: call("pow", [*operands, Piece("3.0")]),
    },
    helpers=_HELPERS,
)

_KEYWORDS = (
    "auto break case char const continue default do double else enum extern float for goto if inline "
    "int long register restrict return short signed sizeof static struct switch typedef union unsigned "
    "void volatile while bool true false main errno NAN INFINITY isnan isinf isfinite fmin fmax "
)
RESERVED = (*_KEYWORDS.split(), *(name for name in C.functions.values() if isinstance(name, str)))


def to_c(expression: Folded, name: str = "equation") -> str:
    """Return C99 source: the function, with all inputs in order as arguments, after `#include <math.h>`.

    A comment names the column of an argument whose name had to change.
    """
    check_name(name, RESERVED, "C")
    inputs = expression.vocabulary.inputs
    arguments = identifiers(inputs, (*RESERVED, name))
    unused = [
        argument
        for argument, variable in zip(arguments, inputs, strict=True)
        if variable not in expression.variables_used
    ]
    renamed = [
        f"/* {argument} is {_in_comment(repr(variable))} */"
        for argument, variable in zip(arguments, inputs, strict=True)
        if argument != variable
    ]
    lines = [
        "#include <math.h>",
        "",
        *C.helpers_of(expression),
        f"/* {_in_comment(str(expression))} */",
        *renamed,
        f"double {name}({', '.join(f'double {argument}' for argument in arguments)}) {{",
        *(f"    (void){argument};" for argument in unused),
        f"    return {C.body(expression, arguments)};",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _in_comment(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\\", "\\\\")
