"""What an operator is like in a limit: cos(u) is 1 - u^2/2 where u is small, b^p is exp(p * (b - 1)) near 1.

A rule proposes templates, trees in which the operands stand as `FIRST` and `SECOND`. Whether the limit is
near enough is not the rule's to say: the template is evaluated on the data and compared with the operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import pi

import numpy as np
from numpy.typing import NDArray

from ddsr.expression import OPERATORS, Kind, Node
from ddsr.expression.operators import numpy_function

Floats = NDArray[np.float64]
Template = Node
Proposed = tuple[str, Template]
"""the kind of limit, and what the operator is in it"""

FIRST, SECOND = Node.variable("first operand"), Node.variable("second operand")
OPERANDS = (FIRST, SECOND)
# An exponent this near to a half or whole number may be meant to be it.
NEAR_EXPONENT = 0.1
PARABOLA, SYMMETRIC = "parabola", "symmetric"
"""of a wave near its crest, and far from it, where it may be there for its symmetry alone"""
LARGEST_ROUND_EXPONENT = 4.0

DERIVATIVES: Mapping[str, Callable[[Floats], Floats]] = {
    "sin": np.cos,
    "cos": lambda u: -np.sin(u),
    "exp": np.exp,
    "log": lambda u: 1 / u,
    "sqrt": lambda u: 0.5 / np.sqrt(u),
    "tan": lambda u: 1 / np.cos(u) ** 2,
    "tanh": lambda u: 1 / np.cosh(u) ** 2,
    "asin": lambda u: 1 / np.sqrt(1 - u * u),
    "acos": lambda u: -1 / np.sqrt(1 - u * u),
    "atan": lambda u: 1 / (1 + u * u),
    "sinh": np.cosh,
    "cosh": np.sinh,
    "inverse": lambda u: -1 / (u * u),
    "square": lambda u: 2 * u,
    "cube": lambda u: 3 * u * u,
}
# About which they are expanded, 0 for others, and about the mean of their operand as well.
CENTRES = {"log": 1.0, "sqrt": 1.0, "inverse": 1.0}
# Where a function of period 2π is largest, from where it falls like a parabola to either side.
CRESTS = {"cos": 0.0, "sin": pi / 2}


def limits_of(node: Node, operands: Sequence[Floats]) -> Iterator[Proposed]:
    """What an operator could be in a limit, the values of its operands being these."""
    if len(operands) == 1:
        yield from _of_function(node.name, operands[0])
    elif node.name == "pow":
        yield from _of_power(node, *operands)
    elif node.name in ("add", "sub"):
        yield from _of_sum(node, *operands)
    elif node.name in ("mul", "div"):
        yield from _of_product(node, *operands)


def evaluated(template: Template, operands: Sequence[Floats]) -> Floats:
    """Values of a template where the operands have these."""
    if template.kind is Kind.VARIABLE:
        return operands[OPERANDS.index(template)]
    if template.kind is not Kind.OPERATOR:
        return np.asarray(template.value)
    values = [evaluated(child, operands) for child in template.children]
    result: Floats = numpy_function(OPERATORS[template.name])(*values)
    return result


def filled(template: Template, operands: Sequence[Node]) -> Node:
    """The template with trees in the operands' places."""
    if template.kind is Kind.VARIABLE:
        return operands[OPERANDS.index(template)]
    if template.kind is not Kind.OPERATOR:
        return template
    return Node.operator(template.name, *(filled(child, operands) for child in template.children))


def _of_function(name: str, operand: Floats) -> Iterator[Proposed]:
    derivative = DERIVATIVES.get(name)
    if derivative is None:
        return
    function, mean = numpy_function(OPERATORS[name]), np.asarray(operand.mean())
    for kind, centre in (("small", np.asarray(CENTRES.get(name, 0.0))), ("linear", mean)):
        yield kind, _line(function(centre), derivative(centre), centre)
    if name in CRESTS:
        n_halves = round((float(mean) - CRESTS[name]) / pi)
        deviation = _plus(FIRST, -(CRESTS[name] + n_halves * pi))
        yield PARABOLA, _parabola(-1.0 if n_halves % 2 else 1.0, -0.5, deviation)
        yield SYMMETRIC, _fitted_parabola(function(operand), evaluated(deviation, [operand]), deviation)
    if name == "cosh":
        yield PARABOLA, _parabola(1.0, 0.5, FIRST)


