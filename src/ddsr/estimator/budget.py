"""The budget of a search: limits on time, epochs, evaluations and patience."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from ddsr.config import DefaultConfig, SearchConfig
from ddsr.data.checks import check_whole
from ddsr.deadline import NEVER, Deadline, MovableDeadline
from ddsr.engine import Engine
from ddsr.errors import MethodError
from ddsr.estimator.choice_budget import reserve
from ddsr.estimator.goal import Goal
from ddsr.estimator.progress import Progress
from ddsr.price.rounding import EXACT
from ddsr.search.front import ParetoFront
from ddsr.selection.refitting import seconds_to_refit


@dataclass(frozen=True)
class Budget:
    """When to stop a search that would otherwise continue for ever."""

    max_epochs: float
    max_evaluations: float
    patience: float
    end: Deadline = NEVER
    """end of the fit, including the choice"""
    deadline: Deadline = NEVER
    """end of the search; the time from then to `end` is for the choice"""
    exact: float = EXACT
    """NRMSE below which there is nothing left to find"""
    goal: Goal | None = None
    """what an equation must meet for the search to end"""

    @classmethod
    def of(
        cls,
        config: SearchConfig,
        max_time: float | None,
        max_epochs: int | None,
        started: float,
        stop_at: str | None = None,
    ) -> Budget:
        """Check and combine the limits; `started` is on the monotonic clock."""
        seconds = None if max_time is None else _seconds(max_time)
        if max_epochs is not None:
            n_epochs: float = check_whole(max_epochs, "max_epochs", least=1)
        else:
            n_epochs = config.n_epochs if max_time is None else np.inf
        end = NEVER if seconds is None else Deadline(started + seconds)
        exact = max(EXACT, config.evolution.exact) if isinstance(config, DefaultConfig) else EXACT
        max_evaluations, patience = config.max_evaluations or np.inf, config.patience or np.inf
        return cls(n_epochs, max_evaluations, patience, end, end, exact, Goal.of(stop_at))

    def next_of(self, n_fits: int, *, shortens: bool) -> Budget:
        """Return the budget of the next of `n_fits` fits, which share the time that is left."""
        if self.end == NEVER:
            return self
        seconds = self.end.seconds_left / n_fits
        end = self.end if n_fits == 1 else Deadline(time.monotonic() + seconds)
        if shortens:
            return replace(self, end=end, deadline=MovableDeadline(end.at - reserve(seconds)))
        return replace(self, end=end, deadline=Deadline(end.at - seconds_to_refit(seconds)))

    def spent(self, progress: Progress, engine: Engine) -> str | None:
        """Return the limit that ends a search now; None if it continues."""
        if any(entry.is_exact(self.exact, engine.n_observed) for entry in progress.front):
            return "exact"
        if self._is_goal_met(progress.front, engine):
            return "stop_at"
        if progress.n_epochs >= self.max_epochs:
            return "max_epochs"
        if progress.n_scored >= self.max_evaluations:
            return "max_evaluations"
        if progress.n_idle_epochs >= self.patience:
            return "no_progress"
        return "max_time" if self.deadline.has_passed else None

    def _is_goal_met(self, front: ParetoFront, engine: Engine) -> bool:
        goal, mean_loss = self.goal, engine.dataset.loss.mean
        return goal is not None and any(
            goal.is_met(size=entry.size, r2=1.0 - entry.nrmse**2, loss=mean_loss(entry.nrmse * engine.spread))
            for entry in front
        )


def _seconds(max_time: object) -> float:
    is_number = isinstance(max_time, (int, float, np.integer, np.floating)) and not isinstance(max_time, bool)
    try:
        seconds = float(max_time) if is_number else -1.0  # type: ignore[arg-type]
    except OverflowError:
        raise MethodError("max_time exceeds double precision: use None for no limit") from None
    if not seconds > 0:
        raise MethodError(f"max_time must be a number of seconds above 0, or None, got {max_time!r}")
    return seconds
