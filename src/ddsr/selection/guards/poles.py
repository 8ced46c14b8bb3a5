"""Detection of poles among the data: divisors that are 0 on a row or between rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import values
from ddsr.expression import Batch, Expression, Kind, Node, Vocabulary
from ddsr.expression.definitions import written_out

DIVIDING = {"div", "inverse", "tan", "pow"}


def have_poles(
    expressions: Sequence[Expression], rows: NDArray[np.float64], n_threads: int = 1
) -> NDArray[np.bool_]:
    """Return whether a divisor of each expression is 0 on some row or changes sign between two rows.

    A continuous divisor that is positive on one row and negative on another is 0 somewhere between them,
    where the quotient has no bound.
    """
    found = np.zeros(len(expressions), dtype=bool)
    divisors: dict[Vocabulary, list[tuple[int, Expression]]] = {}
    for number, expression in enumerate(expressions):
        if not _may_divide(expression):  # avoids building most trees
            continue
        written = written_out(expression)
        vocabulary = _with_cosine(written.vocabulary)
        for divisor in dict.fromkeys(_divisors(written.tree)):
            owned = number, Expression.from_tree(vocabulary, divisor)
            divisors.setdefault(vocabulary, []).append(owned)
    for pairs in divisors.values():
        divided_by, _ = values(Batch.of(divisor for _, divisor in pairs), rows, n_threads)
        keeps_sign = (divided_by > 0.0).all(axis=1) | (divided_by < 0.0).all(axis=1)
        np.logical_or.at(found, [number for number, _ in pairs], ~keeps_sign)
    return found


def _may_divide(expression: Expression) -> bool:
    operators, tokens = expression.expanded.vocabulary.operators, expression.expanded.tokens
    own = {each.name for each in expression.expanded.vocabulary.own}  # their formulas may divide
    used = {operators[token] for token in tokens if token < len(operators)}
    return bool(used & (DIVIDING | own))


def _with_cosine(vocabulary: Vocabulary) -> Vocabulary:
    """Return the vocabulary with cos, since tan divides by cos."""
    if "tan" not in vocabulary.operators or "cos" in vocabulary.operators:
        return vocabulary
    operators = (*vocabulary.definitions, "cos")
    return Vocabulary(vocabulary.variables, operators, vocabulary.has_one, vocabulary.has_constant)


def _divisors(node: Node) -> Iterator[Node]:
    """Yield the divisors in a tree, except those that are never 0."""
    if node.kind is not Kind.OPERATOR:
        return
    for child in node.children:
        yield from _divisors(child)
    if node.operation == "div":
        yield from _factors(node.children[1])
    elif node.operation == "inverse" or (node.operation == "pow" and _is_below_zero(node.children[1])):
        yield from _factors(node.children[0])
    elif node.operation == "tan":
        yield Node.operator("cos", *node.children)


def _factors(node: Node) -> Iterator[Node]:
    """Yield the parts of a divisor whose zeros make it 0."""
    if node.kind is Kind.VARIABLE:
        yield node
    elif node.kind is not Kind.OPERATOR or (node.row and node.row.range in ("positive", "nonzero")):
        return
    elif node.operation == "mul" or (node.row and node.row.degree > 0.0):
        # The divisor is 0 where one of its operands is, even if its sign stays the same.
        for child in node.children:
            yield from _factors(child)
    elif node.operation in ("div", "pow"):  # the second operand of a division is a separate divisor
        yield from _factors(node.children[0])
    else:
        yield node


def _is_below_zero(node: Node) -> bool:
    return node.kind is Kind.CONSTANT and node.value < 0.0
