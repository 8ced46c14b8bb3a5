"""Templates: the known part of a formula, with constants and unknown functions left open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ddsr.expression.own_operators import NodeRow, OwnOperator
from ddsr.expression.tree import Kind, Node


@dataclass(frozen=True)
class Hole:
    """A constant or an unknown function of a template."""

    name: str
    inputs: tuple[str, ...] = ()
    """columns that the function may use, as in its first use; none for a constant"""

    @property
    def is_constant(self) -> bool:
        """Whether the hole takes only a constant."""
        return not self.inputs

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.inputs)})" if self.inputs else self.name


@dataclass(frozen=True)
class Template:
    """A formula with holes; `parse_template` reads one."""

    text: str
    tree: Node
    """tree whose leaves of the kind HOLE have a hole's name, and the hole's arguments as children"""
    holes: tuple[Hole, ...]
    """constants first"""
    own: tuple[OwnOperator, ...] = ()
    """user-defined operators of the known part"""

    @property
    def constants(self) -> tuple[Hole, ...]:
        """The holes that only constants fill."""
        return tuple(hole for hole in self.holes if hole.is_constant)

    @property
    def functions(self) -> tuple[Hole, ...]:
        """The unknown functions."""
        return tuple(hole for hole in self.holes if not hole.is_constant)

    @property
    def operators(self) -> tuple[str, ...]:
        """Operators of the known part, each once."""
        return tuple(dict.fromkeys(node.name for node in _nodes(self.tree) if node.kind is Kind.OPERATOR))

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the known part and of the unknown functions, each once."""
        leaves = [leaf for node in _nodes(self.tree) for leaf in (node, *node.children)]
        return tuple(dict.fromkeys(leaf.name for leaf in leaves if leaf.kind is Kind.VARIABLE))

    def rows(self, columns: Mapping[str, int], slots: Mapping[str, str]) -> list[NodeRow]:
        """Return the nodes in prefix order for the core.

        `columns` has the column of each variable, `slots` the core's names of user-defined operators.
        """
        numbers = {hole.name: number for number, hole in enumerate(self.holes)}

        def row(node: Node) -> NodeRow:
            if node.kind is Kind.OPERATOR:
                return slots.get(node.name, node.name), 1.0, -1, -1, []
            if node.kind is Kind.VARIABLE:
                return "", 1.0, columns[node.name], -1, []
            if node.kind is Kind.HOLE:
                return "", 1.0, -1, numbers[node.name], [columns[each.name] for each in node.children]
            return "", node.value, -1, -1, []

        return [row(node) for node in _nodes(self.tree)]

    def filled(self, parts: tuple[Node, ...]) -> Node:
        """Return the formula with a tree for each hole."""
        part_of = dict(zip(self.holes, parts, strict=True))
        by_name = {hole.name: hole for hole in self.holes}

        def fill(node: Node) -> Node:
            if node.kind is Kind.OPERATOR:
                return Node.operator(node.name, *map(fill, node.children))
            if node.kind is not Kind.HOLE:
                return node
            hole = by_name[node.name]
            return renamed(part_of[hole], dict(zip(hole.inputs, node.children, strict=True)))

        return fill(self.tree)


def _nodes(tree: Node) -> Iterator[Node]:
    """Yield the nodes in prefix order, without the arguments of holes."""
    yield tree
    if tree.kind is Kind.OPERATOR:
        for child in tree.children:
            yield from _nodes(child)


def renamed(node: Node, arguments: Mapping[str, Node]) -> Node:
    """Return a tree with other variables, such as those of a later use of its hole."""
    if node.kind is Kind.VARIABLE:
        return arguments.get(node.name, node)
    return (
        Node.operator(node.name, *(renamed(child, arguments) for child in node.children))
        if (node.kind is Kind.OPERATOR)
        else node
    )
