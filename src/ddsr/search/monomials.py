"""Products of powers of the variables that have the unit of the target."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np

from ddsr.data.units import Units
from ddsr.errors import ExpressionError
from ddsr.expression import Expression, Node
from ddsr.grammar import Grammar

MOST_COLUMNS = 40  # with more, only the first ones are combined
MOST_COMBINED = 20_000  # sets of columns
MOST_MONOMIALS = 30
LARGEST_DENOMINATOR = 12
SMALLEST = 1e-9  # exponents and remainders below this are 0


def monomials(grammar: Grammar, units: Units) -> list[Expression]:
    """Return the simplest products of powers that have the target's unit and obey the grammar."""
    found: list[Expression] = []
    for powers in _exponents(units):
        for written in _written(grammar, powers):
            if (
                len(written) <= grammar.max_length
                and grammar.check(written.tokens, written.constants) is None
            ):
                found.append(written)
                break
        if len(found) == MOST_MONOMIALS:
            break
    return found


def _exponents(units: Units) -> list[dict[str, Fraction]]:
    """Return exponents of products with the target's unit, the simplest first.

    Each product has as few columns as its unit allows, so that its exponents are unique.
    """
    names = units.names[:MOST_COLUMNS]
    matrix, target = units.matrix[: len(names)], units.matrix[-1]
    found: dict[tuple[tuple[str, Fraction], ...], float] = {}
    n_tried = 0
    for size in range(1 if target.any() else 2, min(len(names), target.size + 1) + 1):
        for columns in combinations(range(len(names)), size):
            n_tried += 1
            powers = _solution(matrix[list(columns)], target) if n_tried <= MOST_COMBINED else None
            if powers is not None:
                key = tuple((names[column], power) for column, power in zip(columns, powers, strict=True))
                found[key] = float(sum(abs(power) + int(power.denominator > 1) for power in powers))
    if not target.any():
        found |= {
            ((name, Fraction(1)),): 0.0 for name, row in zip(names, matrix, strict=True) if not row.any()
        }
    return [dict(key) for key in sorted(found, key=lambda key: found[key])]


def _solution(
    rows: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    target: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> list[Fraction] | None:
    """Return exponents other than 0 with which the rows add up to the target; None without unique ones."""
    if not target.any():  # one exponent is free: the first is 1
        rest = None if len(rows) < 2 else _solution(rows[1:], -rows[0])
        return None if rest is None or not rows[0].any() else [Fraction(1), *rest]
    found, _, rank, _ = np.linalg.lstsq(rows.T, target, rcond=None)
    if rank < len(rows) or np.abs(rows.T @ found - target).max() > SMALLEST:
        return None
    powers = [Fraction(float(each)).limit_denominator(LARGEST_DENOMINATOR) for each in found]
    is_exact = np.abs(np.array(powers, dtype=float) - found).max() < SMALLEST
    return powers if is_exact and all(powers) else None


def _written(grammar: Grammar, powers: dict[str, Fraction]) -> Iterator[Expression]:
    """Yield the product with powers as functions or numbers, and as repeated factors."""
    for repeats in (False, True):
        above = [_power(grammar, name, power, repeats) for name, power in powers.items() if power > 0]
        below = [_power(grammar, name, -power, repeats) for name, power in powers.items() if power < 0]
        if None in above or None in below:
            continue
        whole, divisor = (Node.product(node for node in each if node is not None) for each in (above, below))
        try:
            yield Expression.from_tree(
                grammar.vocabulary, Node.operator("div", whole, divisor) if below else whole
            )
        except ExpressionError:  # an operator is missing
            continue


def _power(grammar: Grammar, name: str, power: Fraction, repeats: bool) -> Node | None:
    """Return a positive power of a variable; None if it cannot be written with the operators."""
    node, operators = Node.variable(name), grammar.vocabulary.operators
    if power == 1:
        return node
    if repeats:
        return Node.product([node] * int(power)) if power.denominator == 1 and power <= 4 else None
    for special, operator in ((Fraction(2), "square"), (Fraction(1, 2), "sqrt"), (Fraction(3), "cube")):
        if power == special and operator in operators:
            return Node.operator(operator, node)
    has_power = "pow" in operators and grammar.vocabulary.has_constant
    return Node.operator("pow", node, Node.constant(float(power))) if has_power else None
