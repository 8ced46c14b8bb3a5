"""Scaling and shifting of expressions."""

from __future__ import annotations

from dataclasses import replace

from ddsr.expression.expression import Expression
from ddsr.expression.tree import Kind, Node
from ddsr.expression.vocabulary import Vocabulary

NEGLIGIBLE = 1e-12
"""A scale this close to 1, or an offset this close to 0, is omitted."""


def scaled(expression: Expression, scale: float, offset: float, unit: float = 1.0) -> Expression | None:
    """Return `scale * expression + offset`, or None if the vocabulary cannot express it.

    Constants that already scale or shift the expression are merged: 2 * x + 1 times 3 is 6 * x + 3. An offset
    that is negligible compared with `unit` is omitted.
    """
    if _is_negligible(scale - 1.0) and _is_negligible(offset / unit):
        return expression
    inner_scale, core, inner_offset = _split(expression.tree)
    vocabulary = expression.vocabulary
    stretched = _times(core, scale * inner_scale, vocabulary)
    node = stretched and _plus(stretched, scale * inner_offset + offset, vocabulary, unit)
    return Expression.from_tree(vocabulary, node) if node else None


def unscaled(expression: Expression) -> Expression:
    """Return the expression without the constants that scale and shift it: sin(x) for 2 * sin(x) + 1."""
    return Expression.from_tree(expression.vocabulary, _split(expression.tree)[1])


def _is_negligible(value: float) -> bool:
    return abs(value) <= NEGLIGIBLE


def _number(node: Node) -> float | None:
    """Return the value of a leaf that is not a variable, otherwise None."""
    return node.value if node.kind in (Kind.CONSTANT, Kind.ONE) else None


def _split(node: Node) -> tuple[float, Node, float]:
    """Return (scale, core, offset), where the node is scale * core + offset."""
    if node.kind is not Kind.OPERATOR:
        return 1.0, node, 0.0
    if node.operation == "neg":
        scale, core, offset = _split(node.children[0])
        return -scale, core, -offset
    if len(node.children) != 2:
        return 1.0, node, 0.0
    left, right = map(_number, node.children)
    if left is not None and node.operation in ("add", "sub", "mul"):
        scale, core, offset = _split(node.children[1])
        if node.operation == "mul":
            return left * scale, core, left * offset
        sign = 1.0 if node.operation == "add" else -1.0
        return sign * scale, core, left + sign * offset
    is_quotient = node.operation == "div" and right != 0.0
    if right is not None and (is_quotient or node.operation in ("add", "sub", "mul")):
        scale, core, offset = _split(node.children[0])
        if node.operation in ("add", "sub"):
            return scale, core, offset + (right if node.operation == "add" else -right)
        factor = right if node.operation == "mul" else 1.0 / right
        return factor * scale, core, factor * offset
    return 1.0, node, 0.0


def _times(node: Node, scale: float, vocabulary: Vocabulary) -> Node | None:
    if _is_negligible(scale - 1.0):
        return node
    if not vocabulary.has_constant:
        return None
    if node.kind is Kind.OPERATOR and node.operation == "div" and _number(node.children[0]) is not None:
        dividend = Node.constant(scale * node.children[0].value)
        return replace(node, children=(dividend, node.children[1]))
    if "mul" in vocabulary.operators:
        return Node.operator("mul", Node.constant(scale), node)
    if "div" in vocabulary.operators and scale != 0.0:
        return Node.operator("div", node, Node.constant(1.0 / scale))
    return None


def _plus(node: Node, offset: float, vocabulary: Vocabulary, unit: float) -> Node | None:
    if _is_negligible(offset / unit):
        return node
    if not vocabulary.has_constant:
        return None
    if "sub" in vocabulary.operators and (offset < 0.0 or "add" not in vocabulary.operators):
        return Node.operator("sub", node, Node.constant(-offset))
    if "add" in vocabulary.operators:
        return Node.operator("add", node, Node.constant(offset))
    return None
