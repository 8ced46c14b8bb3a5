"""A model: an expression some of whose constants are settled for good."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ddsr.expression import Expression, Kind, Node, Vocabulary
from ddsr.price.simple_numbers import is_exact

LARGEST_GIVEN = 1000.0  # a whole number that is larger is a decimal cut short


class Known(Node):
    """A constant whose value is settled: fitting leaves it alone."""

    __slots__ = ()


class Numbered(Node):
    """A free constant that knows which one it is: `name` holds its number, breadth-first."""

    __slots__ = ()


def known(value: float) -> Known:
    """The settled constant of this value."""
    return Known(Kind.CONSTANT, value=value)


@dataclass(frozen=True)
class Model:
    """An expression, and for each of its constants whether fitting must leave it alone."""

    expression: Expression
    is_fixed: tuple[bool, ...]

    @classmethod
    def free(cls, expression: Expression) -> Model:
        """All constants are to be fitted."""
        return cls(expression, (False,) * expression.n_constants)

    @classmethod
    def of_tree(cls, vocabulary: Vocabulary, root: Node) -> Model | None:
        """From nodes with `Known` among them; None where the vocabulary cannot write them."""
        level_order = [root]
        for node in level_order:  # grows while it is walked
            level_order.extend(node.children)
        for node in level_order:
            is_named = node.kind is Kind.OPERATOR
            if (
                node.kind is not Kind.VARIABLE
                and (node.kind, node.name if is_named else "") not in vocabulary.nodes
            ):
                return None
        is_fixed = (isinstance(node, Known) for node in level_order if node.kind is Kind.CONSTANT)
        return cls(Expression.from_tree(vocabulary, root), tuple(is_fixed))

    @cached_property
    def tree(self) -> Node:
        """The expression as nodes, settled constants as `Known`."""
        names = self.expression.vocabulary.variables
        # a fold meets constants from the last to the first
        is_fixed = reversed(self.is_fixed)
        return self.expression.fold(
            variable=lambda column: Node.variable(names[column]),
            constant=lambda value: known(value) if next(is_fixed) else Node.constant(value),
            one=Node.one(),
            apply=lambda row, operands: Node.operator(row.name, *operands),
        )

    @property
    def free_constants(self) -> tuple[float, ...]:
        """Values of those that fitting may change."""
        pairs = zip(self.expression.constants, self.is_fixed, strict=True)
        return tuple(value for value, is_fixed in pairs if not is_fixed)

    @property
    def fixed_constants(self) -> tuple[float, ...]:
        """Values of those that are settled."""
        pairs = zip(self.expression.constants, self.is_fixed, strict=True)
        return tuple(value for value, is_fixed in pairs if is_fixed)

    @cached_property
    def is_fitted(self) -> tuple[bool, ...]:
        """For each constant: the data gave its value, though it may have been cut short since, to 9.87."""
        constants = zip(self.expression.constants, self.is_fixed, strict=True)
        return tuple(
            not (is_fixed and is_exact(value) and abs(value) <= LARGEST_GIVEN)
            for value, is_fixed in constants
        )

    def freed(self) -> Iterator[Model]:
        """With one constant that was cut short free again, for each of them."""
        for place, (is_fixed, is_fitted) in enumerate(zip(self.is_fixed, self.is_fitted, strict=True)):
            if is_fixed and is_fitted:
                others = *self.is_fixed[:place], False, *self.is_fixed[place + 1 :]
                yield Model(self.expression, others)

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Equal for models that differ by the values of their free constants alone."""
        values = zip(self.expression.constants, self.is_fixed, strict=True)
        return self.expression.tokens, tuple(value if is_fixed else None for value, is_fixed in values)


def split_factor(node: Node) -> tuple[float, Node]:
    """c and f of c * f or f * c, with a constant c other than 0; 1 and the node itself of any other."""
    if node.name == "mul":
        for factor, rest in (node.children, node.children[::-1]):
            if factor.kind is Kind.CONSTANT and factor.value != 0.0:
                return factor.value, rest
    return 1.0, node
