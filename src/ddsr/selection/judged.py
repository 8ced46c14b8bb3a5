"""Measured candidates, and the comparison of two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddsr.expression import Expression
from ddsr.price.description_length import LEAST_STRENGTH
from ddsr.price.model import Model
from ddsr.search.front import FrontEntry
from ddsr.selection.guards.outliers import Outliers
from ddsr.selection.notation import rewritten

# With few rows, a constant may cost more than it explains, but no model may be worse than the mean of y.
MOST_NRMSE = 1.05
TIMES_BETTER_IF_IT_SWINGS = 1e20  # required reduction of the error: swinging models win only if all swing
LEAST_GAIN = 1e-6  # nats; smaller differences are rounding

IsAllowed = Callable[[Expression], bool]


@dataclass(frozen=True)
class Selected:
    """A candidate in its final form."""

    expression: Expression
    is_free: tuple[bool, ...]
    """whether each constant, breadth-first, is fitted instead of fixed at a simple number"""
    nrmse: float
    description_length: float
    """nats, up to a term that all candidates share"""
    is_finite_between_rows: bool = True
    """whether it has no pole among the rows and is defined where further rows may lie (`guards/domain.py`)"""

    @property
    def entry(self) -> FrontEntry:
        """The candidate as an entry of a front."""
        return FrontEntry(self.expression, self.nrmse, is_free=self.is_free, nats=self.description_length)


@dataclass(frozen=True)
class Judged:
    """A model with its measurements on all rows."""

    model: Model
    nrmse: float
    length: float
    information: NDArray[np.float64]
    is_finite_between_rows: bool
    n_rows: int
    outliers: Outliers
    is_audited: bool = False
    """whether the length includes the cost of unseen rows, and poles were checked"""
    swings: bool = False
    """whether it goes up and down between the rows"""

    @property
    def rank(self) -> float:
        """Length with penalties, in nats; lower is better.

        A model that is undefined between the rows wins only with half the error. One that swings between them
        wins only if it is exact, since some frequency fits any few rows.
        """
        if self.swings:
            return self.length + self.n_rows * log(TIMES_BETTER_IF_IT_SWINGS)
        return self.length + (0.0 if self.is_finite_between_rows else self.n_rows * log(2.0))

    @property
    def unit_uncertainty(self) -> NDArray[np.float64]:
        """Standard error of each constant, all fitted jointly, per unit of the mean residual."""
        n_constants = len(self.model.is_fixed)
        information = self.information[:n_constants, :n_constants]
        slope = np.sqrt(np.diagonal(information))
        is_steep = ~np.isfinite(slope)  # the smallest change of such a constant changes everything
        scale = np.where(is_steep | (slope <= 0.0), 1.0, slope)
        correlation = np.where(is_steep | is_steep[:, None], 0.0, information) / scale / scale[:, None]
        variance = np.diagonal(np.linalg.pinv(correlation, rcond=LEAST_STRENGTH, hermitian=True))
        return np.where(is_steep, 0.0, np.sqrt(np.maximum(variance, 0.0)) / scale)

    def selected(self, is_allowed: IsAllowed | None, is_hurried: bool = False) -> Selected:
        """Return the model in its final notation, or as it is if time is short."""
        model = self.model if is_hurried else rewritten(self.model, is_allowed)
        return Selected(model.expression, model.is_free, self.nrmse, self.length, self.is_finite_between_rows)


def rank_of(one: Judged) -> float:
    """Return `Judged.rank`, as a sort key."""
    return one.rank


def length_of(one: Judged) -> float:
    """Return `Judged.length`, as a sort key."""
    return one.length


def is_shorter(one: Judged, other: Judged) -> bool:
    """Return whether `one` is shorter, defined wherever `other` is, and not worse than the mean of y."""
    is_as_finite = one.is_finite_between_rows >= other.is_finite_between_rows
    is_of_use = one.nrmse <= max(MOST_NRMSE, other.nrmse)
    return is_as_finite and is_of_use and one.length < other.length - LEAST_GAIN


def best_of_each(models: Iterable[Judged], key: Callable[[Judged], Any] = rank_of) -> list[Judged]:
    """Return the best of the models that differ only in their free constants."""
    best: dict[object, Judged] = {}
    for one in models:
        known = best.setdefault(one.model.key, one)
        if key(one) < key(known):
            best[one.model.key] = one
    return list(best.values())
