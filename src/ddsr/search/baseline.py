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
from ddsr.search.monomials import monomials

PLAIN = FitOptions(max_steps=20, tolerance=1e-10)
# Lengths of the random equations that are drawn if the rules refuse the simplest ones, and draws per length.
FIRST_LENGTHS, N_DRAWN = (1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33), 500

# Constants for expressions that are undefined with the usual ones: expressions, draws for each, their range
# of sizes as powers of 10, and the number of the best that are fitted.
MOST_STARTED, N_STARTS, LARGEST_POWER, N_BEST_STARTS = 20, 200, 3.0, 20


def baseline(engine: Engine, grammar: Grammar) -> ParetoFront:
    """Return the front of constants, and of each variable alone, scaled, and scaled and shifted.

    If the rules allow none of these, short random expressions that the grammar allows replace them. Raises
    `GrammarError` if none of them is finite on the data.
    """
    lister, vocabulary, front = Lister.of(engine, grammar), engine.vocabulary, ParetoFront()
    units = engine.dataset.units
    if units is not None and (products := monomials(grammar, units)):
        front = lister.merge(front, engine.score(products))
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
    drawn = list(_drawn(grammar, engine.seed))
    for shortest in drawn:
        front = lister.enter(front, lister.entries(engine.score(shortest, options=PLAIN)))
        if len(front):
            return front
    for shortest in drawn:
        started = _with_finite_starts(shortest, engine)
        if started:
            scores = engine.refit(started, max_steps=PLAIN.max_steps, tolerance=PLAIN.tolerance)
            front = lister.enter(front, lister.entries(scores))
            if len(front):
                return front
    if vocabulary.constant is not None and engine.limits is not None:
        zero = Expression(vocabulary, [vocabulary.constant], [0.0])
        scores = engine.refit([zero], max_steps=0)  # the only number that is 0 where an equation must be
        if np.isfinite(scores.nrmse[0]) and lister.listing.allows(zero):
            return lister.enter(front, lister.entries(scores))
    if units is not None:
        raise GrammarError(
            f"no simple equation of at most {grammar.max_length} tokens with the operators "
            f"{', '.join(vocabulary.operators)} has the unit {str(units.target)!r} of y: allow more "
            "operators, longer equations or other rules, or a constant with a unit (unit_constants=1)"
        )
    raise GrammarError(
        "no expression that the template and the rules allow has a finite value on every row: the constants "
        "may have no values for which every root and logarithm is defined"
        + ("" if engine.limits is None else ", or the rules may contradict the data")
    )


def _with_finite_starts(batch: Batch, engine: Engine) -> list[Expression]:
    """Return expressions with constants, drawn at many scales, for which all rows have a finite value."""
    random = np.random.default_rng(engine.seed)
    distinct = list({expression.tokens: expression for expression in batch}.values())[:MOST_STARTED]
    tried: list[Expression] = []
    for expression in distinct:
        n = expression.n_constants
        sizes = 10.0 ** random.uniform(-LARGEST_POWER, LARGEST_POWER, (N_STARTS, n))
        signs = random.choice((-1.0, 1.0), (N_STARTS, n))
        tried += [expression.with_constants(each) for each in (signs * sizes).tolist()]
    is_fixed = np.ones((len(tried), max((each.n_constants for each in tried), default=0)), dtype=bool)
    nrmse = engine.refit(tried, is_fixed, max_steps=0).nrmse
    order = np.argsort(nrmse, kind="stable")[:N_BEST_STARTS]
    return [tried[row] for row in order.tolist() if np.isfinite(nrmse[row])]


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
            short = Grammar(grammar.vocabulary, length, grammar.max_constants, grammar.rules, grammar.units)
        except GrammarError:  # no expression this short obeys the rules
            continue
        yield Batch.from_tokens(grammar.vocabulary, short.sample(N_DRAWN, seed))
