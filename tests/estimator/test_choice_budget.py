"""The time for the final choice, on a clock that the test moves."""

from math import inf

import numpy as np
import pytest

import ddsr.estimator.fit
from ddsr import DDSRRegressor
from ddsr.config import PaperConfig
from ddsr.deadline import MovableDeadline
from ddsr.estimator.budget import Budget
from ddsr.estimator.choice_budget import EarlyChoice, later_deadline, reserve, seconds_to_choose

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(40, 2))
HARD = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 1] / X[:, 0])
EARLY = ("exact", "max_epochs", "max_evaluations", "no_progress", "exhausted", "interrupt")


@pytest.mark.parametrize(("max_time", "seconds"), [(1, 0.2), (10, 2), (30, 3), (600, 60), (6000, 60)])
def test_the_reserve_is_a_share_of_the_limit(max_time, seconds):
    assert reserve(max_time) == pytest.approx(seconds)


@pytest.mark.parametrize("reason", EARLY)
def test_after_an_early_end_the_choice_takes_a_second_or_a_tenth_of_the_search(reason):
    assert seconds_to_choose(reason, searched=0.3, seconds_left=19.7) == 1.0
    assert seconds_to_choose(reason, searched=200.0, seconds_left=1000.0) == 20.0
    assert seconds_to_choose(reason, searched=5000.0, seconds_left=5000.0) == 60.0
    assert seconds_to_choose(reason, searched=0.3, seconds_left=0.4) == 0.4


def test_at_the_end_of_the_time_the_choice_has_what_is_left():
    assert seconds_to_choose("max_time", searched=18.0, seconds_left=2.0) == 2.0
    assert seconds_to_choose("max_time", searched=18.0, seconds_left=0.0) == 0.0


def test_without_a_limit_only_an_interrupt_hurries_the_choice():
    assert {seconds_to_choose(reason, 0.3, inf) for reason in EARLY[:-1]} == {60.0}
    assert seconds_to_choose("interrupt", 0.3, inf) == 1.0


def test_reserved_time_returns_to_a_search_that_gains_by_it():
    assert later_deadline(now=545.0, end=600.0, choice_seconds=5.0) == pytest.approx(593.55)
    assert later_deadline(now=580.0, end=600.0, choice_seconds=40.0) is None
    assert later_deadline(now=590.0, end=600.0, choice_seconds=5.0) is None


class Fit:
    """Epochs and choices of given lengths on a separate clock."""

    def __init__(self, max_time, epoch, choice):
        self.now, self.epoch, self.choice = 0.0, epoch, choice
        self.deadline = MovableDeadline(max_time - reserve(max_time))
        self.early = EarlyChoice(self.deadline, max_time, self.choose, clock=lambda: self.now)
        self.choices = []
        while self.now < self.deadline.at:
            self.early.before_epoch()
            if self.early.is_final:
                break
            self.now = min(self.now + epoch, self.deadline.at)  # the deadline cuts an epoch short
        self.searched_until = self.now
        if not self.early.is_final:
            self.choose()

    def choose(self):
        self.choices.append(self.now)
        self.now += self.choice


@pytest.mark.parametrize("epoch", [0.5, 3.0, 20.0])
@pytest.mark.parametrize("choice", [0.2, 2.0, 10.0])
def test_a_long_fit_uses_its_time_and_not_more(epoch, choice):
    fit = Fit(600.0, epoch, choice)
    assert len(fit.choices) == 2
    assert 600.0 - 1.5 * choice - 0.5 <= fit.searched_until + choice <= fit.now <= 600.0


def test_a_slow_choice_is_made_once_or_loses_nothing():
    fit = Fit(600.0, 3.0, 58.0)
    assert fit.now <= 600.0 and fit.searched_until >= 536.0
    assert len(fit.choices) == 1


def test_a_short_fit_makes_one_choice():
    assert len(Fit(5.0, 0.1, 0.2).choices) == 1


def test_an_early_choice_is_replaced_only_by_a_better_one(monkeypatch):
    """The last choice counts, unless it had too little time to find the early one."""
    made = []
    select = ddsr.estimator.fit.select

    def counted(*arguments, **options):
        found = select(*arguments, **options)
        made.append(found[0])
        return found

    def at_once(self):
        if not self.is_made:
            self.is_made = True
            self.choose()

    monkeypatch.setattr("ddsr.estimator.fit.select", counted)
    monkeypatch.setattr(EarlyChoice, "before_epoch", at_once)
    model = DDSRRegressor(
        "uniform",
        max_time=1000,
        max_epochs=2,
        random_state=0,
        config={"batch_size": 40, "max_length": 9},
        model_selection="description_length",
    ).fit(X, HARD)
    assert len(made) == 2 and model.n_epochs_ == 2
    assert model.best_.nats == min(each.description_length for each in made)


def test_only_a_fit_that_shortens_equations_keeps_a_reserve():
    budget = Budget.of(PaperConfig(), max_time=30, max_epochs=None, started=0.0)
    share = budget.next_of(1, shortens=True)
    assert isinstance(share.deadline, MovableDeadline)
    assert budget.next_of(1, shortens=False).deadline == budget.end
