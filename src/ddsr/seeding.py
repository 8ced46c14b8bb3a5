"""Expressions to start from, fitted before the search: guesses, and equations of an earlier fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ddsr.engine import Scores
from ddsr.expression import Expression, unscaled
from ddsr.grammar import Grammar
from ddsr.problem import Problem
from ddsr.selection import FrontEntry, ParetoFront, PreciseLength
from ddsr.selection.front import ROUNDING_OF_ERROR
from ddsr.selection.model import Model
from ddsr.selection.spelling import spelled

# How thoroughly they are fitted: they are few, and where their constants start may be unknown.
GUESS_STEPS, GUESS_STARTS = 50, 8


def seeded(problem: Problem, seeds: Sequence[Expression] = ()) -> Problem:
    """The problem with its guesses and these to start from; what they reach is known before the search."""
    seeds = [*problem.guesses, *seeds]
    if not seeds:
        return problem
    engine, lister = problem.engine, problem.lister
    options = replace(engine.options, max_steps=GUESS_STEPS, n_starts=GUESS_STARTS)
    written = engine.score(seeds, options=replace(options, is_scale_free=False))
    scores = _with_free_scale(problem, seeds, written) if options.is_scale_free else written
    front = lister.enter(problem.front, lister.entries(written))
    guessed = tuple(lister.entries(written, range(len(problem.guesses))))
    return replace(problem, seeds=scores, front=lister.merge(front, scores), guessed=guessed)


def _with_free_scale(problem: Problem, seeds: Sequence[Expression], written: Scores) -> Scores:
    """As the search fits them: as they are written they have their own scale, and a second one misleads."""
    engine = problem.engine
    options = replace(engine.options, max_steps=GUESS_STEPS, n_starts=GUESS_STARTS)
    scores = engine.score(seeds, options=options)
    is_written = written.nrmse < scores.nrmse
    pairs = zip(written.batch, scores.batch, is_written, strict=True)
    found = [_bare(own if is_better else free, problem.grammar) for own, free, is_better in pairs]
    return engine.score(found, options=options)


def _bare(seed: Expression, grammar: Grammar) -> Expression:
    """Without constants that do no more than scale and shift it, which are fitted anyway."""
    core = unscaled(seed.simplified())
    return core if grammar.check(core.tokens) is None else seed


def with_guesses(front: ParetoFront, best: FrontEntry, problem: Problem) -> ParetoFront:
    """A front with each guess, unless an entry that is no larger has no larger error; the choice stays."""
    entries = list(front)
    for guess in problem.guessed:
        bar = (1.0 + ROUNDING_OF_ERROR) * guess.nrmse
        if any(entry.size <= guess.size and entry.nrmse <= bar for entry in entries):
            continue
        beaten = [entry for entry in entries if entry.size >= guess.size and entry.nrmse >= guess.nrmse]
        entries = [entry for entry in entries if entry is best or entry not in beaten]
        entries.append(_measured(guess, problem))
    return ParetoFront(tuple(sorted(entries, key=lambda entry: (entry.size, entry.nrmse))))


def _measured(guess: FrontEntry, problem: Problem) -> FrontEntry:
    """With a description length that compares with those of the selected entries, written as they are."""
    scores = problem.engine.refit([guess.expression], max_steps=0)
    if scores.information is None or not np.isfinite(scores.nrmse[0]):
        return guess
    model = Model.free(guess.expression)
    nats = PreciseLength.on(problem.engine)(model, guess.nrmse, scores.information[0])
    written = spelled(model, problem.lister.listing.allows)
    if len(written.expression) == guess.size:
        model = written
    is_free = tuple(not is_fixed for is_fixed in model.is_fixed)
    return FrontEntry(model.expression, guess.nrmse, is_free=is_free, nats=nats)
