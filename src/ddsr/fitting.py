"""The fit of one target: a search within a budget, and then the choice of an equation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

import numpy as np

from ddsr.config import DefaultConfig, SearchConfig
from ddsr.data import check_whole
from ddsr.deadline import NEVER, Deadline
from ddsr.engine import Engine, Floats
from ddsr.errors import MethodError
from ddsr.expression import Expression
from ddsr.grammar import Rule
from ddsr.learning.curves import EpochStats, restored_curves, saved_curves
from ddsr.problem import Problem
from ddsr.saved import Saved, restoring
from ddsr.search import SearchState
from ddsr.seeding import seeded, with_guesses
from ddsr.selection import (
    FrontEntry,
    ParetoFront,
    front_of,
    load_algebra,
    restored_entries,
    saved_entries,
    select,
    select_on_some,
    some_of,
)

# An NRMSE below this is rounding: the search has nothing left to find.
EXACT = 1e-12
# In log(NRMSE), summed over sizes: a gain that is rounding is no progress.
LEAST_GAIN = 1e-6
# The last part of `max_time`, in which equations are made shorter where that is asked for: a share, a larger
# one where that is less than two seconds, and so many seconds at most, also where no time is set.
SHORTENING_SHARE, LARGER_SHARE, MOST_SHORTENING = 0.1, 0.2, 60.0
# Of the shortlist, so many are looked at whatever the time, and so many more a second as these allow.
LEAST_CONTENDERS, CONTENDERS_A_SECOND, CONTENDER_ROWS_A_SECOND = 12, 40, 250_000
# Equations that are made shorter: so many of the shortest descriptions, and of the most accurate. Beside an
# exact one all others have lost, and nobody should wait for them.
SHORTENED, SHORTENED_BESIDE_EXACT = (16, 3), (1, 0)
# Seconds that shortening has at most when the user has interrupted the search, and waits.
SHORTENING_AFTER_INTERRUPT = 2.0

# Rows times equations that are measured for intervals even when the time is up: tenths of a second.
MOST_LATE_WORK = 3_000_000

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

    def cut_to(self, seconds: float) -> Budget:
        """The same, but for an end within so many seconds from now."""
        return replace(self, end=Deadline(min(self.end.at, time.monotonic() + seconds)))

    def spent(self, progress: Progress, n_rows: int) -> str | None:
        """What ends a search on so many rows now; None if nothing does."""
        if any(entry.is_exact(self.exact, n_rows) for entry in progress.front):
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
    contenders: tuple[FrontEntry, ...] = ()
    """see `SearchState`"""
    curves: list[EpochStats] = field(default_factory=list)
    n_scored: int = 0
    n_idle_epochs: int = 0
    """since the front last became better"""
    stopped_by: str = "interrupt"

    def take(self, state: SearchState) -> None:
        """One more epoch is done."""
        is_better = state.front.gain_over(self.front) > LEAST_GAIN
        self.n_idle_epochs = 0 if is_better else self.n_idle_epochs + 1
        self.front, self.contenders, self.n_scored = state.front, state.contenders, state.n_scored
        self.curves.append(state.stats)

    def saved(self) -> Saved:
        """All but what stopped it: it goes on from here."""
        return {
            "front": self.front.saved(),
            "contenders": saved_entries(self.contenders),
            "curves": saved_curves(self.curves),
            "n_scored": self.n_scored,
            "n_idle_epochs": self.n_idle_epochs,
        }

    @classmethod
    def restored(cls, saved: Saved, problem: Problem) -> Progress:
        """The progress that was saved."""
        vocabulary, lister = problem.engine.vocabulary, problem.lister
        front, curves = ParetoFront.restored(saved["front"], vocabulary), restored_curves(saved["curves"])
        front = lister.relisted(front, problem.front)
        contenders = restored_entries(saved["contenders"], vocabulary)
        return cls(front, contenders, curves, saved["n_scored"], saved["n_idle_epochs"])


@dataclass(frozen=True)
class Outcome:
    """What a fit leaves, without its data: all that the estimator keeps of it."""

    front: ParetoFront
    best: FrontEntry
    """one of the front's entries"""
    curves: tuple[EpochStats, ...]
    stopped_by: str
    spread: float
    """σ_y"""
    n_counted: int
    """see `Engine.n_counted`"""
    information: tuple[Floats | None, ...]
    """of each equation: see `Scores.information`; None where it was not measured"""
    n_epochs: int
    every: int = 1
    """the curves have the first of every so many epochs; 1: all of them"""

    @property
    def chosen(self) -> int:
        """The row of the front that predicts."""
        return self.front.entries.index(self.best)


