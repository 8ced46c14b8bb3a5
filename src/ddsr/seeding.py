"""Expressions that a search starts from: guesses and earlier equations, fitted before the search."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ddsr.deadline import NEVER, Deadline
from ddsr.engine import FitOptions
from ddsr.expression import Expression, unscaled
from ddsr.grammar import Grammar
from ddsr.problem import Problem

# How thoroughly guesses are fitted: they are few, and where their constants start may be unknown.
GUESS_STEPS, GUESS_STARTS = 50, 8
# Guesses fitted between two looks at the clock, and the part of the time limit that they may take.
N_AT_ONCE = 16
SHARE_OF_TIME = 0.3


def seeded(problem: Problem, seeds: Sequence[Expression], deadline: Deadline = NEVER) -> Problem:
    """Return the problem with these to start from; what they reach is known before the search.

    Those that there is no time to fit are scored as they are written.
    """
    if not seeds:
        return problem
    options = replace(problem.engine.options, max_steps=GUESS_STEPS, n_starts=GUESS_STARTS)
    found: list[Expression] = []
    while len(found) < len(seeds) and not (found and deadline.has_passed):
        found += _fitted(seeds[len(found) : len(found) + N_AT_ONCE], problem, options, deadline)
    if deadline.has_passed:
        options = replace(problem.engine.options, max_steps=0, n_starts=1)
    scores = problem.engine.score([*found, *seeds[len(found) :]], options=options)
    return replace(problem, seeds=scores, front=problem.front.merge(scores))


def time_for_seeds(end: Deadline, n_fits: int) -> Deadline:
    """Return when the guesses of one of `n_fits` fits have to be fitted, all of which end at `end`."""
    return NEVER if end == NEVER else Deadline(time.monotonic() + SHARE_OF_TIME * end.seconds_left / n_fits)


def _fitted(
    seeds: Sequence[Expression], problem: Problem, options: FitOptions, deadline: Deadline
) -> list[Expression]:
    """Each with its own constants or with another scale and offset, whichever fits better."""
    engine = problem.engine
    if not options.is_scale_free:  # without a time limit they are fitted all at once in the end
        return list(seeds if deadline == NEVER else engine.score(seeds, options=options).batch)
    scores = engine.score(seeds, options=options)
    # As it is written it has its own scale, and with another one beside it a fit can lose its way.
    written = engine.score(seeds, options=replace(options, is_scale_free=False))
    is_written = np.asarray(written.nrmse < scores.nrmse)
    pairs = zip(written.batch, scores.batch, is_written, strict=True)
    return [_bare(own if is_better else free, problem.grammar) for own, free, is_better in pairs]


def _bare(seed: Expression, grammar: Grammar) -> Expression:
    """Without constants that do no more than scale and shift it, which are fitted anyway."""
    core = unscaled(seed.simplified())
    return core if grammar.check(core.tokens) is None else seed
