"""Products of powers of the variables that have the unit of the target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, islice

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.data.units import N_DIMENSIONS, PARTS, Units
from ddsr.errors import ExpressionError
from ddsr.expression import Expression, Node
from ddsr.expression.operators import TEMPLATE
from ddsr.expression.template import Template
from ddsr.grammar import Grammar

MOST_COLUMNS = 40  # with more, only the first ones are combined
MOST_COMBINED = 20_000  # sets of columns
MOST_MONOMIALS = 30
MOST_OF_HOLE, MOST_FILLED = 4, 500  # with a template: products for one function, and combinations of them
LARGEST_DENOMINATOR = 12
SMALLEST = 1e-9  # exponents and remainders below this are 0


def monomials(grammar: Grammar, units: Units) -> list[Expression]:
    """Return the simplest products of powers that have the target's unit and obey the grammar.

    With a template, the products fill its functions.
    """
    if grammar.vocabulary.template is not None:
        return _filled(grammar, grammar.vocabulary.template, units)
    found: list[Expression] = []
    for powers in _exponents(units.names, units.matrix[:-1], units.matrix[-1]):
        found += _legal(grammar, _written(grammar, powers), most=1)
        if len(found) == MOST_MONOMIALS:
            break
    return found


def _legal(grammar: Grammar, trees: Iterable[Node], most: int) -> list[Expression]:
    """Return the first trees that the grammar allows."""
    found: list[Expression] = []
    for tree in trees:
        try:
            written = Expression.from_tree(grammar.vocabulary, tree)
        except ExpressionError:  # an operator is missing
            continue
        if len(written) <= grammar.max_length and grammar.check(written.tokens, written.constants) is None:
            found.append(written)
            if len(found) == most:
                break
    return found


def _filled(grammar: Grammar, template: Template, units: Units) -> list[Expression]:
    """Return the template filled with constants and products."""
    constants = [Node.constant() for _ in template.constants]
    fillings = islice(_fillings(grammar, template, units, {}), MOST_FILLED)
    trees = (Node.operator(TEMPLATE, *constants, *parts) for parts in fillings)
    return _legal(grammar, trees, most=MOST_MONOMIALS)


def _fillings(
    grammar: Grammar, template: Template, units: Units, of_holes: dict[int, Floats]
) -> Iterator[tuple[Node, ...]]:
    """Yield what may fill the functions from the one after those in `of_holes`, which have these units."""
    place = len(of_holes)
    if place == len(template.functions):
        yield ()
        return
    hole, number = template.functions[place], len(template.constants) + place
    rows = dict(zip(units.names, np.array(units.parts[0]) / PARTS, strict=True))
    inputs = {name: rows[name] for name in hole.inputs}
    wanted = _demanded(units, number, {len(template.constants) + k: unit for k, unit in of_holes.items()})
    choices: list[tuple[Node, Floats]] = [
        (Node.constant(), np.zeros(N_DIMENSIONS) if wanted is None else wanted)
    ]
    if wanted is None:
        choices += [(Node.variable(name), unit) for name, unit in inputs.items()]
    else:
        matrix = np.array(list(inputs.values()))
        for powers in _exponents(list(inputs), matrix, wanted)[:MOST_OF_HOLE]:
            choices += [(tree, wanted) for tree in _written(grammar, powers)]
    for tree, unit in choices:
        for rest in _fillings(grammar, template, units, {**of_holes, place: unit}):
            yield (tree, *rest)


def _demanded(units: Units, hole: int, of_holes: Mapping[int, Floats]) -> Floats | None:
    """Return the unit that a law demands of a hole, given those of the holes before it."""
    for factors, parts in units.laws:
        if factors[hole] == 0.0 or any(factors[hole + 1 :]):
            continue
        others = sum((factors[other] * unit for other, unit in of_holes.items()), np.array(parts) / PARTS)
        return np.asarray(others / -factors[hole])
    return None


def _exponents(names: Sequence[str], matrix: Floats, target: Floats) -> list[dict[str, Fraction]]:
    """Return exponents of products with the target's unit, the simplest first.

    Each product has as few columns as its unit allows, so that its exponents are unique.
    """
    names = names[:MOST_COLUMNS]
    matrix = matrix[: len(names)]
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


def _solution(rows: Floats, target: Floats) -> list[Fraction] | None:
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


def _written(grammar: Grammar, powers: dict[str, Fraction]) -> Iterator[Node]:
    """Yield the product with powers as functions or numbers, and as repeated factors."""
    for repeats in (False, True):
        above = [_power(grammar, name, power, repeats) for name, power in powers.items() if power > 0]
        below = [_power(grammar, name, -power, repeats) for name, power in powers.items() if power < 0]
        if None in above or None in below:
            continue
        factors, divisors = ([node for node in each if node is not None] for each in (above, below))
        if divisors:
            yield Node.operator("div", Node.product(factors), Node.product(divisors))
        elif factors:
            yield Node.product(factors)


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
