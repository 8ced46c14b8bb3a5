"""The units of what fills a template, from those of the columns and of y.

In its units, a template is a set of linear equations on its holes: operands of a sum have one unit, exponents
of products add up, and most functions need numbers. Solving them gives the unit of each constant, which may
be any, and what is demanded of the unknown functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from ddsr.data.unit_texts import text_of
from ddsr.data.units import PARTS, HoleSum, Units
from ddsr.errors import TemplateError
from ddsr.expression.operators import OPERATORS, numpy_function
from ddsr.expression.printing import node_text
from ddsr.expression.template import Hole, Template
from ddsr.expression.tree import Kind, Node

_SAME, _SIGNS = ("add", "sub", "min", "max", "hypot"), ("sign", "step")
_SMALLEST = 1e-9


def with_template(units: Units | None, template: Template | None) -> Units | None:
    """Return units that know the template; raise `TemplateError`, which names the part, if none agree."""
    if units is None or template is None:
        return units
    found = _Solver(template, units)
    found.solve()
    complete = replace(units, laws=tuple(found.laws()), of_constants=tuple(found.constants()))
    found.check_functions(complete.laws)
    return complete


@dataclass(frozen=True)
class _Sum:
    """A unit: those of holes, each to a power, times a known one. `parts` are as in `Units.parts`."""

    parts: tuple[Fraction, ...]
    factors: dict[str, Fraction] = field(default_factory=dict)

    def plus(self, other: _Sum, times: Fraction = Fraction(1)) -> _Sum:
        parts = tuple(a + times * b for a, b in zip(self.parts, other.parts, strict=True))
        names = dict.fromkeys((*self.factors, *other.factors))
        factors = {
            name: self.factors.get(name, Fraction(0)) + times * other.factors.get(name, Fraction(0))
            for name in names
        }
        return _Sum(parts, {name: factor for name, factor in factors.items() if factor})

    def times(self, factor: Fraction) -> _Sum:
        return _Sum(tuple(Fraction(0) for _ in self.parts)).plus(self, factor)

    @property
    def is_known(self) -> bool:
        return not self.factors


class _Solver:
    def __init__(self, template: Template, units: Units) -> None:
        self.template, self.units = template, units
        columns, target, _ = units.parts
        self.columns = {
            name: _Sum(tuple(map(Fraction, parts))) for name, parts in zip(units.names, columns, strict=True)
        }
        self.target = _Sum(tuple(map(Fraction, target)))
        self.number = _Sum((Fraction(0),) * len(target))
        self.equations: dict[str, _Sum] = {}
        """the unit of a hole as that of the others, none of which has an equation of its own"""
        self.n_zeros = 0
        # Constants are eliminated first, then the functions from the last to the first.
        functions = [hole.name for hole in template.functions]
        self.order = {name: rank for rank, name in enumerate(functions)}

    def solve(self) -> None:
        """Read the equations."""
        for node in _uses(self.template.tree):
            self._check_arguments(node)
        whole = self._unit(self.template.tree)
        wrong = self._demand(whole, self.target)
        if wrong:
            had, wanted = wrong
            raise self._error(f"the whole has the unit {had}, but y has {wanted}")

    def laws(self) -> Iterator[HoleSum]:
        """Yield the sums that must be 0."""
        for name, equation in self.equations.items():
            if name in self.order:
                yield self._row(equation.plus(_Sum(self.number.parts, {name: Fraction(-1)})))

    def constants(self) -> Iterator[HoleSum | None]:
        """Yield the unit of each constant; None where it may be any."""
        for hole in self.template.constants:
            equation = self.equations.get(hole.name)
            is_determined = equation is not None and all(name in self.order for name in equation.factors)
            yield self._row(equation) if equation is not None and is_determined else None

    def _row(self, unit: _Sum) -> HoleSum:
        factors = [float(unit.factors.get(hole.name, 0)) for hole in self.template.holes]
        return tuple(factors), tuple(map(float, unit.parts))

    def _unit(self, node: Node) -> _Sum:
        """Return the unit of a part, and read what its operators demand."""
        match node.kind:
            case Kind.VARIABLE:
                return self.columns[node.name]
            case Kind.HOLE:
                return _Sum(self.number.parts, {node.name: Fraction(1)})
            case Kind.OPERATOR:
                return self._result(node)
        return self._any() if node.kind is Kind.CONSTANT and node.value == 0.0 else self.number

    def _any(self) -> _Sum:
        """Return the unit of a 0, which has whatever unit is needed."""
        self.n_zeros += 1
        return _Sum(self.number.parts, {f"0 {self.n_zeros}": Fraction(1)})

    def _result(self, node: Node) -> _Sum:
        name, operands = node.name, [self._unit(child) for child in node.children]
        if name in _SAME or name == "atan2":
            wrong = self._demand(operands[1], operands[0])
            if wrong:
                second, first = wrong
                a, b = (node_text(child) for child in node.children)
                raise self._error(f"in {node_text(node)}, {a} has the unit {first}, but {b} has {second}")
            return self.number if name == "atan2" else operands[0]
        if name in ("mul", "div"):
            return operands[0].plus(operands[1], Fraction(1 if name == "mul" else -1))
        if name == "pow":
            return self._power(node, *operands)
        if name in _SIGNS:
            return self.number
        row = OPERATORS.get(name)
        if row is not None and row.degree:
            return operands[0].times(Fraction(row.degree).limit_denominator(PARTS))
        for child, operand in zip(node.children, operands, strict=True):
            self._demand_number(operand, child, f"{name} needs a number")
        return self.number

    def _power(self, node: Node, base: _Sum, exponent: _Sum) -> _Sum:
        below, above = node.children
        self._demand_number(exponent, above, f"in {node_text(node)}, the exponent must be a number")
        value = _value(above)
        if value is not None:
            return base.times(Fraction(value).limit_denominator(PARTS))
        what = f"in {node_text(node)}, the exponent is not fixed, so the base must be a number"
        self._demand_number(base, below, what)
        return self.number

    def _demand_number(self, unit: _Sum, part: Node, what: str) -> None:
        wrong = self._demand(unit, self.number)
        if wrong:
            raise self._error(f"{what}, but {node_text(part)} has the unit {wrong[0]}")

    def _demand(self, one: _Sum, other: _Sum) -> tuple[str, str] | None:
        """Add the equation that two units are equal; return both as text if they are not."""
        left = self._reduced(one.plus(other, Fraction(-1)))
        if left.is_known:
            has_unit = any(left.parts)
            return (self._text(self._reduced(one)), self._text(self._reduced(other))) if has_unit else None
        name = max(left.factors, key=lambda each: self.order.get(each, len(self.order)))
        factor = left.factors[name]
        rest = left.plus(_Sum(self.number.parts, {name: factor}), Fraction(-1)).times(-1 / factor)
        for known, equation in self.equations.items():
            if name in equation.factors:
                self.equations[known] = _substituted(equation, name, rest)
        self.equations[name] = rest
        return None

    def _reduced(self, unit: _Sum) -> _Sum:
        for name, equation in self.equations.items():
            if name in unit.factors:
                unit = _substituted(unit, name, equation)
        return unit

    def _text(self, unit: _Sum) -> str:
        if not unit.is_known:
            return "another unit"
        if any(part.denominator != 1 for part in unit.parts):
            return "a broken unit"
        return text_of([int(part) for part in unit.parts], self.units) or "of a number"

    def _column(self, name: str) -> str:
        unit = self.columns[name]
        return f"{name} [{self._text(unit)}]" if any(unit.parts) else f"{name}, a number"

    def _check_arguments(self, use: Node) -> None:
        """Refuse inputs whose units differ between the uses of a function."""
        hole = next(each for each in self.template.holes if each.name == use.name)
        for first, argument in zip(hole.inputs, use.children, strict=True):
            if self.columns[first].parts != self.columns[argument.name].parts:
                a, b = map(self._column, (first, argument.name))
                raise self._error(
                    f"{use.name} is used with {a} and with {b}, but an input has the same unit in all uses"
                )

    def check_functions(self, laws: Sequence[HoleSum]) -> None:
        """Refuse functions that cannot have the unit that is demanded of them."""
        if self.units.n_constants:
            return
        for law in laws:
            holes = [hole for hole, factor in zip(self.template.holes, law[0], strict=True) if factor]
            rows = [list(map(float, self.columns[name].parts)) for hole in holes for name in hole.inputs]
            if _is_reachable(rows, law[1]):
                continue
            listed = " and ".join(map(str, holes))
            inputs = ", ".join(self._column(name) for hole in holes for name in hole.inputs)
            raise self._error(
                f"{listed} cannot have the unit that is needed here{self._wanted(holes, law)}: no product of "
                f"powers of {inputs} has it. Check the units, add inputs, or allow a constant with a unit: "
                "unit_constants=1"
            )

    def _wanted(self, holes: Sequence[Hole], law: HoleSum) -> str:
        if len(holes) > 1:
            return ""
        parts = self.equations[holes[0].name].parts
        return f", {self._text(_Sum(parts))}" if any(parts) else ", that of a number"

    def _error(self, reason: str) -> TemplateError:
        return TemplateError(f"the units of the template {self.template.text!r} do not agree: {reason}")


def _substituted(unit: _Sum, name: str, by: _Sum) -> _Sum:
    factor = unit.factors[name]
    rest = _Sum(unit.parts, {key: value for key, value in unit.factors.items() if key != name})
    return rest.plus(by, factor)


def _uses(node: Node) -> Iterator[Node]:
    """Yield each use of a function."""
    if node.kind is Kind.HOLE and node.children:
        yield node
    elif node.kind is Kind.OPERATOR:
        for child in node.children:
            yield from _uses(child)


def _value(node: Node) -> float | None:
    """Return the value of a part that has only numbers."""
    if node.kind in (Kind.CONSTANT, Kind.ONE):
        return node.value
    operands = [_value(child) for child in node.children]
    row = OPERATORS.get(node.operation)
    if row is None or None in operands:
        return None
    with np.errstate(all="ignore"):
        value = float(numpy_function(row)(*(np.asarray(each) for each in operands)))
    return value if np.isfinite(value) else None


def _is_reachable(rows: Sequence[Sequence[float]], parts: Sequence[float]) -> bool:
    """Return whether powers of the rows' units make a unit; for a number, powers that are not all 0."""
    matrix, wanted = np.array(rows), np.array(parts)
    if not wanted.any():
        return int(np.linalg.matrix_rank(matrix)) < len(matrix)
    found = np.linalg.lstsq(matrix.T, wanted, rcond=None)[0]
    return bool(np.abs(matrix.T @ found - wanted).max() <= _SMALLEST * PARTS)
