"""One fitted factor for two terms: 3.715 * x + 7.440 * z may well be 3.72 * (x + 2 * z).

Likewise in a ratio: 3.781 * x / (y + 3.781) may well be x / (0.2645 * y + 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import isclose

from ddsr.expression import Node
from ddsr.price.model import Numbered, known
from ddsr.price.simple_numbers import SimpleNumber, near

NatsLost = Callable[[int, float], float]
"""Approximate nats lost if the constant with this breadth-first number has this value instead."""

MOST_NATS_LOST = 12.0
"""about what one constant fewer saves on noisy data; without noise a ratio is exact or far off"""
MOST_TERMS = 8
"""maximum number of terms of a sum to compare"""
MOST_NATS_OF_RATIO = 12.0
"""ratios that cost more save nothing compared with the constant that they replace"""


@dataclass(frozen=True)
class Term:
    """A term of a sum: sign * node, where node is factor * rest if it has a fitted factor."""

    sign: float
    node: Node
    factor: Numbered | None
    rest: Node

    @property
    def coefficient(self) -> float:
        """Fitted factor with the sign, or the sign alone without one."""
        return self.sign * (1.0 if self.factor is None else self.factor.value)


_Way = tuple[Term, Term, SimpleNumber]
"""The term that keeps its factor, the term that loses it, and the ratio of its factor to the kept one."""


def shared_factors(node: Node, nats_lost: NatsLost) -> Iterator[Node]:
    """Yield the sum with one fitted factor shared by a term of each operand, if the data allow it."""
    left, right = (list(terms_of(child)) for child in node.children)
    if node.operation == "sub":
        right = [Term(-term.sign, term.node, term.factor, term.rest) for term in right]
    if len(left) + len(right) > MOST_TERMS:
        return
    for one, other in product(left, right):
        others = [term for term in (*left, *right) if term is not one and term is not other]
        for base, turned, ratio in _ways(one, other, nats_lost):
            yield sum_of([*others, _over_one_factor(base, turned, ratio.value)])


def cancelled_factors(node: Node, nats_lost: NatsLost) -> Iterator[Node]:
    """Yield the ratio without its fitted factor, if that gives a term of the divisor a simple factor."""
    numerator, divisor = node.children
    factor, rest = split_fitted(numerator)
    terms = list(terms_of(divisor))
    if factor is None or not 2 <= len(terms) <= MOST_TERMS:
        return
    for term in terms:
        ratio = _ratio(Term(1.0, numerator, factor, rest), term, nats_lost)
        if ratio is not None:
            others = sum_of([other for other in terms if other is not term])
            scaled = Node.operator("mul", Node.constant(1.0 / factor.value), others)
            below = Node.operator("mul", known(ratio.value), term.rest)
            yield Node.operator("div", rest, Node.operator("add", scaled, below))


def _ways(one: Term, other: Term, nats_lost: NatsLost) -> Iterator[_Way]:
    """Yield the ways to share a factor; of 2 * f and f / 2 only the shorter one."""
    ways: list[_Way] = []
    for base, turned in ((one, other), (other, one)):
        ratio = _ratio(base, turned, nats_lost)
        if ratio is not None:
            ways.append((base, turned, ratio))
    if len(ways) == 2 and isclose(ways[0][2].value * ways[1][2].value, 1.0):
        ways.remove(max(ways, key=lambda way: way[2].nats))
    yield from ways


def terms_of(node: Node, sign: float = 1.0) -> Iterator[Term]:
    """Yield the terms of a chain of sums and differences."""
    if node.operation in ("add", "sub"):
        yield from terms_of(node.children[0], sign)
        yield from terms_of(node.children[1], sign if node.operation == "add" else -sign)
    else:
        yield Term(sign, node, *split_fitted(node))


def split_fitted(node: Node) -> tuple[Numbered | None, Node]:
    """Return a fitted factor of a product or numerator, and the rest; None and the node without one."""
    if isinstance(node, Numbered):
        return node, known(1.0)
    n_places = {"mul": 2, "div": 1}.get(node.operation, 0)
    for place, child in enumerate(node.children[:n_places]):
        factor, rest = split_fitted(child)
        if factor is not None:
            return factor, Node.operator(
                node.name, *(rest if k == place else each for k, each in enumerate(node.children))
            )
    return None, node


def _ratio(base: Term, turned: Term, nats_lost: NatsLost) -> SimpleNumber | None:
    """Return the cheapest simple ratio of the second factor to the first that the data allow, or None."""
    if base.factor is None or turned.factor is None or base.coefficient == 0.0:
        return None
    value, number = turned.coefficient / base.coefficient, int(turned.factor.name)
    simple = [SimpleNumber(1.0 if value > 0.0 else -1.0, 0.0)]
    simple += [ratio for ratio in near(value) if ratio.nats <= MOST_NATS_OF_RATIO]
    costs = [
        (ratio.nats + lost, ratio)
        for ratio in simple
        if (lost := nats_lost(number, turned.sign * ratio.value * base.coefficient)) <= MOST_NATS_LOST
    ]
    return min(costs)[1] if costs else None


def _over_one_factor(base: Term, turned: Term, ratio: float) -> Term:
    assert base.factor is not None  # or there would be no ratio
    second = Node.operator("mul", known(abs(ratio)), turned.rest)
    rest = Node.operator("add" if ratio > 0.0 else "sub", base.rest, second)
    return Term(base.sign, Node.operator("mul", base.factor, rest), base.factor, rest)


def sum_of(terms: Sequence[Term]) -> Node:
    """Return the sum, positive terms first, so that it does not begin with a minus if it can be avoided."""
    first, *others = sorted(terms, key=lambda term: -term.sign)
    begin = first.node if first.sign > 0.0 else Node.operator("sub", known(0.0), first.node)
    return reduce(
        lambda sum_, term: Node.operator("add" if term.sign > 0.0 else "sub", sum_, term.node), others, begin
    )