def _of_power(node: Node, base: Floats, exponent: Floats) -> Iterator[Proposed]:
    if node.children[0].kind is Kind.CONSTANT and base > 0.0:
        yield "base", _operator("exp", _times(np.log(base), SECOND))
    if node.children[1].kind is not Kind.CONSTANT:
        return
    p = float(exponent)
    rounded = round(2.0 * p) / 2.0
    if 0.0 < abs(rounded) <= LARGEST_ROUND_EXPONENT and 0.0 < abs(p - rounded) < NEAR_EXPONENT:
        yield "exponent", _power(rounded)
    if not base.min() > 0.0:
        return
    for centre in (np.float64(1.0), base.mean()):
        inside = _times(p / centre, _plus(FIRST, -centre))
        yield "exponential", _times(centre**p, _operator("exp", inside))
    for centre in (np.float64(1.0), np.exp(np.log(base).mean())):
        slope = p * centre**p
        yield "logarithm", _plus(_times(slope, _operator("log", FIRST)), centre**p - slope * np.log(centre))
    mean = base.mean()
    yield "linear", _line(mean**p, p * mean ** (p - 1.0), mean)


def _of_sum(node: Node, first: Floats, second: Floats) -> Iterator[Proposed]:
    sign = 1.0 if node.name == "add" else -1.0
    yield "negligible term", FIRST
    yield "negligible term", _times(sign, SECOND)
    if node.children[1].kind is Kind.OPERATOR:
        yield "steady term", _plus(FIRST, sign * second.mean())
    if node.children[0].kind is Kind.OPERATOR:
        yield "steady term", _plus(_times(sign, SECOND), first.mean())


def _of_product(node: Node, first: Floats, second: Floats) -> Iterator[Proposed]:
    mean = second.mean()
    if node.children[1].kind is Kind.OPERATOR:
        yield "steady factor", _operator(node.name, FIRST, Node.constant(float(mean)))
    if node.children[0].kind is Kind.OPERATOR:
        yield "steady factor", _operator(node.name, Node.constant(float(first.mean())), SECOND)
    if node.name == "div" and node.children[1].kind is Kind.OPERATOR and mean != 0.0:
        yield "linear", _operator("mul", FIRST, _plus(_times(-1.0 / (mean * mean), SECOND), 2.0 / mean))


def _line(value: Floats, slope: Floats, centre: Floats) -> Template:
    return _plus(_times(slope, FIRST), value - slope * centre)


def _parabola(crest: float, curvature: float, deviation: Template) -> Template:
    """The deviation's square comes as a product: every vocabulary that can hold the result has `mul`."""
    return _plus(_times(crest * curvature, _operator("mul", deviation, deviation)), crest)


def _fitted_parabola(values: Floats, deviations: Floats, deviation: Template) -> Template:
    """The parabola nearest to the values, by least squares."""
    squares = deviations * deviations
    centred = squares - squares.mean()
    slope = (centred * values).mean() / (centred * centred).mean()
    square = _operator("mul", deviation, deviation)
    return _plus(_times(slope, square), values.mean() - slope * squares.mean())


def _power(exponent: float) -> Template:
    if exponent == 1.0:
        return FIRST
    if exponent == -1.0:
        return _operator("div", Node.one(), FIRST)
    return _operator("pow", FIRST, Node.constant(exponent))


def _operator(name: str, *operands: Template) -> Template:
    return Node.operator(name, *operands)


def _times(factor: float | Floats, node: Template) -> Template:
    return node if factor == 1.0 else _operator("mul", Node.constant(float(factor)), node)


def _plus(node: Template, term: float | Floats) -> Template:
    return node if term == 0.0 else _operator("add", node, Node.constant(float(term)))
