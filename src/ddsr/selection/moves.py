"""What a model could be instead: a constant settled, a term or a factor less, exp instead of a base."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import exp, inf, log

from ddsr.expression import Kind, Node
from ddsr.selection.complements import complements
from ddsr.selection.model import Known, Model, known, split_factor
from ddsr.selection.settling import Settler
from ddsr.selection.simple_numbers import near

LARGEST_EXPONENT = 700.0  # beyond it exp leaves double precision

IsPlausible = Callable[[int, float], bool]
"""Whether the constant of this number, breadth-first, could have this value instead."""


def anything(constant: int, value: float) -> bool:
    """Every value is plausible."""
    return True


def alternatives(model: Model, is_plausible: IsPlausible = anything) -> Iterator[Model]:
    """Every model that is one move away and simpler, each once."""
    settler = Settler(model.expression.vocabulary)
    seen = {model.key}
    for tree in _variants(_numbered(model), is_plausible):
        settled = settler.settled(tree)
        other = None if settled is None else Model.of_tree(model.expression.vocabulary, settled)
        if other is not None and other.key not in seen:
            seen.add(other.key)
            yield other


def settled_together(model: Model, choose: Callable[[int, float], float | None]) -> Model | None:
    """The model with every free constant settled for which `choose`, given its number and value, has one."""

    def settled(node: Node) -> Node:
        if isinstance(node, _Numbered):
            value = choose(int(node.name), node.value)
            return node if value is None else known(value)
        children = [settled(child) for child in node.children]
        return Node.operator(node.name, *children) if children else node

    vocabulary = model.expression.vocabulary
    tree = Settler(vocabulary).settled(settled(_numbered(model)))
    other = None if tree is None else Model.of_tree(vocabulary, tree)
    return None if other is None or other.key == model.key else other


class _Numbered(Node):
    """A free constant that knows which one it is: `name` holds its number."""

    __slots__ = ()


def _numbered(model: Model) -> Node:
    numbers = reversed(range(len(model.is_fixed)))
    names = model.expression.vocabulary.variables

    def constant(value: float) -> Node:
        number = next(numbers)
        if model.is_fixed[number]:
            return known(value)
        return _Numbered(Kind.CONSTANT, str(number), value)

    return model.expression.fold(
        variable=lambda column: Node.variable(names[column]),
        constant=constant,
        one=Node.one(),
        apply=lambda row, operands: Node.operator(row.name, *operands),
    )


def _variants(node: Node, is_plausible: IsPlausible) -> Iterator[Node]:
    """The tree with one node replaced, for every node and every replacement."""
    yield from _replacements(node, is_plausible)
    for place, child in enumerate(node.children):
        for other in _variants(child, is_plausible):
            children = (*node.children[:place], other, *node.children[place + 1 :])
            yield Node.operator(node.name, *children)


def _replacements(node: Node, is_plausible: IsPlausible) -> Iterator[Node]:
    if isinstance(node, _Numbered):
        number = int(node.name)
        simple = (0.0, 1.0, -1.0, *(simple.value for simple in near(node.value)))
        yield from (known(value) for value in simple if is_plausible(number, value))
    elif node.name in ("add", "mul", "sub", "div"):
        left, right = node.children
        yield left
        if node.name in ("add", "mul"):
            yield right
        else:  # 0 − f and 1 / f
            yield Node.operator(node.name, known(0.0 if node.name == "sub" else 1.0), right)
        if node.name in ("add", "sub"):
            yield from complements(node)
    elif len(node.children) == 1:  # sin(c u) of a tiny c is nothing but c u
        yield node.children[0]
    elif node.name == "pow" and isinstance(node.children[0], _Numbered):
        yield from _exponentials(node.children[0], node.children[1], is_plausible)
    elif isinstance(node, Known) and abs(node.value) != 1.0:
        yield known(1.0)


def _exponentials(base: Node, exponent: Node, is_plausible: IsPlausible) -> Iterator[Node]:
    """c^f as exp(k * f) with a simple k near log(c): 0.606531^f is exp(-0.5 * f)."""
    if base.value <= 0.0:
        return
    number = int(base.name)
    inner_factor, rest = split_factor(exponent)
    rate = log(base.value) * inner_factor
    if rest is not exponent:  # c^(k * f) has a constant too many
        yield _exponential(Node.constant(rate), rest)
    simple = (1.0, -1.0, *(simple.value for simple in near(rate)))
    for value in simple:
        if is_plausible(number, _exp(value / inner_factor)):
            yield _exponential(known(value), rest)


def _exponential(rate: Node, rest: Node) -> Node:
    return Node.operator("exp", Node.operator("mul", rate, rest))


def _exp(value: float) -> float:
    return exp(value) if value < LARGEST_EXPONENT else inf
