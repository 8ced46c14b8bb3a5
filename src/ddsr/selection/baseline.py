"""What is known before any search: the simplest expressions, so that there is a model from the start."""

from __future__ import annotations

from collections.abc import Iterator

from ddsr.engine import Engine
from ddsr.expression import Expression, Node, Vocabulary
from ddsr.grammar import Grammar
from ddsr.selection.front import ParetoFront


def baseline(engine: Engine, grammar: Grammar) -> ParetoFront:
    """The front of a number alone and of each variable alone, scaled, and scaled and shifted.

    A number alone is there whatever the grammar says, since it always has a finite error; the others where
    the grammar allows them.
    """
    lines = [line for line in _lines(engine.vocabulary) if grammar.check(line.tokens) is None]
    known = [*_numbers(engine.vocabulary), *lines]
    return ParetoFront().merge(engine.score(known)) if known else ParetoFront()


def _numbers(vocabulary: Vocabulary) -> Iterator[Expression]:
    if vocabulary.has_one:
        yield Expression(vocabulary, [vocabulary.token("1")])
    if vocabulary.has_constant:
        yield Expression(vocabulary, [vocabulary.token("?")])


def _lines(vocabulary: Vocabulary) -> Iterator[Expression]:
    """x, c x and c x + d for each variable x, as far as there are such tokens."""
    has_scale = vocabulary.has_constant and "mul" in vocabulary.operators
    for name in vocabulary.variables:
        variable = Node.variable(name)
        yield Expression.from_tree(vocabulary, variable)
        if has_scale:
            scaled = Node.operator("mul", Node.constant(1.0), variable)
            yield Expression.from_tree(vocabulary, scaled)
            if "add" in vocabulary.operators:
                shifted = Node.operator("add", scaled, Node.constant(1.0))
                yield Expression.from_tree(vocabulary, shifted)
