"""Taking a scale out of a tree: sqrt(2e-8 * u + 4e-8 * v) is 2e-4 * sqrt(0.5 * u + v)."""

from __future__ import annotations

import numpy as np

from ddsr.expression import Kind, Node

POWERS = {"sqrt": 0.5, "square": 2.0, "cube": 3.0, "inverse": -1.0}

Split = tuple[float, Node | None]
"""A factor and what it multiplies; None stands for 1."""


def split_scale(node: Node) -> Split:
    """The scale that can be taken out of a tree, and the rest; the arguments of functions are treated alike.

    It may be infinite where the tree's own constants are near the ends of double precision.
    """
    if node.kind is Kind.VARIABLE:
        return 1.0, node
    if node.kind is not Kind.OPERATOR:
        return node.value, None
    if node.name == "pow" and node.children[1].kind in (Kind.CONSTANT, Kind.ONE):
        return _of_power(node, node.children[1].value)
    if node.name in POWERS:
        return _of_power(node, POWERS[node.name])
    if node.name == "neg":
        scale, rest = split_scale(node.children[0])
        return -scale, rest
    if node.name in ("mul", "div"):
        return _of_product(node)
    if node.name in ("add", "sub"):
        return _of_sum(node)
    return 1.0, Node.operator(node.name, *(joined(split_scale(child)) for child in node.children))


def joined(split: Split) -> Node:
    """The scale times the rest."""
    scale, rest = split
    if rest is None:
        return Node.constant(scale)
    return rest if scale == 1.0 else Node.operator("mul", Node.constant(scale), rest)


def _of_power(node: Node, exponent: float) -> Split:
    scale, rest = split_scale(node.children[0])
    if rest is None or scale <= 0.0:  # an even power of a negative scale is left to the simplifier
        return 1.0, Node.operator(node.name, joined((scale, rest)), *node.children[1:])
    with np.errstate(all="ignore"):  # Python's own floats would raise
        factor = float(np.float64(scale) ** exponent)
    return factor, Node.operator(node.name, rest, *node.children[1:])


def _of_product(node: Node) -> Split:
    (left_scale, left), (right_scale, right) = map(split_scale, node.children)
    if node.name == "mul":
        rest = right if left is None else left if right is None else Node.operator("mul", left, right)
        return left_scale * right_scale, rest
    if right_scale == 0.0:
        return 1.0, node
    rest = left if right is None else Node.operator("div", left or Node.one(), right)
    return left_scale / right_scale, rest


def _of_sum(node: Node) -> Split:
    """The larger scale of the two terms, unless one of them has none."""
    splits = [split_scale(child) for child in node.children]
    scales = [scale for scale, _ in splits]
    common = 1.0 if 1.0 in scales else max(scales, key=abs)
    if common == 0.0:
        return 1.0, node
    terms = (joined((scale / common, rest)) for scale, rest in splits)
    return common, Node.operator(node.name, *terms)
