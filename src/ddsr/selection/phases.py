"""Phases within a turn: cos(0.017 * x - 0.305) for cos(0.017 * x - 69.42)."""

from __future__ import annotations

from math import isfinite, remainder

from ddsr.expression import OPERATORS, Kind, Node
from ddsr.price.simple_numbers import is_exact
from ddsr.selection.model import Known


def with_phases_in_a_turn(node: Node, beyond: float = 0.5) -> Node:
    """Return the tree with phases of sin, cos and tan reduced to half a period at most.

    Those are reduced that are larger than `beyond` periods. A fitted phase stays fitted, and one that was cut
    short is fitted again. A settled whole number, fraction or root stays: reduced it would not be simple.
    """
    if node.kind is not Kind.OPERATOR:
        return node
    children = [with_phases_in_a_turn(child, beyond) for child in node.children]
    period = OPERATORS[node.name].period
    if period:
        return Node.operator(node.name, _reduced(children[0], period, beyond))
    return Node.operator(node.name, *children)


def _reduced(argument: Node, period: float, beyond: float) -> Node:
    """The argument with a phase within half a period; itself where it has none, or a smaller one."""
    if argument.name in ("mul", "div"):  # c * (x - k): k may change by multiples of the period over c
        left, right = argument.children
        if left.kind is Kind.CONSTANT and argument.name == "mul" and left.value != 0.0:
            return Node.operator("mul", left, _with_reduced_term(right, period / abs(left.value), beyond))
        if right.kind is Kind.CONSTANT and right.value != 0.0:
            scale = abs(right.value) if argument.name == "div" else 1.0 / abs(right.value)
            return Node.operator(argument.name, _with_reduced_term(left, period * scale, beyond), right)
        return argument
    return _with_reduced_term(argument, period, beyond)


def _with_reduced_term(node: Node, period: float, beyond: float) -> Node:
    """Of a chain of sums, with its constant within half a period."""
    if node.name not in ("add", "sub") or not isfinite(period):
        return node
    for place, child in enumerate(node.children):
        is_phase = child.kind is Kind.CONSTANT
        other = (_phase if is_phase else _with_reduced_term)(child, period, beyond)
        if other is not child:
            children = (*node.children[:place], other, *node.children[place + 1 :])
            return Node.operator(node.name, *children)
    return node


def _phase(constant: Node, period: float, beyond: float) -> Node:
    if abs(constant.value) <= beyond * period or (isinstance(constant, Known) and is_exact(constant.value)):
        return constant
    return Node.constant(remainder(constant.value, period))
