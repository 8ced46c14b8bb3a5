"""Trees of nodes: expressions in a form that is easy to read and build by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import reduce

from ddsr.expression.operators import OPERATORS, Operator


class Kind(Enum):
    """Kind of a node."""

    OPERATOR = "operator"
    ONE = "literal 1"
    CONSTANT = "constant"
    VARIABLE = "variable"
    HOLE = "hole"


@dataclass(frozen=True, slots=True)
class Node:
    """A node with its operands; created by the class methods."""

    kind: Kind
    name: str = ""
    """name of an operator, a variable or a hole of a template"""
    value: float = 1.0
    """value of a constant"""
    children: tuple[Node, ...] = ()

    @property
    def operation(self) -> str:
        """Name of the operator; empty for a leaf, whose variable may be called exp."""
        return self.name if self.kind is Kind.OPERATOR else ""

    @property
    def row(self) -> Operator | None:
        """Row of the operator table; None for a leaf and for the root of a filled template."""
        return OPERATORS.get(self.name) if self.kind is Kind.OPERATOR else None

    @classmethod
    def operator(cls, name: str, *children: Node) -> Node:
        """Create an operator, by name, over its operands."""
        return cls(Kind.OPERATOR, name, children=children)

    @classmethod
    def variable(cls, name: str) -> Node:
        """Create a variable, by its bare name."""
        return cls(Kind.VARIABLE, name)

    @classmethod
    def hole(cls, name: str, *arguments: Node) -> Node:
        """Create a hole of a template, by its name, with the columns that it reads."""
        return cls(Kind.HOLE, name, children=arguments)

    @classmethod
    def constant(cls, value: float = 1.0) -> Node:
        """Create a constant, which fitting may change."""
        return cls(Kind.CONSTANT, value=value)

    @classmethod
    def one(cls) -> Node:
        """Create the literal 1, which fitting does not change."""
        return cls(Kind.ONE)

    @classmethod
    def product(cls, factors: Iterable[Node]) -> Node:
        """Multiply nodes from left to right; the literal 1 if there are none."""
        first, *others = list(factors) or [cls.one()]
        return reduce(lambda product, factor: cls.operator("mul", product, factor), others, first)
