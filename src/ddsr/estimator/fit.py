"""The fit of one target: a search within a budget, then the choice of an equation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from ddsr.deadline import NEVER, Deadline, MovableDeadline
from ddsr.engine import Floats
from ddsr.estimator.budget import Budget
from ddsr.estimator.choice_budget import EarlyChoice, seconds_to_choose
from ddsr.estimator.model_selection import SELECTIONS, Selection
from ddsr.estimator.progress import Progress
from ddsr.estimator.seeding import seeded, with_guesses
from ddsr.expression import Expression
from ddsr.grammar import Rule
from ddsr.price.model import Model
from ddsr.price.noise import size_where_errors_are_measured
from ddsr.search.front import FrontEntry, ParetoFront, information_of
from ddsr.search.loop import SearchState
from ddsr.search.plain_forms import plain_forms
from ddsr.search.problem import Problem
from ddsr.selection.fitted_values import with_fitted_values
from ddsr.selection.judged import Selected
from ddsr.selection.many_rows import select_on_some, some_of
from ddsr.selection.noise_again import noise_again
from ddsr.selection.outcome import Outcome
from ddsr.selection.posterior import Form, forms_of
from ddsr.selection.rational.forms import load_algebra
from ddsr.selection.refitting import refitted
from ddsr.selection.samples import Samples
from ddsr.selection.select import front_of, select
from ddsr.selection.usual_notation import in_usual_notation
from ddsr.storage.saved import Saved, restoring

# Number of candidates for the choice: a minimum, and more if time permits at these rates.
LEAST_CONTENDERS, CONTENDERS_A_SECOND, CONTENDER_ROWS_A_SECOND = 12, 40, 250_000
MOST_ROWS_OF_FORMS = 10_000  # with more rows one form has all the weight
# Numbers of equations to shorten: those with the shortest descriptions, and the most accurate. If one is
# exact, nothing can beat it, so fewer are shortened.
SHORTENED, SHORTENED_BESIDE_EXACT = (16, 3), (1, 0)

# Rows times equations measured for intervals even after the time limit; this takes tenths of a second.
MOST_LATE_WORK = 3_000_000

Callback = Callable[[SearchState], object]
States = Callable[[Problem], Iterator[SearchState]]


@dataclass(frozen=True)
class Choice:
    """The shortened equations, and the one that predicts."""

    front: ParetoFront
    best: FrontEntry
    seconds: float
    """time allowed for the choice"""
    forms: tuple[Form, ...] = ()
    """likeliest forms with their weights"""
    is_of_all: bool = True
    """whether the search has found nothing since the choice"""

    def is_better_than(self, best: FrontEntry) -> bool:
        """Return whether its description is shorter than that of `best`, or `best` has none."""
        return best.nats is None or (self.best.nats is not None and self.best.nats < best.nats)


class Fit:
    """The fit of one target, which has a front and a choice from the start."""

    def __init__(
        self,
        problem: Problem,
        selection: Selection,
        seeds: Sequence[Expression] = (),
        deadline: Deadline = NEVER,
        rounds_constants: bool = True,
    ) -> None:
        """Score the seeds, which are fitted until the deadline, and choose from the baseline."""
        self.rounds_constants = rounds_constants
        self.problem = seeded(problem, seeds, deadline)
        # the constants of a given formula are reported as they are fitted
        self.selection = SELECTIONS["accuracy"] if self._has_one_form else selection
        self.progress = Progress(self.problem.front)
        self.has_ended = False
        """whether the search has ended, so that only the choice remains"""
        self.is_choice_cut = False
        """whether an interrupt ended the choice early"""
        self.plain: tuple[Model, ...] = ()
        """plain forms, which are candidates for the choice in addition to the found equations"""
        self.forms: tuple[Form, ...] = ()
        """see `Outcome`"""
        self.samples = Samples(self.problem.engine)
        """rows on which choices test equations, shared by all choices"""
        self.early: Choice | None = None
        """choice made before the search ended, see `EarlyChoice`"""
        self.choose()

    def saved(self, state: SearchState) -> Saved:
        """Return the search and its progress after the epoch with this state."""
        return {"search": state.save(), "progress": self.progress.saved()}

    def restore(self, saved: Saved, ended_by: str | None = None) -> None:
        """Continue a saved fit of the same problem, whose search may have ended already."""
        with restoring("fit"):
            self.progress = Progress.restored(saved["progress"], self.problem)
            self.problem = replace(self.problem, saved=saved["search"])
        if ended_by is not None:
            self.has_ended, self.progress.stopped_by = True, ended_by
        self.choose()

    @property
    def outcome(self) -> Outcome:
        """The current result."""
        engine, progress = self.problem.engine, self.progress
        return Outcome(
            self.front,
            self.best,
            tuple(progress.curves),
            "interrupt" if self.is_choice_cut else progress.stopped_by,
            engine.spread,
            engine.n_counted,
            self.information,
            len(progress.curves),
            n_observed=engine.n_observed,
            noise=self.problem.noise,
            forms=self.forms,
            size_of_y=size_where_errors_are_measured(engine.target)
            if self.problem.noise == "relative"
            else 1.0,
            loss=engine.dataset.loss,
        )

    def choose(self) -> None:
        """Choose from the front of the search, without shortening."""
        self._list(self.progress.front)

    def _list(self, front: ParetoFront) -> None:
        """List these equations, whose constants are not measured yet, and choose one."""
        best = self.selection.choose(front, self.problem.engine.n_counted)
        self.front, self.best = front, best
        self.information: tuple[Floats | None, ...] = (None,) * len(front)

    def search(
        self, states: States, budget: Budget, callback: Callback | None = None, rules: Sequence[Rule] = ()
    ) -> None:
        """Search until the budget is spent; `states` starts or resumes the search.

        Exceptions pass through, and leave the choice from the finished epochs.
        """
        if self.selection.shortens:
            self.plain = plain_forms(self.problem, budget.end, budget.exact)
        if self._has_one_form and not self.has_ended:
            self.has_ended, self.progress.stopped_by = True, "exhausted"
        if self.has_ended:
            return
        try:
            self._iterate(
                partial(states, replace(self.problem, deadline=budget.deadline)), budget, callback, rules
            )
            self.has_ended = True
        finally:
            self.choose()

    @property
    def _has_one_form(self) -> bool:
        """Whether a template leaves only constants open, so that there is nothing to search."""
        template = self.problem.grammar.vocabulary.template
        return template is not None and not template.functions

    def _iterate(
        self,
        begin: Callable[[], Iterator[SearchState]],
        budget: Budget,
        callback: Callback | None,
        rules: Sequence[Rule],
    ) -> None:
        states = None
        early = self._early_choice(budget, rules)
        while (reason := budget.spent(self.progress, self.problem.engine)) is None:
            if early is not None:
                early.before_epoch()
                if early.is_final:
                    continue  # the time is up
            states = begin() if states is None else states
            state = next(states, None)
            if state is None:  # the epoch was cut short, or everything was tried
                reason = "max_time" if budget.deadline.has_passed else "exhausted"
                break
            self.progress.take(state)
            self.early = replace(self.early, is_of_all=False) if self.early else None
            if state.is_cut_short:
                next(states)  # raises what cut it short; an incomplete epoch is not shown and not saved
            if callback is not None:
                callback(state)
        self.progress.stopped_by = reason

    def refit(self, budget: Budget) -> None:
        """Fit the listed equations on all rows; an interrupt leaves them as they were.

        With a free scale and offset, the refiner has already polished them on more rows.
        """
        engine = self.problem.engine
        if engine.options.is_scale_free:
            return
        try:
            seconds = self._seconds_to_choose(budget)
            self._list(refitted(self.front, self.best, engine, Deadline(time.monotonic() + seconds)))
        except KeyboardInterrupt:
            self.is_choice_cut = True

    def write(self) -> None:
        """Rewrite the listed equations in their usual notation, with the same errors."""
        engine = self.problem.engine
        try:
            self._list(in_usual_notation(self.front, engine, self.problem.lister.listing.allows))
        except KeyboardInterrupt:
            self.is_choice_cut = True

    def _early_choice(self, budget: Budget, rules: Sequence[Rule]) -> EarlyChoice | None:
        if not isinstance(budget.deadline, MovableDeadline):
            return None

        def choose() -> None:
            seconds = seconds_to_choose("max_time", 0.0, budget.end.seconds_left)
            self.choose()
            self.early = self._shortened(budget, rules, seconds)

        return EarlyChoice(budget.deadline, budget.end.at, choose)

    def shorten(self, budget: Budget, rules: Sequence[Rule] = ()) -> None:
        """Replace the equations by shorter ones; an interrupt leaves them as they were."""
        if self.early is None or not self.early.is_of_all:
            try:
                self._take(self._shortened(budget, rules, self._seconds_to_choose(budget)))
            except KeyboardInterrupt:
                self.is_choice_cut = True
        if self.early is not None and self.early.is_better_than(self.best):
            self._take(self.early)

    def _seconds_to_choose(self, budget: Budget) -> float:
        progress = self.progress
        return seconds_to_choose(progress.stopped_by, progress.seconds_searched, budget.end.seconds_left)

    def _take(self, choice: Choice) -> None:
        self.front, self.best, self.forms = choice.front, choice.best, choice.forms
        self.information = (None,) * len(self.front)

    def _shortened(self, budget: Budget, rules: Sequence[Rule], seconds: float) -> Choice:
        """Choose among the equations of the search within `seconds`."""
        deadline = time.monotonic() + seconds
        # an early choice is timed: the later one has as many candidates
        size = seconds if self.early is None else max(seconds, self.early.seconds)
        lister, allows = self.problem.lister, self.problem.lister.listing.allows
        engine = self.problem.engine
        # without rules and units every step is allowed
        is_allowed = allows if rules or self.problem.grammar.units is not None else None
        has_exact = any(entry.is_exact(budget.exact, engine.n_observed) for entry in self.front)
        some = some_of(self.problem.data, engine, size)
        contenders = self.progress.contenders[: self._n_contenders((some or engine).n_rows, size)]
        others = () if has_exact else lister.relisted_entries(contenders)
        equations = [entry.equation for entry in (*self.front, *others)]
        if not has_exact:
            self._ask_for_noise(equations)
            engine = self.problem.engine
        if self.samples.engine is not engine:
            self.samples = Samples(engine)
        n_shortened = SHORTENED_BESIDE_EXACT if has_exact else SHORTENED
        choose: Callable[..., tuple[Selected, ...]]
        if some is None:
            choose = partial(select, models=() if has_exact else self.plain, samples=self.samples)
        else:
            choose = partial(select_on_some, some=some)
        found = choose(equations, engine, *n_shortened, deadline=deadline, is_allowed=is_allowed)
        found = tuple(each for each in found if allows(each.expression))
        if not found:
            return Choice(self.front, self.best, seconds)
        front, best = front_of(found, () if some is None else self.front)
        forms = forms_of(found, engine, self.problem.noise) if engine.n_rows <= MOST_ROWS_OF_FORMS else ()
        if not self.rounds_constants:
            front, best, forms = self._with_fitted_values(front, best, forms, Deadline(deadline))
        return Choice(with_guesses(front, best, self.problem), best, seconds, forms)

    def _with_fitted_values(
        self, front: ParetoFront, best: FrontEntry, forms: tuple[Form, ...], deadline: Deadline
    ) -> tuple[ParetoFront, FrontEntry, tuple[Form, ...]]:
        entries = [*front, *(form.entry for form in forms)]
        fitted = with_fitted_values(entries, self.problem.engine, deadline)
        best = fitted[entries.index(best)]
        listed: list[FrontEntry] = []
        for entry in fitted[: len(front)]:
            if entry is best or all(entry.nrmse < other.nrmse for other in listed):
                listed.append(entry)
        pairs = zip(forms, fitted[len(front) :], strict=True)
        return ParetoFront(tuple(listed)), best, tuple(replace(form, entry=entry) for form, entry in pairs)

    def _ask_for_noise(self, equations: Sequence[Expression]) -> None:
        """Switch to errors in proportion to y if the candidates show them.

        The reverse is not tried: with constant errors a few large values decide, and one of many equations
        fits these by chance.
        """
        if self.problem.noise == "relative" or not self.problem.may_ask_for_noise:
            return
        noise = noise_again([*map(Model.free, equations), *self.plain], self.problem.engine)
        if noise.kind == "relative":
            engine = self.problem.engine.reweighted(noise.weights)
            self.problem = replace(self.problem, engine=engine, noise=noise.kind)

    def _n_contenders(self, n_rows: int, seconds: float) -> int:
        """Return the number of candidates whose first fits leave most of the time for shortening."""
        a_second = min(CONTENDERS_A_SECOND, CONTENDER_ROWS_A_SECOND / n_rows)
        return max(LEAST_CONTENDERS, int(a_second * max(seconds, 0.0)))

    def measure(self, budget: Budget) -> None:
        """Measure the information on each equation's constants; on many rows only while there is time."""
        measured: dict[int, Floats | None] = {}
        engine = self.problem.engine
        order = sorted(range(len(self.front)), key=lambda row: self.front.entries[row] is not self.best)
        try:
            for row in order:
                if budget.end.has_passed and (len(measured) + 1) * engine.n_rows > MOST_LATE_WORK:
                    break
                measured[row] = information_of(self.front.entries[row], engine)
        except KeyboardInterrupt:
            self.is_choice_cut = True
        self.information = tuple(measured.get(row) for row in range(len(self.front)))
        if self._has_one_form:
            information = self.information[self.front.entries.index(self.best)]
            self.forms = () if information is None else (Form(self.best, 1.0, information),)


