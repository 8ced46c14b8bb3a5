"""Functions of inverse functions, as roots: 1 / sqrt(1 + u^2) for cos(atan(u))."""

from __future__ import annotations

from collections.abc import Sequence

from ddsr.errors import ExpressionError
from ddsr.expression import Expression, Kind, Node

# What a function of an angle, or its inverse, costs beside its token: a root reads more easily.
TOKENS_OF_FUNCTION = 2
FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan")


def as_roots(
    expression: Expression, positive: Sequence[str] = (), nonnegative: Sequence[str] = ()
) -> Expression:
    """Return the expression with roots for sin and cos of inverse functions, if that reads better."""
    if not {"atan", "asin", "acos"} & set(expression.vocabulary.operators):
        return expression
    tree = _with_roots(expression.tree, frozenset(positive))
    if tree == expression.tree:
        return expression
    try:
        other = Expression.from_tree(expression.vocabulary, tree).simplified(positive, nonnegative)
    except ExpressionError:  # the vocabulary has no root, or it would be too long
        return expression
    return other if _cost(other) <= _cost(expression) else expression


def _with_roots(node: Node, positive: frozenset[str]) -> Node:
    if node.kind is not Kind.OPERATOR:
        return node
    children = [_with_roots(child, positive) for child in node.children]
    inner = children[0]
    if node.name in ("sin", "cos") and inner.name == "atan":
        opposite, adjacent = _sides(inner.children[0], positive)
        hypotenuse = Node.operator("sqrt", Node.operator("add", _square(adjacent), _square(opposite)))
        return Node.operator("div", adjacent if node.name == "cos" else opposite, hypotenuse)
    if (node.name, inner.name) in (("sin", "acos"), ("cos", "asin")):
        return Node.operator("sqrt", Node.operator("sub", Node.one(), _square(inner.children[0])))
    return Node.operator(node.name, *children)


def _sides(tangent: Node, positive: frozenset[str]) -> tuple[Node, Node]:
    """p and q of a tangent p / q with a positive variable q; the tangent and 1 of any other."""
    if tangent.name == "div":
        above, below = tangent.children
        if below.kind is Kind.VARIABLE and below.name in positive:
            return above, below
    return tangent, Node.one()


def _square(node: Node) -> Node:
    return node if node.kind is Kind.ONE else Node.operator("mul", node, node)


def _cost(expression: Expression) -> int:
    """Tokens, and more for each function of an angle."""
    nodes = [expression.tree]
    for node in nodes:  # grows while it is walked
        nodes.extend(node.children)
    n_functions = sum(node.kind is Kind.OPERATOR and node.name in FUNCTIONS for node in nodes)
    return len(nodes) + TOKENS_OF_FUNCTION * n_functions