class Fit:
    """One target's fit; it has a front and a choice from its first moment on."""

    def __init__(self, problem: Problem, selection: Selection, seeds: Sequence[Expression] = ()) -> None:
        self.problem = seeded(problem, seeds)
        self.selection = selection
        self.progress = Progress(self.problem.front)
        self.choose()

    def saved(self, state: SearchState) -> Saved:
        """The search after its last epoch, whose state this is, and what is known by then."""
        return {"search": state.save(), "progress": self.progress.saved()}

    def restore(self, saved: Saved) -> None:
        """Go on where a fit of the same problem was saved."""
        with restoring("fit"):
            self.progress = Progress.restored(saved["progress"], self.problem)
            self.problem = replace(self.problem, saved=saved["search"])
        self.choose()

    @property
    def outcome(self) -> Outcome:
        """As of now."""
        engine, progress = self.problem.engine, self.progress
        return Outcome(
            self.front,
            self.best,
            tuple(progress.curves),
            progress.stopped_by,
            engine.spread,
            engine.n_counted,
            self.information,
            len(progress.curves),
        )

    def choose(self) -> None:
        """From what the search has so far, as it was found."""
        self.front = self.progress.front
        self.best = self.selection.choose(self.front, self.problem.engine.n_counted)
        self.information: tuple[Floats | None, ...] = (None,) * len(self.front)

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
        n_rows = self.problem.engine.n_counted
        while (reason := budget.spent(self.progress, n_rows)) is None:
            states = begin() if states is None else states
            state = next(states, None)
            if state is None:  # the epoch was cut short, or there is nothing left to try
                reason = "max_time" if budget.deadline.has_passed else "exhausted"
                break
            self.progress.take(state)
            if state.is_cut_short:
                next(states)  # raises what cut it short; half an epoch is not shown, and not saved
            if callback is not None:
                callback(state)
        self.progress.stopped_by = reason

    def shorten(self, budget: Budget, rules: Sequence[Rule]) -> None:
        """Replace the equations by shorter ones; an interrupt leaves them as they were found."""
        deadline = min(budget.end.at, time.monotonic() + MOST_SHORTENING)
        engine, lister = self.problem.engine, self.problem.lister
        allows = lister.listing.allows
        is_allowed = allows if rules else None  # without rules no step adds an operator
        has_exact = any(entry.is_exact(budget.exact, engine.n_counted) for entry in self.front)
        seconds = deadline - time.monotonic()
        some = None if self.problem.rows is None else some_of(self.problem.rows, engine, seconds)
        contenders = self.progress.contenders[: self._n_contenders((some or engine).n_rows, seconds)]
        others = () if has_exact else lister.relisted_entries(contenders)
        equations = [entry.equation for entry in (*self.front, *others)]
        n_shortened = SHORTENED_BESIDE_EXACT if has_exact else SHORTENED
        with suppress(KeyboardInterrupt):
            choose = select if some is None else partial(select_on_some, some=some)
            found = choose(equations, engine, *n_shortened, deadline=deadline, is_allowed=is_allowed)
            found = tuple(each for each in found if allows(each.expression))
            if not found:
                return
            front, self.best = front_of(found, () if some is None else self.front)
            self.front = with_guesses(front, self.best, self.problem)
            self.information = (None,) * len(self.front)

    def _n_contenders(self, n_rows: int, seconds: float) -> int:
        """So many that their first fits leave most of the time for making equations shorter."""
        a_second = min(CONTENDERS_A_SECOND, CONTENDER_ROWS_A_SECOND / n_rows)
        return max(LEAST_CONTENDERS, int(a_second * max(seconds, 0.0)))

    def measure(self, budget: Budget) -> None:
        """How well the data know each equation's constants; on much data only as long as there is time."""
        measured: dict[int, Floats | None] = {}
        engine = self.problem.engine
        order = sorted(range(len(self.front)), key=lambda row: self.front.entries[row] is not self.best)
        with suppress(KeyboardInterrupt):
            for row in order:
                if budget.end.has_passed and (len(measured) + 1) * engine.n_rows > MOST_LATE_WORK:
                    break
                measured[row] = _information(self.front.entries[row], engine)
        self.information = tuple(measured.get(row) for row in range(len(self.front)))


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
    if any(fit.selection.shortens for fit in fits):
        load_algebra()  # before the search, whose time it takes: after it there is none to spare
    for n_done, fit in enumerate(fits):
        share = budget.next_of(len(fits) - n_done, fit.selection)
        try:
            if not is_interrupted:
                fit.search(states, share, callback)
        except KeyboardInterrupt:
            is_interrupted = True
        if is_interrupted:
            share = share.cut_to(SHORTENING_AFTER_INTERRUPT)
        if fit.selection.shortens:
            fit.shorten(share, rules)
        fit.measure(share)


def _information(entry: FrontEntry, engine: Engine) -> Floats | None:
    equation = entry.equation
    is_fixed = [not is_free for is_free in entry.is_free or (True,) * equation.n_constants]
    scores = engine.refit([equation], np.array([is_fixed], dtype=bool), max_steps=0)
    return None if scores.information is None else scores.information[0]


def _seconds_to_shorten(max_time: float) -> float:
    at_least = min(2.0, LARGER_SHARE * max_time)
    return min(max(SHORTENING_SHARE * max_time, at_least), MOST_SHORTENING)
