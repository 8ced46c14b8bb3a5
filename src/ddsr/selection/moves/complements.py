"""Complements of inverse functions: 1.5708 - acos(u) is asin(u), 1.5708 - atan(u) is atan(1 / u)."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose, pi

from ddsr.expression import Kind, Node
from ddsr.price.model import known, split_factor
from ddsr.price.simple_numbers import near

OTHER = {"asin": "acos", "acos": "asin", "atan": "atan"}
SAME_NUMBER = 1e-7  # relative tolerance for constants of fits


def complements(node: Node) -> Iterator[Node]:
    """Yield d + k * asin(u) for a sum c - k * acos(u), where d = c - k * pi / 2 is 0 or a simple number."""
    left, right = node.children
    sign = 1.0 if node.operation == "add" else -1.0
    for constant, other, of_constant, of_other in ((left, right, 1.0, sign), (right, left, sign, 1.0)):
        factor, function = split_factor(other)
        if constant.kind not in (Kind.CONSTANT, Kind.ONE) or function.operation not in OTHER:
            continue
        scale = of_other * factor
        rest = of_constant * constant.value + scale * pi / 2.0
        (argument,) = function.children
        if function.operation == "atan":  # for a positive argument
            argument = Node.operator("div", known(1.0), argument)
        turned = Node.operator("mul", known(-scale), Node.operator(OTHER[function.name], argument))
        if abs(rest) < SAME_NUMBER * abs(scale):
            yield turned
        for simple in (1.0, -1.0, *(simple.value for simple in near(rest))):
            if isclose(simple, rest, rel_tol=SAME_NUMBER):
                yield Node.operator("add", turned, known(simple))