class Journal(Protocol):
    """Saves a fit so that it can be resumed."""

    seconds_used: float
    """seconds that the fit has used so far, which count towards its time limit"""

    def begin(self, fit: Fit) -> None:
        """Restore the saved fit, if there is one; called before the first epoch."""
        ...

    def note(self, fit: Fit, state: SearchState) -> None:
        """Save the fit; called after every epoch."""
        ...


def run(
    fits: Sequence[Fit],
    states: States,
    budget: Budget,
    rules: Sequence[Rule] = (),
    notes: Sequence[Callable[[Fit, SearchState], object]] = (),
) -> None:
    """Search for each target in turn, within a shared time limit, and choose.

    `notes` are called after every epoch. A `KeyboardInterrupt` ends the search or the choice, and skips the
    searches that would follow.
    """
    is_interrupted = False

    def noted(fit: Fit, state: SearchState) -> None:
        for note in notes:
            note(fit, state)

    if any(fit.selection.shortens for fit in fits):
        load_algebra()  # before the search, when there is time for it
    for n_done, fit in enumerate(fits):
        share = budget.next_of(len(fits) - n_done, shortens=fit.selection.shortens)
        try:
            if not is_interrupted:
                fit.search(states, share, partial(noted, fit), rules)
        except KeyboardInterrupt:
            is_interrupted = True
        except BaseException:  # a callback failed: show the results in their usual notation
            if not fit.selection.shortens:
                fit.write()
            raise
        fit.refit(share)
        if fit.selection.shortens:
            fit.shorten(share, rules)
        else:
            fit.write()
        fit.measure(share)
        is_interrupted |= fit.is_choice_cut
