"""The fit of one target: a search within a budget, and then the choice of an equation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Protocol

import numpy as np

from ddsr.config import DefaultConfig, SearchConfig
from ddsr.data import check_whole
from ddsr.deadline import NEVER, Deadline
from ddsr.errors import MethodError
from ddsr.expression import Expression, Vocabulary
from ddsr.grammar import Grammar, Rule
from ddsr.learning.curves import EpochStats, restored_curves, saved_curves
from ddsr.methods import Problem
from ddsr.model_file import Outcome
from ddsr.saved import Saved, restoring
from ddsr.search import SearchState
from ddsr.selection import FrontEntry, ParetoFront, front_of, select
from ddsr.tables import curves_table

# An NRMSE below this is rounding: the search has nothing left to find.
EXACT = 1e-12
# Tokens, with scale and offset, that a shortened equation may have where it has to obey rules.
LONGEST_EQUATION = 256
# In log(NRMSE), summed over sizes: a gain that is rounding is no progress.
LEAST_GAIN = 1e-6
# The last part of `max_time`, in which equations are made shorter where that is asked for: a share, a larger
# one where that is less than a second, and so many seconds at most, also where no time is set.
SHORTENING_SHARE, LARGER_SHARE, MOST_SHORTENING = 0.08, 0.2, 60.0

Callback = Callable[[SearchState], object]
States = Callable[[Problem], Iterator[SearchState]]


@dataclass(frozen=True)
class Selection:
    """How the equation that predicts is chosen."""

    choose: Callable[[ParetoFront, int], FrontEntry]
    """from a front, given the number of rows"""
    shortens: bool = False
    """whether the equations are made shorter first (docs/selection.md)"""


SELECTIONS: dict[str, Selection] = {
    "accuracy": Selection(lambda front, n_rows: front.most_accurate()),
    "best": Selection(lambda front, n_rows: front.best(n_rows)),
    "description_length": Selection(lambda front, n_rows: front.best(n_rows), shortens=True),
}


def find_selection(name: str | None, config: SearchConfig) -> Selection:
    """The selection of that name, or the preset's own."""
    name = config.model_selection if name is None else name
    if name not in SELECTIONS:
        raise MethodError(f"unknown model_selection {name!r}; known are: {', '.join(SELECTIONS)}")
    return SELECTIONS[name]


@dataclass(frozen=True)
class Budget:
    """When to stop a search that would go on for ever."""

    max_epochs: float
    max_evaluations: float
    patience: float
    end: Deadline = NEVER
    """of all, the choice included"""
    deadline: Deadline = NEVER
    """of the search; what is left of the time is for the choice"""
    exact: float = EXACT
    """the NRMSE below which there is nothing left to find"""

    @classmethod
    def of(
        cls, config: SearchConfig, max_time: float | None, max_epochs: int | None, started: float
    ) -> Budget:
        """From what the user said; `started` is on the monotonic clock."""
        is_number = isinstance(max_time, (int, float, np.number)) and not isinstance(max_time, bool)
        if max_time is not None and not (is_number and max_time > 0):
            raise MethodError(f"max_time must be a number of seconds above 0, or None, got {max_time!r}")
        if max_epochs is not None:
            n_epochs: float = check_whole(max_epochs, "max_epochs", least=1)
        else:
            n_epochs = config.n_epochs if max_time is None else np.inf
        end = NEVER if max_time is None else Deadline(started + float(max_time))
        exact = max(EXACT, config.evolution.exact) if isinstance(config, DefaultConfig) else EXACT
        max_evaluations, patience = config.max_evaluations or np.inf, config.patience or np.inf
        return cls(n_epochs, max_evaluations, patience, end, end, exact)

    def next_of(self, n_fits: int, selection: Selection) -> Budget:
        """Of the first of so many fits that share the time from now on."""
        if self.end == NEVER:
            return self
        seconds = self.end.seconds_left / n_fits
        end = self.end if n_fits == 1 else Deadline(time.monotonic() + seconds)
        reserve = _seconds_to_shorten(seconds) if selection.shortens else 0.0
        return replace(self, end=end, deadline=Deadline(end.at - reserve))

    def spent(self, progress: Progress) -> str | None:
        """What ends the search now; None if nothing does."""
        if any(entry.nrmse < self.exact for entry in progress.front):
            return "exact"
        if len(progress.curves) >= self.max_epochs:
            return "max_epochs"
        if progress.n_scored >= self.max_evaluations:
            return "max_evaluations"
        if progress.n_idle_epochs >= self.patience:
            return "no_progress"
        return "max_time" if self.deadline.has_passed else None


