"""JavaScript source of a function that computes an expression."""

from __future__ import annotations

from ddsr.expression.exports.source import Language, check_name, identifiers
from ddsr.expression.folded import Folded
from ddsr.expression.printing import Piece, call

# erf: the series exp(-x²) Σ 2ⁿ x²ⁿ⁺¹ / (2n+1)!!, whose terms are positive. gamma: the approximation of
# Lanczos with g = 7, and the reflection formula.
_HELPERS = {
    "erf": """function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x, sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= 2 * x * x / (2 * n + 1);
    sum += term;
  }
  return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
}""",
    "gamma": """function gamma(x) {
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  const weights = [676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
    12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7];
  const sum = weights.reduce((sum, weight, n) => sum + weight / (x + n), 0.9999999999998099);
  const half = Math.pow(x + 6.5, 0.5 * (x - 0.5));
  return Math.sqrt(2 * Math.PI) * half * Math.exp(-x - 6.5) * half * sum;
}""",
    "step": "function step(x) { return Number.isNaN(x) ? x : x >= 0 ? 1 : 0; }",
    "logistic": "function logistic(x) { return 1 / (1 + Math.exp(-x)); }",
}
_NAMES_IN_MATH = (
    "pow sin cos log sqrt exp tan tanh asin acos atan sinh cosh abs min max sign floor atan2 hypot "
)

JAVASCRIPT = Language(
    "JavaScript",
    {
        **{name: f"Math.{name}" for name in _NAMES_IN_MATH.split()},
        **{name: name for name in _HELPERS},
        "relu": lambda operands: call("Math.max", [*operands, Piece("0")]),
        "square": lambda operands: call("Math.pow", [*operands, Piece("2")]),
        "cube": lambda operands: call("Math.pow", [*operands, Piece("3")]),
    },
    helpers=_HELPERS,
)

_WORDS = (
    "arguments await break case catch class const continue debugger default delete do else enum eval "
    "export extends false finally for function if implements import in instanceof interface let new "
    "null package private protected public return static super switch this throw true try typeof "
    "undefined var void while with yield Math Number NaN Infinity "
)
RESERVED = (*_WORDS.split(), *_HELPERS)


def to_javascript(expression: Folded, name: str = "equation") -> str:
    """Return JavaScript source: a function with all inputs in order as arguments.

    A comment names the column of an argument whose name had to change.
    """
    check_name(name, RESERVED, "JavaScript")
    inputs = expression.vocabulary.inputs
    arguments = identifiers(inputs, (*RESERVED, name))
    renamed = [
        f"// {argument} is {variable!r}"
        for argument, variable in zip(arguments, inputs, strict=True)
        if argument != variable
    ]
    lines = [
        *JAVASCRIPT.helpers_of(expression),
        f"// {' '.join(str(expression).split())}",
        *renamed,
        f"function {name}({', '.join(arguments)}) {{",
        f"  return {JAVASCRIPT.body(expression, arguments)};",
        "}",
    ]
    return "\n".join(lines) + "\n"
