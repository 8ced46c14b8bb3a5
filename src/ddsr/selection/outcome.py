"""The result of a fit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ddsr.data.losses import SQUARED, Loss
from ddsr.engine import Floats
from ddsr.learning.curves import EpochStats
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.selection.legible import with_precision
from ddsr.selection.posterior import Form


@dataclass(frozen=True)
class Outcome:
    """Result of a fit, without its data: all that the estimator keeps."""

    front: ParetoFront
    best: FrontEntry
    """one of the entries of the front"""
    curves: tuple[EpochStats, ...]
    stopped_by: str
    spread: float
    """σ_y"""
    n_counted: int
    """see `Engine.n_counted`"""
    information: tuple[Floats | None, ...]
    """`Scores.information` of each equation; None if not measured"""
    n_epochs: int
    every: int = 1
    """the curves hold the first of every `every` epochs"""
    n_observed: int | None = None
    """see `Engine.n_observed`; None in models of earlier versions, which have only `n_counted`"""
    noise: str = "constant"
    """kind of the errors, see `Problem`"""
    forms: tuple[Form, ...] = ()
    """likeliest forms with their weights; empty if the choice is not by description length"""
    size_of_y: float = 1.0
    """size of y at which relative errors equal the loss; 1 for constant errors"""
    loss: Loss = SQUARED

    def __post_init__(self) -> None:
        """Give each equation the digits that it needs."""
        entries = tuple(
            with_precision(entry, information, self.spread)
            for entry, information in zip(self.front, self.information, strict=True)
        )
        forms = tuple(
            replace(form, entry=with_precision(form.entry, form.information, self.spread))
            for form in self.forms
        )
        best = entries[self.front.entries.index(self.best)]
        for name, value in (("front", ParetoFront(entries)), ("best", best), ("forms", forms)):
            object.__setattr__(self, name, value)

    @property
    def chosen(self) -> int:
        """Row of the front with the equation that predicts."""
        return self.front.entries.index(self.best)

    @property
    def weight_left(self) -> float:
        """Total weight of forms that are not kept; 0 if forms have no weights."""
        return max(0.0, 1.0 - sum(form.weight for form in self.forms)) if self.forms else 0.0
