"""How settled constants are written: a third as a division by 3, since no decimal is one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ddsr.expression import Kind, Node
from ddsr.selection.model import Known, Model, known
from ddsr.selection.simple_numbers import LARGEST_DENOMINATOR

ENDLESS = tuple(q for q in range(2, LARGEST_DENOMINATOR + 1) if 10**6 % q)
"""Denominators whose fractions no decimal ends on."""
LARGEST_NUMERATOR = 100


def with_spelled_fractions(model: Model) -> Model:
    """The same model with 0.333… * f as f / 3, and 0.666… as 2 / 3, if it can divide."""
    return Model.of_tree(model.expression.vocabulary, _spelled(model.tree)) or model


def _spelled(node: Node) -> Node:
    if node.kind is not Kind.OPERATOR:
        return _as_division(node)
    children = [child if _ratio(child) else _spelled(child) for child in node.children]
    if node.name == "mul":
        for fraction, other in (children, children[::-1]):
            ratio = _ratio(fraction)
            if ratio is not None and ratio.numerator == 1:
                return Node.operator("div", other, known(float(ratio.denominator)))
            if ratio is not None:
                scaled = Node.operator("mul", known(float(ratio.numerator)), other)
                return Node.operator("div", scaled, known(float(ratio.denominator)))
    return Node.operator(node.name, *map(_as_division, children))


def _as_division(node: Node) -> Node:
    ratio = _ratio(node)
    if ratio is None:
        return node
    return Node.operator("div", known(float(ratio.numerator)), known(float(ratio.denominator)))


def _ratio(node: Node) -> Fraction | None:
    """The fraction that a settled constant is to the last bit, if no decimal is."""
    if not isinstance(node, Known):
        return None
    return next(_fractions_of(node.value), None)


def _fractions_of(value: float) -> Iterator[Fraction]:
    for denominator in ENDLESS:
        ratio = Fraction(round(value * denominator), denominator) if abs(value) < LARGEST_NUMERATOR else None
        if ratio and ratio.denominator == denominator and ratio.numerator / denominator == value:
            yield ratio
