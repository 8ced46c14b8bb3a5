"""An expression as a tree of nodes: the form to read and to build by hand."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ddsr.expression.operators import OPERATORS, Operator


class Kind(Enum):
    """What a node is."""

    OPERATOR = "operator"
    ONE = "literal 1"
    CONSTANT = "constant"
    VARIABLE = "variable"


@dataclass(frozen=True, slots=True)
class Node:
    """A node and what hangs under it; made by the four class methods."""

    kind: Kind
    name: str = ""
    """of an operator or a variable"""
    value: float = 1.0
    """of a constant"""
    children: tuple[Node, ...] = ()

    @property
    def row(self) -> Operator | None:
        """What is known of the operator; None for a leaf."""
        return OPERATORS[self.name] if self.kind is Kind.OPERATOR else None

    @classmethod
    def operator(cls, name: str, *children: Node) -> Node:
        """An operator, by name, over its operands."""
        return cls(Kind.OPERATOR, name, children=children)

    @classmethod
    def variable(cls, name: str) -> Node:
        """A variable, by its bare name."""
        return cls(Kind.VARIABLE, name)

    @classmethod
    def constant(cls, value: float = 1.0) -> Node:
        """A constant, which fitting may change."""
        return cls(Kind.CONSTANT, value=value)

    @classmethod
    def one(cls) -> Node:
        """The literal 1, which fitting leaves alone."""
        return cls(Kind.ONE)
