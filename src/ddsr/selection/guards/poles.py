"""Poles among the data: divisors that are 0 somewhere between the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import values
from ddsr.expression import Batch, Expression, Kind, Node, Vocabulary

DIVIDING = {"div", "inverse", "tan", "pow"}


def have_poles(
    expressions: Sequence[Expression], rows: NDArray[np.float64], n_threads: int = 1
) -> NDArray[np.bool_]:
    """Whether something that an expression divides by is 0 on some row or changes its sign between two.

    A continuous divisor that is above 0 on one row and below on another is 0 on the way between them, however
    few rows are near, and what is divided by it has no bound there.
    """
    found = np.zeros(len(expressions), dtype=bool)
    owners: list[int] = []
    divisors: list[Expression] = []
    for number, expression in enumerate(expressions):
        if not _may_divide(expression):  # saves the tree of most
            continue
        vocabulary = _with_cosine(expression.vocabulary)
        for divisor in dict.fromkeys(_divisors(expression.tree)):
            owners.append(number)
            divisors.append(Expression.from_tree(vocabulary, divisor))
    if divisors:
        divided_by, _ = values(Batch.of(divisors), rows, n_threads)
        keeps_sign = (divided_by > 0.0).all(axis=1) | (divided_by < 0.0).all(axis=1)
        np.logical_or.at(found, owners, ~keeps_sign)
    return found


def _may_divide(expression: Expression) -> bool:
    operators = expression.vocabulary.operators
    return any(token < len(operators) and operators[token] in DIVIDING for token in expression.tokens)


def _with_cosine(vocabulary: Vocabulary) -> Vocabulary:
    """The vocabulary, with what tan divides by."""
    if "tan" not in vocabulary.operators or "cos" in vocabulary.operators:
        return vocabulary
    operators = (*vocabulary.operators, "cos")
    return Vocabulary(vocabulary.variables, operators, vocabulary.has_one, vocabulary.has_constant)


def _divisors(node: Node) -> Iterator[Node]:
    """All that a tree divides by, without what is never 0."""
    if node.kind is not Kind.OPERATOR:
        return
    for child in node.children:
        yield from _divisors(child)
    if node.name == "div":
        yield from _factors(node.children[1])
    elif node.name == "inverse" or (node.name == "pow" and _is_below_zero(node.children[1])):
        yield from _factors(node.children[0])
    elif node.name == "tan":
        yield Node.operator("cos", *node.children)


def _factors(node: Node) -> Iterator[Node]:
    """The parts of a divisor that are 0 where it is."""
    if node.kind is Kind.VARIABLE:
        yield node
    elif node.row is None or node.row.range in ("positive", "nonzero"):
        return
    elif node.name == "mul" or node.row.degree > 0.0:
        # It is 0 where one of its operands is, even if its sign stays the same.
        for child in node.children:
            yield from _factors(child)
    elif node.name in ("div", "pow"):  # the second operand of a division is a divisor of its own
        yield from _factors(node.children[0])
    else:
        yield node


def _is_below_zero(node: Node) -> bool:
    return node.kind is Kind.CONSTANT and node.value < 0.0
