"""What is known before any search: the simplest equations, so that there is a model from the start."""

from __future__ import annotations

from collections.abc import Iterator

from ddsr.engine import Engine, FitOptions
from ddsr.errors import GrammarError
from ddsr.expression import Batch, Expression, Node, Vocabulary
from ddsr.grammar import Grammar
from ddsr.selection.front import ParetoFront
from ddsr.selection.lister import Lister

PLAIN = FitOptions(max_steps=20, tolerance=1e-10)
# Where rules refuse all of the simplest equations: lengths of expressions to draw instead, and draws of each.
FIRST_LENGTHS, N_DRAWN = (1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33), 500


def baseline(engine: Engine, grammar: Grammar) -> ParetoFront:
    """The front of a number alone and of each variable alone, scaled, and scaled and shifted.

    Those that may not be listed are left out. Where none may, the shortest expressions that the grammar
    allows stand in for them. Raises `GrammarError` where none of these is finite on the data.
    """
    lister, front = Lister.of(engine, grammar), ParetoFront()
    numbers = [each for each in _numbers(engine.vocabulary) if lister.listing.allows(each)]
    lines = [line for line in _lines(engine) if grammar.check(line.tokens) is None]
    if numbers:
        front = lister.enter(front, lister.entries(engine.score(numbers)))
    if lines:
        front = lister.merge(front, engine.score(lines))
    if len(front):
        return front
    for shortest in _drawn(grammar, engine.seed):
        front = lister.enter(front, lister.entries(engine.score(shortest, options=PLAIN)))
        if len(front):
            return front
    raise GrammarError("no expression that obeys the rules has a finite value on every row of the data")


def _numbers(vocabulary: Vocabulary) -> Iterator[Expression]:
    if vocabulary.has_one:
        yield Expression(vocabulary, [vocabulary.token("1")])
    if vocabulary.has_constant:
        yield Expression(vocabulary, [vocabulary.token("?")])


def _lines(engine: Engine) -> Iterator[Expression]:
    """x, c x and c x + d for each variable x, as far as there are such tokens; x alone with a free scale."""
    vocabulary = engine.vocabulary
    has_scale = vocabulary.has_constant and "mul" in vocabulary.operators
    for name in vocabulary.variables:
        variable = Node.variable(name)
        yield Expression.from_tree(vocabulary, variable)
        if has_scale and not engine.options.is_scale_free:
            scaled = Node.operator("mul", Node.constant(1.0), variable)
            yield Expression.from_tree(vocabulary, scaled)
            if "add" in vocabulary.operators:
                shifted = Node.operator("add", scaled, Node.constant(1.0))
                yield Expression.from_tree(vocabulary, shifted)


def _drawn(grammar: Grammar, seed: int) -> Iterator[Batch]:
    """Random expressions that obey the grammar, of few tokens first."""
    lengths = [length for length in FIRST_LENGTHS if length < grammar.max_length]
    for length in (*lengths, grammar.max_length):
        try:
            short = Grammar(grammar.vocabulary, length, grammar.max_constants, grammar.rules)
        except GrammarError:  # so few tokens do not make an expression that obeys
            continue
        yield Batch.from_tokens(grammar.vocabulary, short.sample(N_DRAWN, seed))
