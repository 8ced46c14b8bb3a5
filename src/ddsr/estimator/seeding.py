"""Starting expressions, fitted before the search: guesses, and equations of an earlier fit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ddsr.deadline import NEVER, Deadline
from ddsr.engine import FitOptions
from ddsr.errors import DataError
from ddsr.expression import Expression, Vocabulary, unscaled
from ddsr.grammar import Grammar
from ddsr.price.description_length import DescriptionLength
from ddsr.price.model import Model, with_fixed_exponents
from ddsr.price.rounding import SAME_ERROR
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.search.problem import Problem
from ddsr.selection.notation import rewritten

# Guesses are fitted thoroughly: there are few, and starting values of their constants may be unknown.
GUESS_STEPS, GUESS_STARTS = 50, 8
# Number of guesses fitted between checks of the clock, and their maximum share of the time limit.
N_AT_ONCE = 16
SHARE_OF_TIME = 0.3


def seeded(problem: Problem, seeds: Sequence[Expression] = (), deadline: Deadline = NEVER) -> Problem:
    """Return the problem with its guesses and `seeds` as scored starting points.

    Those that are not fitted before the deadline are scored as they are written.
    """
    seeds = [*problem.guesses, *seeds]
    if not seeds:
        return problem
    engine, lister = problem.engine, problem.lister
    options = replace(engine.options, max_steps=GUESS_STEPS, n_starts=GUESS_STARTS)
    written: list[Expression] = []
    found: list[Expression] = []
    while len(found) < len(seeds) and not (found and deadline.has_passed):
        some = seeds[len(found) : len(found) + N_AT_ONCE]
        own, best = _fitted(some, problem, options)
        written += own
        found += best
    left = seeds[len(found) :]
    as_they_are = replace(options, max_steps=0, n_starts=1)
    own_scores = engine.score([*written, *left], options=replace(as_they_are, is_scale_free=False))
    scores = engine.score([*found, *left], options=as_they_are if deadline.has_passed else options)
    front = lister.enter(problem.front, lister.entries(own_scores))
    guessed = tuple(lister.entries(own_scores, range(len(problem.guesses))))
    return replace(
        problem, starting_points=scores, front=lister.merge(front, scores, deadline=deadline), guessed=guessed
    )


def time_for_seeds(end: Deadline, n_fits: int) -> Deadline:
    """Return the deadline for the guesses of one of `n_fits` fits, all of which end at `end`."""
    return NEVER if end == NEVER else Deadline(time.monotonic() + SHARE_OF_TIME * end.seconds_left / n_fits)


def _fitted(
    seeds: Sequence[Expression], problem: Problem, options: FitOptions
) -> tuple[list[Expression], list[Expression]]:
    """Return the seeds fitted as written, and fitted with a free scale and offset if the search has those."""
    engine = problem.engine
    written = engine.score(seeds, options=replace(options, is_scale_free=False))
    if not options.is_scale_free:
        return list(written.batch), list(written.batch)
    scores = engine.score(seeds, options=options)
    # A seed as written has its own scale; a second, free one may lead the fit astray.
    is_written = written.nrmse < scores.nrmse
    pairs = zip(written.batch, scores.batch, is_written, strict=True)
    best = [_bare(own if is_better else free, problem.grammar) for own, free, is_better in pairs]
    return list(written.batch), best


def _bare(seed: Expression, grammar: Grammar) -> Expression:
    """Return the seed without constants that only scale and shift it, since the search fits these anyway."""
    core = unscaled(seed.simplified())
    return core if grammar.check(core.tokens, core.constants) is None else seed


def with_guesses(front: ParetoFront, best: FrontEntry, problem: Problem) -> ParetoFront:
    """Return the front with each guess that no entry beats in both size and error; the choice stays."""
    entries = list(front)
    for guess in problem.guessed:
        bar = (1.0 + SAME_ERROR) * guess.nrmse
        if any(entry.size <= guess.size and entry.nrmse <= bar for entry in entries):
            continue
        beaten = [entry for entry in entries if entry.size >= guess.size and entry.nrmse >= guess.nrmse]
        entries = [entry for entry in entries if entry is best or entry not in beaten]
        entries.append(_measured(guess, problem))
    return ParetoFront(tuple(sorted(entries, key=lambda entry: (entry.size, entry.nrmse))))


def _measured(guess: FrontEntry, problem: Problem) -> FrontEntry:
    """Return the guess with a description length comparable to those of the selected entries."""
    scores = problem.engine.refit([guess.expression], max_steps=0)
    if scores.information is None or not np.isfinite(scores.nrmse[0]):
        return guess
    model = with_fixed_exponents([Model.free(guess.expression)], problem.engine)[0]
    nats = DescriptionLength.on(problem.engine)(model, guess.nrmse, scores.information[0])
    written = rewritten(model, problem.lister.listing.allows)
    if len(written.expression) == guess.size:
        model = written
    return FrontEntry(model.expression, guess.nrmse, is_free=model.is_free, nats=nats)


def check_same_columns(before: Sequence[ParetoFront], vocabulary: Vocabulary, n_outputs: int) -> None:
    """Refuse to continue a fit with different columns."""
    if not before:
        return
    variables = before[0].entries[0].expression.vocabulary.variables
    if variables != vocabulary.variables or len(before) != n_outputs:
        raise DataError(
            f"warm_start needs the columns of the last fit, {', '.join(variables)}, and {len(before)} "
            "output(s). For other data, set warm_start=False or fit a clone."
        )