@dataclass
class Progress:
    """What a search has so far, whatever ends it."""

    front: ParetoFront
    curves: list[EpochStats] = field(default_factory=list)
    n_scored: int = 0
    n_idle_epochs: int = 0
    """since the front last became better"""
    stopped_by: str = "interrupt"

    def take(self, state: SearchState) -> None:
        """One more epoch is done."""
        is_better = state.front.gain_over(self.front) > LEAST_GAIN
        self.n_idle_epochs = 0 if is_better else self.n_idle_epochs + 1
        self.front, self.n_scored = state.front, state.n_scored
        self.curves.append(state.stats)

    def saved(self) -> Saved:
        """All but what stopped it: it goes on from here."""
        return {
            "front": self.front.saved(),
            "curves": saved_curves(self.curves),
            "n_scored": self.n_scored,
            "n_idle_epochs": self.n_idle_epochs,
        }

    @classmethod
    def restored(cls, saved: Saved, vocabulary: Vocabulary) -> Progress:
        """The progress that was saved."""
        front, curves = ParetoFront.restored(saved["front"], vocabulary), restored_curves(saved["curves"])
        return cls(front, curves, saved["n_scored"], saved["n_idle_epochs"])


class Fit:
    """One target's fit; it has a front and a choice from its first moment on."""

    def __init__(self, problem: Problem, selection: Selection) -> None:
        self.problem, self.selection = problem, selection
        self.progress = Progress(problem.front)
        self.choose()

    def saved(self, state: SearchState) -> Saved:
        """The search after its last epoch, whose state this is, and what is known by then."""
        return {"search": state.save(), "progress": self.progress.saved()}

    def restore(self, saved: Saved) -> None:
        """Go on where a fit of the same problem was saved."""
        with restoring("fit"):
            self.progress = Progress.restored(saved["progress"], self.problem.engine.vocabulary)
            self.problem = replace(self.problem, saved=saved["search"])
        self.choose()

    def outcome(self) -> Outcome:
        """What it came to, or has come to so far."""
        progress, engine = self.progress, self.problem.engine
        curves = curves_table(progress.curves)
        return Outcome(
            self.front,
            self.best,
            curves,
            progress.stopped_by,
            len(progress.curves),
            engine.n_rows,
            engine.spread,
        )

    def choose(self) -> None:
        """From what the search has so far, as it was found."""
        self.front = self.progress.front
        self.best = self.selection.choose(self.front, self.problem.engine.n_rows)

    def search(self, states: States, budget: Budget, callback: Callback | None = None) -> None:
        """Iterate until the budget is spent; `states` starts the search, or goes on with one.

        Whatever is raised passes through, and leaves the choice from the epochs that were finished.
        """
        try:
            self._iterate(partial(states, replace(self.problem, deadline=budget.deadline)), budget, callback)
        finally:
            self.choose()

    def _iterate(
        self, begin: Callable[[], Iterator[SearchState]], budget: Budget, callback: Callback | None
    ) -> None:
        states = None
        while (reason := budget.spent(self.progress)) is None:
            states = begin() if states is None else states
            state = next(states, None)
            if state is None:  # the epoch was cut short, or there is nothing left to try
                reason = "max_time" if budget.deadline.has_passed else "exhausted"
                break
            self.progress.take(state)
            if callback is not None:
                callback(state)
        self.progress.stopped_by = reason

    def shorten(self, budget: Budget, rules: Sequence[Rule]) -> None:
        """Replace the equations by shorter ones; an interrupt leaves them as they were found."""
        deadline = min(budget.end.at, time.monotonic() + MOST_SHORTENING)
        equations = [entry.equation for entry in self.front]
        with suppress(KeyboardInterrupt):
            found = select(equations, self.problem.engine, deadline=deadline, is_allowed=_obedience(rules))
            self.front, self.best = front_of(found)


class Journal(Protocol):
    """Keeps a fit where it can be gone on with."""

    seconds_used: float
    """by the fit so far, which count against its time"""

    def begin(self, fit: Fit) -> None:
        """Before the first epoch: restore what was kept, if anything was."""
        ...

    def note(self, fit: Fit, state: SearchState) -> None:
        """After every epoch."""
        ...


def run(
    fits: Sequence[Fit],
    states: States,
    budget: Budget,
    rules: Sequence[Rule] = (),
    callback: Callback | None = None,
) -> None:
    """Search for each target, one after the other, and choose; they share the time.

    A `KeyboardInterrupt` ends the search, and those that would follow, as if the time were up.
    """
    is_interrupted = False
    for n_done, fit in enumerate(fits):
        share = budget.next_of(len(fits) - n_done, fit.selection)
        try:
            if not is_interrupted:
                fit.search(states, share, callback)
        except KeyboardInterrupt:
            is_interrupted = True
        if fit.selection.shortens:
            fit.shorten(share, rules)


def _obedience(rules: Sequence[Rule]) -> Callable[[Expression], bool] | None:
    """Whether an equation, whose operators may be others than the search's, obeys the user's rules."""
    if not rules:
        return None

    @cache
    def grammar_over(vocabulary: Vocabulary) -> Grammar:
        return Grammar(vocabulary, LONGEST_EQUATION, LONGEST_EQUATION, rules)

    return lambda equation: grammar_over(equation.vocabulary).check(equation.tokens) is None


def _seconds_to_shorten(max_time: float) -> float:
    at_least = min(1.0, LARGER_SHARE * max_time)
    return min(max(SHORTENING_SHARE * max_time, at_least), MOST_SHORTENING)
