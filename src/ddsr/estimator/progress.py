"""Progress of a search: its front, candidates and learning curves."""

from __future__ import annotations

from dataclasses import dataclass, field

from ddsr.learning.curves import EpochStats, restored_curves, saved_curves
from ddsr.search.front import FrontEntry, ParetoFront, restored_entries, saved_entries
from ddsr.search.loop import SearchState
from ddsr.search.problem import Problem
from ddsr.storage.saved import Saved, whole

# In log(NRMSE), summed over sizes; smaller gains are rounding.
LEAST_GAIN = 1e-6


@dataclass
class Progress:
    """The results of a search so far."""

    front: ParetoFront
    contenders: tuple[FrontEntry, ...] = ()
    """see `SearchState`"""
    curves: list[EpochStats] = field(default_factory=list)
    n_scored: int = 0
    n_idle_epochs: int = 0
    """number of epochs since the front last improved"""
    stopped_by: str = "interrupt"

    @property
    def n_epochs(self) -> int:
        """Number of epochs so far."""
        return len(self.curves)

    @property
    def seconds_searched(self) -> float:
        """Duration of all epochs."""
        return sum(sum(epoch.seconds.values()) for epoch in self.curves)

    def take(self, state: SearchState) -> None:
        """Update the progress with the state after an epoch."""
        is_better = state.front.gain_over(self.front) > LEAST_GAIN
        self.n_idle_epochs = 0 if is_better else self.n_idle_epochs + 1
        self.front, self.contenders, self.n_scored = state.front, state.contenders, state.n_scored
        self.curves.append(state.stats)

    def saved(self) -> Saved:
        """Return everything except what stopped the search, since it will be resumed."""
        return {
            "front": self.front.saved(),
            "contenders": saved_entries(self.contenders),
            "curves": saved_curves(self.curves),
            "n_scored": self.n_scored,
            "n_idle_epochs": self.n_idle_epochs,
        }

    @classmethod
    def restored(cls, saved: Saved, problem: Problem) -> Progress:
        """Restore a saved progress."""
        vocabulary = problem.engine.vocabulary
        front, curves = ParetoFront.restored(saved["front"], vocabulary), restored_curves(saved["curves"])
        front = problem.lister.relisted(front, problem.front)
        contenders = restored_entries(saved["contenders"], vocabulary)
        return cls(front, contenders, curves, whole(saved, "n_scored"), whole(saved, "n_idle_epochs"))
