"""Models one move away: a constant fixed, a term or factor dropped, one factor for two terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import log, sqrt

from ddsr.expression import Kind, Node
from ddsr.expression.operators import TEMPLATE, Operator
from ddsr.price.model import Known, Model, Numbered, known, split_factor
from ddsr.price.simple_numbers import near
from ddsr.selection.moves.complements import complements
from ddsr.selection.moves.fixed_constants import with_fixed_constants
from ddsr.selection.moves.moved_constants import (
    MOST_NATS_LOST,
    likeliest,
    moved_into_base,
    moved_into_factors,
    moved_into_logarithm,
    safe_exp,
)
from ddsr.selection.moves.shared_factors import NatsLost, cancelled_factors, shared_factors, split_fitted

# 0 and ±1 also save tokens, and their cost far from the fitted constant is only a rough estimate.
MOST_NATS_LOST_AT_ONE = 1000.0


def nothing(constant: int, value: float) -> float:
    """Return 0: all values are equally good."""
    return 0.0


def alternatives(model: Model, nats_lost: NatsLost = nothing) -> Iterator[Model]:
    """Yield every simpler model one move away, once each, with the likeliest simple numbers only."""
    return _one_move_away(model, partial(_replacements, nats_lost=nats_lost))


def with_moved_constants(model: Model, nats_lost: NatsLost) -> Iterator[Model]:
    """Yield every model in which a fitted constant becomes a simple number in another place, once each."""
    return _one_move_away(model, partial(_moved, nats_lost=nats_lost))


def _one_move_away(model: Model, replacements: Callable[[Node], Iterator[Node]]) -> Iterator[Model]:
    seen = {model.key}
    for tree in _variants(_numbered(model), replacements):
        other = with_fixed_constants(model.expression.vocabulary, tree)
        if other is not None and other.key not in seen:
            seen.add(other.key)
            yield other


def fixed_together(model: Model, choose: Callable[[int, float], float | None]) -> Model | None:
    """Return the model with free constants fixed at the values that `choose(number, value)` returns.

    A constant stays free if `choose` returns None. The result is None if nothing changes.
    """

    def chosen(node: Node) -> Node:
        if isinstance(node, Numbered):
            value = choose(int(node.name), node.value)
            return node if value is None else known(value)
        children = [chosen(child) for child in node.children]
        return Node.operator(node.name, *children) if children else node

    other = with_fixed_constants(model.expression.vocabulary, chosen(_numbered(model)))
    return None if other is None or other.key == model.key else other


def _numbered(model: Model) -> Node:
    numbers = reversed(range(len(model.is_fixed)))
    vocabulary = model.expression.vocabulary
    names = vocabulary.variables

    def constant(value: float) -> Node:
        number = next(numbers)
        if model.is_fixed[number]:
            return known(value)
        return Numbered(Kind.CONSTANT, str(number), value)

    def apply(row: Operator, operands: list[Node]) -> Node:
        if row.name == TEMPLATE and vocabulary.template is not None:
            pairs = zip(operands, vocabulary.template.holes, strict=True)
            operands = [_unnumbered(each) if hole.is_constant else each for each, hole in pairs]
        return Node.operator(row.name, *operands)

    return model.expression.fold(
        variable=lambda column: Node.variable(names[column]), constant=constant, one=Node.one(), apply=apply
    )


def _unnumbered(node: Node) -> Node:
    """Return a constant of a template so that no move fixes it: its user wants the fitted value."""
    return Node(Kind.CONSTANT, value=node.value)


def _variants(node: Node, replacements: Callable[[Node], Iterator[Node]]) -> Iterator[Node]:
    """Yield the tree with one node replaced, for every node and every replacement."""
    yield from replacements(node)
    for place, child in enumerate(node.children):
        for other in _variants(child, replacements):
            children = (*node.children[:place], other, *node.children[place + 1 :])
            yield Node.operator(node.name, *children)


def _replacements(node: Node, nats_lost: NatsLost) -> Iterator[Node]:
    if isinstance(node, Numbered):
        number = int(node.name)
        yield from (
            known(value) for value in (0.0, 1.0, -1.0) if nats_lost(number, value) <= MOST_NATS_LOST_AT_ONE
        )
        yield from map(known, likeliest(near(node.value), partial(nats_lost, number)))
    elif node.operation in ("add", "mul", "sub", "div"):
        left, right = node.children
        yield left
        if node.operation in ("add", "mul"):
            yield right
        else:  # 0 − f and 1 / f
            yield Node.operator(node.name, known(0.0 if node.operation == "sub" else 1.0), right)
        if node.operation in ("add", "sub"):
            yield from complements(node)
            yield from shared_factors(node, nats_lost)
        if node.operation == "div":
            yield from cancelled_factors(node, nats_lost)
    elif len(node.children) == 1 and node.operation != TEMPLATE:  # sin(c u) with a tiny c is c u
        yield node.children[0]
        if node.operation == "sqrt":
            yield from _before_the_root(node.children[0], nats_lost)
    elif node.operation == "pow" and isinstance(node.children[0], Numbered):
        yield from _exponentials(node.children[0], node.children[1], nats_lost)
    elif isinstance(node, Known) and abs(node.value) != 1.0:
        yield known(1.0)


def _moved(node: Node, nats_lost: NatsLost) -> Iterator[Node]:
    if node.operation in ("add", "sub"):
        yield from moved_into_logarithm(node, nats_lost)
    elif node.operation in ("mul", "div"):
        yield from moved_into_factors(node, nats_lost)
    elif node.operation == "exp":
        yield from moved_into_base(node, nats_lost)


def _exponentials(base: Node, exponent: Node, nats_lost: NatsLost) -> Iterator[Node]:
    """Write c^f as exp(k * f) with a simple k near log(c): 0.606531^f is exp(-0.5 * f)."""
    if base.value <= 0.0:
        return
    number = int(base.name)
    inner_factor, rest = split_factor(exponent)
    rate = log(base.value) * inner_factor
    if rest is not exponent:  # c^(k * f) has a redundant constant
        yield _exponential(Node.constant(rate), rest)

    def lost(value: float) -> float:
        return nats_lost(number, safe_exp(value / inner_factor))

    plain = [value for value in (1.0, -1.0) if lost(value) <= MOST_NATS_LOST]
    for value in (*plain, *likeliest(near(rate), lost)):
        yield _exponential(known(value), rest)


def _before_the_root(node: Node, nats_lost: NatsLost) -> Iterator[Node]:
    """Take a simple factor out of a root: sqrt(6.25e6 * f) is 2500 * sqrt(f)."""
    factor, rest = split_fitted(node)
    if factor is None or factor.value <= 0.0:
        return
    number = int(factor.name)
    for value in likeliest(near(sqrt(factor.value)), lambda value: nats_lost(number, value * value)):
        yield Node.operator("mul", known(value), Node.operator("sqrt", rest))


def _exponential(rate: Node, rest: Node) -> Node:
    return Node.operator("exp", Node.operator("mul", rate, rest))
