"""Usual notation of equations that are chosen by their error alone.

The choice by description length fixes constants and writes the result itself. Here only constants that are
whole numbers up to rounding become whole: an exponent of 1.000000000005 would be printed as `^1.0`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ddsr.engine import Engine
from ddsr.expression import Expression
from ddsr.price.model import Model, with_fixed_exponents
from ddsr.price.rounding import SAME_FUNCTION, is_lower
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.selection.notation import as_roots, rewritten

# Steps to refit the other constants after some became whole numbers. They are nearly right.
MAX_STEPS = 30


def in_usual_notation(
    front: ParetoFront, engine: Engine, is_allowed: Callable[[Expression], bool]
) -> ParetoFront:
    """Return the front with each equation simplified and in usual notation, if that keeps its error.

    Notation as long as the next equation is not used. An equation that becomes shorter replaces those that
    are no shorter and less accurate.
    """
    signs = engine.positive_variables, engine.nonnegative_variables
    entries: list[FrontEntry] = []
    following = [entry.size for entry in front][1:] + [np.inf]
    for entry, most in zip(front, following, strict=True):
        entry = _with_whole_numbers(entry, engine)
        simpler = as_roots(entry.expression.simplified(*signs), *signs)
        other = rewritten(Model.free(simpler), is_allowed).expression
        is_new = other != entry.expression and len(other) < most and is_allowed(other)
        if is_new and _has_same_error(other, entry, engine):
            entry = replace(entry, expression=other)
        while entries and entries[-1].size >= entry.size:
            entries.pop()
        entries.append(entry)
    return ParetoFront(tuple(_with_fixed_exponents(entry, engine) for entry in entries))


def _with_fixed_exponents(entry: FrontEntry, engine: Engine) -> FrontEntry:
    """Mark the constants of an equation that belong to the structure because of units or rules."""
    if entry.is_free is not None:
        return entry
    model = with_fixed_exponents([Model.free(entry.equation)], engine)[0]
    return replace(entry, is_free=model.is_free) if any(model.is_fixed) else entry


def _with_whole_numbers(entry: FrontEntry, engine: Engine) -> FrontEntry:
    """Return the entry with constants that are nearly whole numbers made whole, if that keeps its error."""
    constants = np.asarray(entry.expression.constants)
    whole = np.round(constants)
    is_nearly_whole = (whole != 0.0) & (np.abs(constants - whole) <= SAME_FUNCTION * np.abs(whole))
    if not (is_nearly_whole & (constants != whole)).any():
        return entry
    rounded = Expression(
        entry.expression.vocabulary,
        entry.expression.tokens,
        np.where(is_nearly_whole, whole, constants).tolist(),
    )
    scores = engine.refit([rounded], is_nearly_whole[None, :], max_steps=MAX_STEPS)
    nrmse = float(scores.nrmse[0])
    return entry if is_lower(entry.nrmse, nrmse) else replace(entry, expression=scores.batch[0], nrmse=nrmse)


def _has_same_error(other: Expression, entry: FrontEntry, engine: Engine) -> bool:
    is_fixed = np.ones((1, other.n_constants), dtype=bool)
    nrmse = float(engine.refit([other], is_fixed, max_steps=0).nrmse[0])
    return not is_lower(entry.nrmse, nrmse)
