"""A tree after some of its constants were settled: what has become 0 or 1 goes, and takes along what it can.

Values do not change, wherever the tree as it was had a value; a tree that has none any more is None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

import numpy as np

from ddsr.expression import OPERATORS, Kind, Node, Vocabulary
from ddsr.expression.operators import RATIONAL, numpy_function
from ddsr.selection.model import Known, known

LARGEST_WHOLE = 1000.0


@dataclass(frozen=True)
class Settler:
    """Settles trees over one vocabulary."""

    vocabulary: Vocabulary

    def settled(self, node: Node) -> Node | None:
        """The tree without what settled constants make superfluous."""
        if node.kind is not Kind.OPERATOR:
            return self.number(node.value) if isinstance(node, Known) else node
        operands = []
        for child in node.children:
            operand = self.settled(child)
            if operand is None:
                return None
            operands.append(operand)
        if all(_is_number(operand) for operand in operands):
            return self._of_numbers(node.name, operands)
        rule = RULES.get(node.name)
        return rule(self, *operands) if rule else Node.operator(node.name, *operands)

    def number(self, value: float) -> Node:
        """A settled constant; the literal 1 where there is one."""
        return Node.one() if value == 1.0 and self.vocabulary.has_one else known(value)

    def negated(self, node: Node) -> Node:
        """−f, in the vocabulary's way."""
        if isinstance(node, Known) or node.kind is Kind.ONE:
            return self.number(-node.value)
        if node.kind is Kind.CONSTANT:
            return Node.constant(-node.value)
        if node.name == "neg":
            return node.children[0]
        if node.name == "mul" and _is_known(node.children[0], -1.0):
            return node.children[1]
        flipped = _flipped(node)
        if flipped is not None:
            return flipped
        if node.name == "mul" and isinstance(node.children[0], Known):
            return Node.operator("mul", self.number(-node.children[0].value), node.children[1])
        if "neg" in self.vocabulary.operators:
            return Node.operator("neg", node)
        return Node.operator("mul", known(-1.0), node)

    def positive_part(self, node: Node) -> Node | None:
        """f of a node that reads −f; None of any other."""
        if node.name == "neg":
            return node.children[0]
        if node.name == "mul" and _is_known(node.children[0], -1.0):
            return node.children[1]
        return None

    def has(self, name: str) -> bool:
        """Whether the vocabulary has an operator."""
        return name in self.vocabulary.operators

    def _of_numbers(self, name: str, operands: list[Node]) -> Node | None:
        """An operator over numbers alone: a number, unless it would be harder to write than what it is of."""
        with np.errstate(all="ignore"):
            value = float(
                numpy_function(OPERATORS[name])(*(np.float64(operand.value) for operand in operands))
            )
        if not isfinite(value):
            return None
        if any(not isinstance(operand, Known) and operand.kind is Kind.CONSTANT for operand in operands):
            return Node.constant(value)
        is_whole = value == round(value) and abs(value) <= LARGEST_WHOLE
        if name in RATIONAL or is_whole:
            return self.number(value)
        return Node.operator(name, *operands)


def _flipped(node: Node) -> Node | None:
    """−f of a difference or the logarithm of a ratio, or of what turns its sign with one that it has."""
    if node.name == "sub":
        return Node.operator("sub", *reversed(node.children))
    if node.name == "log" and node.children[0].name == "div":
        return Node.operator("log", Node.operator("div", *reversed(node.children[0].children)))
    is_odd_power = node.name == "pow" and _is_odd(node.children[1])
    is_odd = node.row is not None and node.row.parity == "odd"
    n_turning = 1 if is_odd or is_odd_power else 2 if node.name in ("mul", "div") else 0
    for place, child in enumerate(node.children[:n_turning]):
        flipped = _flipped(child)
        if flipped is not None:
            children = (*node.children[:place], flipped, *node.children[place + 1 :])
            return Node.operator(node.name, *children)
    return None


def _is_odd(exponent: Node) -> bool:
    return isinstance(exponent, Known) and exponent.value % 2.0 == 1.0


def _is_number(node: Node) -> bool:
    return node.kind in (Kind.CONSTANT, Kind.ONE)


def _is_known(node: Node, value: float) -> bool:
    return (isinstance(node, Known) or node.kind is Kind.ONE) and node.value == value


def _add(settler: Settler, left: Node, right: Node) -> Node:
    if _is_known(left, 0.0):
        return right
    if _is_known(right, 0.0):
        return left
    for kept, other in ((left, right), (right, left)):
        taken = settler.positive_part(other) if settler.has("sub") else None
        if taken is not None:
            return Node.operator("sub", kept, taken)
    return Node.operator("add", left, right)


def _sub(settler: Settler, left: Node, right: Node) -> Node:
    if _is_known(left, 0.0):
        return settler.negated(right)
    if _is_known(right, 0.0):
        return left
    added = settler.positive_part(right) if settler.has("add") else None
    return Node.operator("sub", left, right) if added is None else Node.operator("add", left, added)


def _mul(settler: Settler, left: Node, right: Node) -> Node:
    for factor, other in ((left, right), (right, left)):
        if _is_known(factor, 0.0):
            return known(0.0)
        if _is_known(factor, 1.0):
            return other
        if _is_known(factor, -1.0):
            return settler.negated(other)
    for factor, other in ((left, right), (right, left)):  # f * (1/g)
        if factor.name == "div" and _is_known(factor.children[0], 1.0):
            return Node.operator("div", other, factor.children[1])
    return Node.operator("mul", left, right)


def _div(settler: Settler, left: Node, right: Node) -> Node | None:
    if _is_known(right, 0.0):
        return None
    if _is_known(left, 0.0):
        return known(0.0)
    if _is_known(right, 1.0):
        return left
    if _is_known(right, -1.0):
        return settler.negated(left)
    return Node.operator("div", left, right)


def _pow(settler: Settler, base: Node, exponent: Node) -> Node | None:
    if _is_known(exponent, 0.0) or _is_known(base, 1.0):
        return settler.number(1.0)
    # 0^f stays: it is 0 or undefined, by the sign of f
    if _is_known(exponent, 1.0):
        return base
    if _is_known(exponent, 0.5) and settler.has("sqrt"):
        return Node.operator("sqrt", base)
    if _is_known(exponent, -1.0) and settler.has("div") and settler.vocabulary.has_one:
        return Node.operator("div", Node.one(), base)
    return Node.operator("pow", base, exponent)


def _neg(settler: Settler, operand: Node) -> Node:
    return settler.negated(operand)


RULES: dict[str, Callable[..., Node | None]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "pow": _pow,
    "neg": _neg,
}
