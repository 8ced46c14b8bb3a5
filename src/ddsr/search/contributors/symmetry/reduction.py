"""Reductions of a problem to fewer inputs: sums and differences of columns, divided by units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ddsr.expression import Kind, Node

Powers = tuple[float, ...]
"""one power for each unit"""
Measured = tuple[Node, Powers | None]
"""a tree and the units of its value; None for a number, which may have any units"""

NEAR_EXPONENT = 0.05
"""maximum distance of a fitted exponent from the half or whole number that replaces it"""


@dataclass(frozen=True)
class Input:
    """An input of the reduced problem: a tree over the columns, divided by units."""

    tree: Node
    powers: Powers = ()
    """powers of the units that the tree is divided by"""


@dataclass(frozen=True)
class Reduction:
    """y = g(inputs), times units. All trees are over the variables of the data."""

    inputs: tuple[Input, ...]
    units: tuple[Node, ...] = ()
    powers: Powers = ()
    """powers of the units in y"""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs in the reduced problem."""
        return tuple(f"u{number}" for number in range(len(self.inputs)))

    @property
    def factor(self) -> Node:
        """The units of y; the literal 1 if there are none."""
        return monomial(self.units, self.powers)

    @property
    def trees(self) -> tuple[Node, ...]:
        """The inputs, divided by their units."""
        return tuple(_divided(each.tree, each.powers, self.units) for each in self.inputs)

    def joined(self, first: int, second: int, sign: float) -> Input:
        """Return the sum or the difference of two inputs, in the units of the first."""
        one, other = self.inputs[first], self.inputs[second]
        operands = (one.tree, one.powers), (other.tree, other.powers)
        return Input(*self._sum("add" if sign > 0 else "sub", *operands))

    def restored(self, tree: Node) -> Node:
        """Turn a tree over the inputs into one over the variables of the data.

        Units are multiplied back in where they were divided out: 1 - v/c, times c, becomes c - v. Terms of a
        sum get the same units, numbers too. Arguments of functions have none.
        """
        node, powers = self._measured(tree)
        return self._times(node, _less(self.powers, powers or self._none))

    @property
    def _none(self) -> Powers:
        return (0.0,) * len(self.units)

    def _times(self, node: Node, powers: Powers) -> Node:
        return _divided(node, tuple(-power for power in powers), self.units)

    def _measured(self, node: Node) -> Measured:
        if node.kind is Kind.VARIABLE:
            each = self.inputs[self.names.index(node.name)]
            return each.tree, each.powers
        if node.kind is not Kind.OPERATOR:
            return node, None
        operands = [self._measured(child) for child in node.children]
        if all(powers is None for _, powers in operands):
            return node, None
        if node.operation in ("add", "sub"):
            return self._sum(node.name, *operands)
        if node.operation in ("mul", "div"):
            return self._product(node.name, *operands)
        exponent = _exponent(node)
        if exponent is not None:
            base, powers = operands[0]
            assert powers is not None  # the exponent is the number of the two
            rest = (Node.constant(exponent),) if node.operation == "pow" else ()
            return Node.operator(node.name, base, *rest), tuple(exponent * power for power in powers)
        return Node.operator(node.name, *map(self._bare, operands)), self._none

    def _bare(self, operand: Measured) -> Node:
        """Return the tree divided by its units."""
        node, powers = operand
        return node if powers is None else _divided(node, powers, self.units)

    def _sum(self, name: str, first: Measured, second: Measured) -> tuple[Node, Powers]:
        powers = second[1] if first[1] is None else first[1]
        assert powers is not None
        terms = [self._times(node, _less(powers, known or self._none)) for node, known in (first, second)]
        return Node.operator(name, *terms), powers

    def _product(self, name: str, first: Measured, second: Measured) -> Measured:
        (a, powers), (b, others) = first, second
        sign = 1.0 if name == "mul" else -1.0
        pairs = zip(powers or self._none, others or self._none, strict=True)
        return Node.operator(name, a, b), tuple(one + sign * other for one, other in pairs)


def _exponent(node: Node) -> float | None:
    """Return the power to which an operator raises units; None if its argument must be without units."""
    if node.operation != "pow":
        return node.row.degree or None if node.row else None
    given = node.children[1]
    simple = round(2.0 * given.value) / 2.0
    is_near = given.kind in (Kind.CONSTANT, Kind.ONE) and abs(given.value - simple) <= NEAR_EXPONENT
    return simple if is_near and 0.0 < abs(simple) <= 4.0 else None


def _less(first: Powers, second: Powers) -> Powers:
    return tuple(one - other for one, other in zip(first, second, strict=True))


def monomial(bases: Sequence[Node], exponents: Sequence[float]) -> Node:
    """Return a product of powers as one ratio; the literal 1 if there are none."""
    above = [_power(base, e) for base, e in zip(bases, exponents, strict=True) if e > 0]
    below = [_power(base, -e) for base, e in zip(bases, exponents, strict=True) if e < 0]
    dividend = Node.product(above)
    return Node.operator("div", dividend, Node.product(below)) if below else dividend


def _divided(node: Node, powers: Powers, units: Sequence[Node]) -> Node:
    """Divide a tree by units."""
    inverse = tuple(-power for power in powers)
    if node.kind is Kind.ONE:
        return monomial(units, inverse)
    return monomial([node, *units], [1.0, *inverse])


def _power(base: Node, exponent: float) -> Node:
    if exponent == 1.0:
        return base
    if exponent == 0.5:
        return Node.operator("sqrt", base)
    return Node.operator("pow", base, Node.constant(exponent))
