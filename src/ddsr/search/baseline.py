"""The baseline: the simplest equations, so that there is a model before the search begins."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import Engine, FitOptions
from ddsr.errors import GrammarError
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.grammar import Grammar
from ddsr.search.front import ParetoFront
from ddsr.search.lister import Lister

PLAIN = FitOptions(max_steps=20, tolerance=1e-10)
# Lengths of the random equations that are drawn if the rules refuse the simplest ones, and draws per length.
FIRST_LENGTHS, N_DRAWN = (1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33), 500


def baseline(engine: Engine, grammar: Grammar) -> ParetoFront:
    """Return the front of constants, and of each variable alone, scaled, and scaled and shifted.

    If the rules allow none of these, short random expressions that the grammar allows replace them. Raises
    `GrammarError` if none of them is finite on the data.
    """
    lister, vocabulary, front = Lister.of(engine, grammar), engine.vocabulary, ParetoFront()
    numbers = [each for each in _numbers(vocabulary) if lister.listing.allows(each)]
    # all variables at once: there may be thousands
    lines = [each[grammar.is_legal(each, engine.n_threads)] for each in _lines(engine)]
    batches = [Batch.from_tokens(vocabulary, each) for each in lines if len(each)]
    if numbers:
        front = lister.enter(front, lister.entries(engine.score(numbers)))
    if batches:
        front = lister.merge(front, engine.score(Batch.joined(batches)))
    if len(front):
        return front
    for shortest in _drawn(grammar, engine.seed):
        front = lister.enter(front, lister.entries(engine.score(shortest, options=PLAIN)))
        if len(front):
            return front
    raise GrammarError("no expression that obeys the rules has a finite value on every row of the data")


def _numbers(vocabulary: Vocabulary) -> Iterator[Expression]:
    """Yield 1 and c, if the vocabulary has them."""
    for token in (vocabulary.one, vocabulary.constant):
        if token is not None:
            yield Expression(vocabulary, [token])


def _lines(engine: Engine) -> Iterator[NDArray[np.int16]]:
    """Yield x, c x and c x + d for all variables x, if the vocabulary has the tokens: (variables, tokens).

    With a free scale and offset, x alone covers all three.
    """
    vocabulary = engine.vocabulary
    variables = vocabulary.first_variable + np.arange(len(vocabulary.variables), dtype=np.int16)
    forms: list[list[str]] = [[]]  # tokens before the variable, breadth-first
    if vocabulary.has_constant and "mul" in vocabulary.operators and not engine.options.is_scale_free:
        forms.append(["mul", "?"])
        if "add" in vocabulary.operators:
            forms.append(["add", "mul", "?", "?"])
    for form in forms:
        before = np.array([vocabulary.token(name) for name in form], dtype=np.int16)
        yield np.column_stack([np.tile(before, (len(variables), 1)), variables])


def _drawn(grammar: Grammar, seed: int) -> Iterator[Batch]:
    """Draw random expressions that obey the grammar, short ones first."""
    lengths = [length for length in FIRST_LENGTHS if length < grammar.max_length]
    for length in (*lengths, grammar.max_length):
        try:
            short = Grammar(grammar.vocabulary, length, grammar.max_constants, grammar.rules)
        except GrammarError:  # no expression this short obeys the rules
            continue
        yield Batch.from_tokens(grammar.vocabulary, short.sample(N_DRAWN, seed))
