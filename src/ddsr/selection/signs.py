"""Signs in arguments of odd and even functions: -tanh(x) for tanh(-x), cos(x) for cos(-x).

A sign leaves an odd function where that takes no more tokens: it joins a number or another sign, turns a sum
into a difference, or was a minus in front of the argument. Values do not change.
"""

from __future__ import annotations

from typing import NamedTuple

from ddsr.expression import OPERATORS, Kind, Node
from ddsr.selection.model import Known, known


class _Read(NamedTuple):
    """A node, and its opposite if the node has a minus in front or can lose one at no cost."""

    node: Node
    opposite: Node | None = None


def with_outer_signs(node: Node) -> Node:
    """Return the tree with signs taken out of odd and even functions."""
    return _read(node).node


def _read(node: Node) -> _Read:
    if node.kind is Kind.CONSTANT and node.value < 0.0:
        return _Read(node, _constant_like(node, -node.value))
    if node.kind is not Kind.OPERATOR:
        return _Read(node)
    operands = [_read(child) for child in node.children]
    if OPERATORS[node.name].parity:
        return _of_function(node.name, operands[0])
    if node.name in ("mul", "div"):
        return _of_product(node.name, *operands)
    if node.name in ("add", "sub"):
        return _of_sum(node.name, *operands)
    if node.name == "pow":
        return _of_power(*operands)
    return _Read(Node.operator(node.name, *(operand.node for operand in operands)))


def _of_function(name: str, operand: _Read) -> _Read:
    if name == "neg":
        return _Read(operand.opposite or Node.operator("neg", operand.node), operand.node)
    if OPERATORS[name].parity == "even":
        return _Read(Node.operator(name, operand.opposite or _variable_first(operand.node)))
    if operand.opposite is None:
        return _Read(Node.operator(name, operand.node))
    opposite = Node.operator(name, operand.opposite)
    moved = _with_minus_of(operand.node, opposite)
    return _Read(Node.operator(name, operand.node) if moved is None else moved, opposite)


def _of_product(name: str, left: _Read, right: _Read) -> _Read:
    if left.opposite is not None and right.opposite is not None:
        return _Read(_without_one(name, left.opposite, right.opposite))
    if left.opposite is not None:
        node = Node.operator(name, left.node, right.node)
        return _Read(node, _without_one(name, left.opposite, right.node))
    if right.opposite is None:
        return _Read(Node.operator(name, left.node, right.node))
    opposite = Node.operator(name, left.node, right.opposite)
    turned = _with_turned_number(left.node)
    if turned is not None:
        return _Read(Node.operator(name, turned, right.opposite), opposite)
    moved = _with_minus_of(right.node, opposite)
    return _Read(Node.operator(name, left.node, right.node) if moved is None else moved, opposite)


def _of_sum(name: str, left: _Read, right: _Read) -> _Read:
    """A sum starts without a minus, if it can."""
    if right.opposite is None:
        if left.opposite is None:
            return _Read(Node.operator(name, left.node, right.node))
        if name == "add":
            return _Read(Node.operator("sub", right.node, left.opposite))
        # -f - g, and the sign of both
        node = Node.operator("sub", left.node, right.node)
        return _Read(node, Node.operator("add", left.opposite, right.node))
    if name == "sub" and left.opposite is not None:
        return _Read(Node.operator("sub", right.opposite, left.opposite))
    node = Node.operator("sub" if name == "add" else "add", left.node, right.opposite)
    both = left.opposite is not None and name == "add"
    return _Read(
        node, Node.operator("add", left.opposite, right.opposite) if both and left.opposite else None
    )


def _of_power(base: _Read, exponent: _Read) -> _Read:
    node = Node.operator("pow", base.node, exponent.node)
    power = exponent.node
    if base.opposite is None or base.node.kind is Kind.CONSTANT or not isinstance(power, Known):
        return _Read(node)
    if power.value % 2.0 == 0.0:
        return _Read(Node.operator("pow", base.opposite, power))
    if power.value % 2.0 != 1.0:
        return _Read(node)
    opposite = Node.operator("pow", base.opposite, power)
    return _Read(_with_minus_of(base.node, opposite) or node, opposite)


def _variable_first(node: Node) -> Node:
    """f - c for c - f, whose sign an even function hides."""
    if node.name == "sub" and _is_number(node.children[0]) and not _is_number(node.children[1]):
        return Node.operator("sub", *reversed(node.children))
    return node


def _with_turned_number(node: Node) -> Node | None:
    """The opposite of a number, or of a product that begins with one; None of any other."""
    if node.kind is Kind.CONSTANT:
        return _constant_like(node, -node.value)
    if node.name in ("mul", "div"):
        turned = _with_turned_number(node.children[0])
        return None if turned is None else Node.operator(node.name, turned, node.children[1])
    return None


def _without_one(name: str, left: Node, right: Node) -> Node:
    is_one = left.kind is Kind.CONSTANT and left.value == 1.0
    return right if name == "mul" and is_one else Node.operator(name, left, right)


def _with_minus_of(node: Node, opposite: Node) -> Node | None:
    """-f for an opposite f, with the minus of another node; None if that has no tokens for its minus."""
    if node.name == "neg":
        return Node.operator("neg", opposite)
    if node.name == "sub" and node.children[0] == known(0.0):
        return Node.operator("sub", node.children[0], opposite)
    if node.name == "mul" and node.children[0].kind is Kind.CONSTANT and node.children[0].value == -1.0:
        return Node.operator("mul", node.children[0], opposite)
    return _with_minus_of(node.children[0], opposite) if node.name in ("mul", "div") else None


def _is_number(node: Node) -> bool:
    return node.kind in (Kind.CONSTANT, Kind.ONE)


def _constant_like(node: Node, value: float) -> Node:
    """A constant that is settled if the given one is."""
    return known(value) if isinstance(node, Known) else Node.constant(value)
