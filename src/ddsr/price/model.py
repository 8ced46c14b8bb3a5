"""A model: an expression in which some constants are fixed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ddsr.engine import Engine
from ddsr.expression import Batch, Expression, Kind, Node, Vocabulary
from ddsr.expression.operators import TEMPLATE
from ddsr.price.simple_numbers import is_exact

LARGEST_GIVEN = 1000.0  # larger whole numbers count as rounded decimals


class Known(Node):
    """A constant whose value is fixed: fitting does not change it."""

    __slots__ = ()


class Numbered(Node):
    """A free constant whose `name` holds its breadth-first number."""

    __slots__ = ()


def known(value: float) -> Known:
    """Return a fixed constant of this value."""
    return Known(Kind.CONSTANT, value=value)


@dataclass(frozen=True)
class Model:
    """An expression, and for each of its constants whether it is fixed."""

    expression: Expression
    is_fixed: tuple[bool, ...]

    @classmethod
    def free(cls, expression: Expression) -> Model:
        """Return a model whose constants are all fitted."""
        return cls(expression, (False,) * expression.n_constants)

    @classmethod
    def of_tree(cls, vocabulary: Vocabulary, root: Node) -> Model | None:
        """Return the model of a tree with `Known` constants; None if the vocabulary cannot express it."""
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
        """The expression as nodes, with fixed constants as `Known`."""
        names = self.expression.vocabulary.variables
        # a fold meets constants from the last to the first
        is_fixed = reversed(self.is_fixed)
        return self.expression.fold(
            variable=lambda column: Node.variable(names[column]),
            constant=lambda value: known(value) if next(is_fixed) else Node.constant(value),
            one=Node.one(),
            apply=lambda row, operands: Node.operator(row.name, *operands),
        )

    @cached_property
    def parts(self) -> tuple[Model, ...]:
        """The models that fill the holes of the template; without a template, the model itself."""
        if not self.expression.is_filled:
            return (self,)
        models = [Model.of_tree(self.expression.vocabulary.of_parts, part) for part in self.tree.children]
        return tuple(model for model in models if model is not None)  # parts of an expression have models

    def with_parts(self, parts: Iterable[Model]) -> Model:
        """Return the same template filled with other models, or the only one without a template."""
        models = tuple(parts)
        if not self.expression.is_filled:
            return models[0]
        root = Node.operator(TEMPLATE, *(part.tree for part in models))
        filled = Model.of_tree(self.expression.vocabulary, root)
        assert filled is not None  # the vocabulary has all tokens of its parts
        return filled

    @property
    def is_free(self) -> tuple[bool, ...]:
        """Whether each constant is fitted."""
        return tuple(not is_fixed for is_fixed in self.is_fixed)

    @property
    def free_constants(self) -> tuple[float, ...]:
        """Values of the constants that fitting may change."""
        pairs = zip(self.expression.constants, self.is_fixed, strict=True)
        return tuple(value for value, is_fixed in pairs if not is_fixed)

    @property
    def fixed_constants(self) -> tuple[float, ...]:
        """Values of the fixed constants."""
        pairs = zip(self.expression.constants, self.is_fixed, strict=True)
        return tuple(value for value, is_fixed in pairs if is_fixed)

    @cached_property
    def is_fitted(self) -> tuple[bool, ...]:
        """Whether each constant was measured, even if it was later rounded, for example to 9.87."""
        constants = zip(self.expression.constants, self.is_fixed, strict=True)
        return tuple(
            not (is_fixed and is_exact(value) and abs(value) <= LARGEST_GIVEN)
            for value, is_fixed in constants
        )

    def freed(self) -> Iterator[Model]:
        """Yield the model with one rounded constant free again, for each of them."""
        for place, (is_fixed, is_fitted) in enumerate(zip(self.is_fixed, self.is_fitted, strict=True)):
            if is_fixed and is_fitted:
                others = *self.is_fixed[:place], False, *self.is_fixed[place + 1 :]
                yield Model(self.expression, others)

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Key that is equal for models that differ only in the values of their free constants."""
        values = zip(self.expression.constants, self.is_fixed, strict=True)
        return self.expression.tokens, tuple(value if is_fixed else None for value, is_fixed in values)


def split_factor(node: Node) -> tuple[float, Node]:
    """Return c and f of c * f or f * c with a constant c other than 0; 1 and the node for any other node."""
    if node.operation == "mul":
        for factor, rest in (node.children, node.children[::-1]):
            if factor.kind is Kind.CONSTANT and factor.value != 0.0:
                return factor.value, rest
    return 1.0, node


def with_fixed_exponents(models: Sequence[Model], engine: Engine) -> Sequence[Model]:
    """Return the models with those exponents fixed that units or rules make a part of the structure.

    A rule that exponents are whole leaves nothing to fit: `x^1.0` is the structure `x`.
    """
    if not models:
        return models
    marks = engine.fixed_by_units(Batch.of(model.expression for model in models))
    is_whole = engine.limits is not None and engine.limits.has_whole_exponents
    if marks is None and not is_whole:
        return models
    rows = [model.is_fixed for model in models] if marks is None else marks.astype(bool).tolist()
    return [
        Model(
            model.expression,
            tuple(
                is_fixed or mark or (is_whole and is_exponent)
                for is_fixed, mark, is_exponent in zip(
                    model.is_fixed, row, _are_exponents(model.expression), strict=False
                )
            ),
        )
        for model, row in zip(models, rows, strict=True)
    ]


def _are_exponents(expression: Expression) -> Iterator[bool]:
    """Yield for each constant whether it is an exponent, in breadth-first order."""
    level_order = [(expression.tree, False)]
    for node, is_exponent in level_order:  # grows while it is walked
        if node.kind is Kind.CONSTANT:
            yield is_exponent
        is_power = node.operation == "pow"
        level_order.extend((child, is_power and place == 1) for place, child in enumerate(node.children))
