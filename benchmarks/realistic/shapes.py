"""Whether an equation has the form of a law: whether it fits the law once its numbers are free."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks.realistic.tables import Floats
from ddsr import Engine, Expression
from ddsr.price.structure_code import describe, n_fitted
from ddsr.selection.posterior import structural_constants

MOST_ERROR_OF_FORM = 0.002  # of the spread of the law, with all numbers fitted to it
MOST_EXCESS_CONSTANTS = 1
STEPS = 300


@dataclass(frozen=True, eq=False)
class Shape:
    """A law with its constants, and rows over the range in which it is compared."""

    law: Expression
    X: Floats

    @cached_property
    def values(self) -> Floats:
        """The values of the law without noise."""
        with np.errstate(all="ignore"):
            return np.asarray(self.law.to_callable()(self.X), dtype=np.float64)

    @property
    def is_finite(self) -> bool:
        """Whether the law has a value in all rows."""
        return bool(np.isfinite(self.values).all())

    @cached_property
    def engine(self) -> Engine:
        """An engine with the values of the law as its data."""
        return Engine(self.law.vocabulary, self.X, self.values)


def has_form(shape: Shape, answer: Expression) -> bool:
    """Whether the answer fits the law once its numbers are fitted to it, without too many of them.

    If it does not, integer exponents are fitted as well, and are then counted in both.
    """
    n_excess = n_numbers(answer) - n_numbers(shape.law)
    if n_excess <= MOST_EXCESS_CONSTANTS and fit_freed(shape.engine, answer)[1] <= MOST_ERROR_OF_FORM:
        return True
    n_excess = n_numbers(answer, is_every=True) - n_numbers(shape.law, is_every=True)
    return n_excess <= MOST_EXCESS_CONSTANTS and error_of_all(shape, answer) <= MOST_ERROR_OF_FORM


def error_of_all(shape: Shape, answer: Expression) -> float:
    """NRMSE of the answer against the law, with all its numbers fitted."""
    return float(shape.engine.refit([answer], max_steps=STEPS).nrmse[0])


def fit_freed(engine: Engine, answer: Expression) -> tuple[Expression, float]:
    """The answer with its numbers fitted, except those that belong to its form, and its NRMSE."""
    is_fixed = np.array([structural_constants(answer)], dtype=bool)
    scores = engine.refit([answer], is_fixed, max_steps=STEPS)
    return scores.batch[0], float(scores.nrmse[0])


def n_numbers(expression: Expression, is_every: bool = False) -> int:
    """Number of constants, those of one product or sum counted as one.

    Integer exponents and the literal 1 count only if `is_every`.
    """
    is_free = [is_every or not is_part for is_part in structural_constants(expression)]
    return n_fitted(describe([expression], [is_free])[0])
