"""Exponentials whose base is a simple number: 2^n for exp(0.693147 * n)."""

from __future__ import annotations

from math import log

from ddsr.expression import Kind, Node
from ddsr.selection.model import Known, known

# Whole numbers, and those of their inverses that are short decimals.
BASES = (*map(float, range(2, 11)), 0.5, 0.25, 0.2, 0.1)
USUAL_BASES = (2.0, 10.0)  # people write laws with these
ROUNDING = 1e-11  # relative: a rate so near to the logarithm of a base is that logarithm


def simple_base(rate: float) -> float | None:
    """Return the base b with log(b) equal to the rate, up to rounding; None where there is none."""
    return next((base for base in BASES if abs(rate - log(base)) <= ROUNDING * abs(rate)), None)


def with_simple_bases(node: Node) -> Node:
    """Return the tree with b^f for exp(log(b) * f) and for a fitted base b, where b is simple."""
    if node.kind is not Kind.OPERATOR:
        return node
    children = [with_simple_bases(child) for child in node.children]
    if node.name == "exp":
        power = _power(children[0])
        return Node.operator("exp", *children) if power is None else power
    if node.name == "pow" and children[0].kind is Kind.CONSTANT and children[0].value > 0.0:
        base = simple_base(log(children[0].value))
        if base is not None and not isinstance(children[0], Known):
            return Node.operator("pow", known(base), children[1])
    return Node.operator(node.name, *children)


def _power(exponent: Node) -> Node | None:
    """b^f of an exponent log(b) * f."""
    rate, rest = _split_rate(exponent)
    base = None if rate == 0.0 else simple_base(rate)
    return None if base is None else Node.operator("pow", known(base), rest)


def _split_rate(node: Node) -> tuple[float, Node]:
    """A constant factor of a product or of a numerator, and what is left without it; 0 if it has none."""
    if node.name not in ("mul", "div"):
        return 0.0, node
    left, right = node.children
    for factor, rest in ((left, right), (right, left)) if node.name == "mul" else ():
        if factor.kind is Kind.CONSTANT:
            return factor.value, rest
    if node.name == "div" and left.kind is Kind.CONSTANT:
        return left.value, Node.operator("div", Node.one(), right)
    rate, rest = _split_rate(left)
    return rate, Node.operator(node.name, rest, right)
