"""Usual notation of equations that are chosen by their error alone.

The choice by description length fixes constants and writes the result itself. Here no constant changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ddsr.engine import Engine
from ddsr.expression import Expression
from ddsr.price.model import Model
from ddsr.price.rounding import is_lower
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.selection.notation import as_roots, spelled


def in_usual_notation(
    front: ParetoFront, engine: Engine, is_allowed: Callable[[Expression], bool]
) -> ParetoFront:
    """Return the front with each equation simplified and in usual notation, if that keeps its values.

    Notation as long as the next equation is not used. An equation that becomes shorter replaces those that
    are no shorter and less accurate.
    """
    signs = engine.positive_variables, engine.nonnegative_variables
    entries: list[FrontEntry] = []
    following = [entry.size for entry in front][1:] + [np.inf]
    for entry, most in zip(front, following, strict=True):
        simpler = as_roots(entry.expression.simplified(*signs), *signs)
        other = spelled(Model.free(simpler), is_allowed).expression
        is_new = other != entry.expression and len(other) < most and is_allowed(other)
        if is_new and _has_same_error(other, entry, engine):
            entry = replace(entry, expression=other)
        while entries and entries[-1].size >= entry.size:
            entries.pop()
        entries.append(entry)
    return ParetoFront(tuple(entries))


def _has_same_error(other: Expression, entry: FrontEntry, engine: Engine) -> bool:
    is_fixed = np.ones((1, other.n_constants), dtype=bool)
    nrmse = float(engine.refit([other], is_fixed, max_steps=0).nrmse[0])
    return not is_lower(entry.nrmse, nrmse)
