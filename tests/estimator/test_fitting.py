"""Fits of several targets share the time; an interrupt ends them all; weights and counts of rows."""

import math

import numpy as np
import pandas as pd
import pytest

from ddsr import DataError, DDSRRegressor
from ddsr.config import PaperConfig
from ddsr.deadline import NEVER, Deadline
from ddsr.estimator.budget import Budget

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 2))
HARD = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 1] / X[:, 0])
EASY = X[:, 0] * X[:, 1]
TINY = {"batch_size": 60, "max_length": 9}


def tiny(**parameters):
    return DDSRRegressor(
        **{"preset": "uniform", "max_epochs": 2, "random_state": 0, "config": TINY} | parameters
    )


def test_targets_share_the_time_and_use_what_others_leave(clock):
    now = clock.now
    budget = Budget.of(PaperConfig(), max_time=30, max_epochs=None, started=now)
    first = budget.next_of(3, shortens=False)
    assert first.end.at == pytest.approx(now + 10)
    assert first.end.at - first.deadline.at == pytest.approx(0.2)  # reserved for the refit on all rows
    assert budget.next_of(1, shortens=False).end == budget.end
    assert budget.next_of(1, shortens=True).deadline.at == pytest.approx(budget.end.at - 3.0)
    late = Budget.of(PaperConfig(), max_time=30, max_epochs=None, started=now - 24)
    assert late.next_of(2, shortens=False).end.at == pytest.approx(now + 3)


def test_without_a_time_limit_nothing_is_shared():
    budget = Budget.of(PaperConfig(), None, 7, started=0.0)
    assert budget.next_of(5, shortens=True) == budget
    assert budget.end == NEVER and budget.max_epochs == 7
    assert Deadline(0.0).has_passed


def test_several_targets_keep_the_time_together(clock):
    model = tiny(max_epochs=None, max_time=9000, callback=lambda state: clock.advance(1100))
    model.fit(X, np.column_stack([HARD, X[:, 0], -HARD]))
    assert model.stopped_by_ == ["max_time", "exact", "max_time"]
    first, second, third = model.n_epochs_
    assert first == 3  # a third of the time
    assert third == math.ceil((9000 - 1100 * (first + second)) / 1100)  # all the remaining time


def test_each_target_is_fitted_as_if_it_were_alone():
    together = tiny().fit(X, np.column_stack([HARD, 2 * HARD + X[:, 0]]))
    alone = tiny().fit(X, HARD)
    pd.testing.assert_frame_equal(together.equations_[0], alone.equations_)


def test_an_interrupt_ends_all_searches_and_leaves_a_model_of_each():
    def interrupt(state):
        raise KeyboardInterrupt

    model = tiny(max_epochs=50, callback=interrupt).fit(X, np.column_stack([HARD, 2 * HARD]))
    assert model.stopped_by_ == ["interrupt", "interrupt"] and model.n_epochs_ == [1, 0]
    assert np.isfinite(model.predict(X)).all()


def test_errors_name_the_target():
    with pytest.raises(DataError, match="output 'b': y is constant"):
        tiny().fit(X, pd.DataFrame({"a": HARD, "b": 1.0}))
    with pytest.raises(DataError, match="output 'y1': y has NaN in row 3"):
        tiny().fit(X, np.column_stack([HARD, np.where(np.arange(60) == 3, np.nan, HARD)]))
    with pytest.raises(DataError, match=r"guesses has lists for 3 output\(s\), but y has 2"):
        tiny(guesses=[["x0"], ["x1"], []]).fit(X, np.column_stack([HARD, EASY]))


def test_guesses_of_several_targets_are_their_own():
    config = TINY | {"batch_size": 2}
    targets = np.column_stack([np.sin(X[:, 0]) / X[:, 1], np.exp(X[:, 0]) / X[:, 1]])
    guesses = [["sin(x0) / x1"], ["exp(x0) / x1"]]
    model = tiny(guesses=guesses, config=config, max_epochs=1).fit(X, targets)
    assert model.stopped_by_ == ["exact", "exact"]
    crossed = tiny(guesses=guesses[::-1], config=config, max_epochs=1).fit(X, targets)
    assert crossed.stopped_by_ == ["max_epochs", "max_epochs"]


@pytest.mark.parametrize("selection", ["accuracy", "best", "description_length"])
def test_counts_of_two_and_zero_are_two_rows_and_none(selection):
    counts = np.arange(60) % 3
    noisy = HARD + np.random.default_rng(1).normal(size=60)
    weighted = tiny(model_selection=selection).fit(X, noisy, counts=counts)
    repeated = tiny(model_selection=selection).fit(np.repeat(X, counts, axis=0), np.repeat(noisy, counts))
    numbers = ["complexity", "loss", "r2", "description_length"]
    pd.testing.assert_frame_equal(
        weighted.equations_[numbers], repeated.equations_[numbers], check_exact=False, rtol=1e-6
    )
    assert (weighted.equations_["is_best"] == repeated.equations_["is_best"]).all()
    np.testing.assert_allclose(
        weighted.confidence_intervals()["standard_error"],
        repeated.confidence_intervals()["standard_error"],
        rtol=1e-4,
    )


def test_the_unit_of_weights_does_not_matter():
    weights = np.linspace(0.1, 2.0, 60)
    first, second = (tiny(model_selection="best").fit(X, HARD, w) for w in (weights, 1e6 * weights))
    assert list(first.equations_["complexity"]) == list(second.equations_["complexity"])
    np.testing.assert_allclose(
        first.equations_["description_length"], second.equations_["description_length"]
    )


def test_the_search_follows_the_weights():
    is_first = np.arange(60) < 30
    mixed = np.where(is_first, X[:, 0], 5 * X[:, 1])
    for rows, expected in ((is_first, X[:, 0]), (~is_first, 5 * X[:, 1])):
        model = tiny(max_epochs=10).fit(X, mixed, sample_weight=rows.astype(float))
        np.testing.assert_allclose(model.predict(X), expected, rtol=1e-9)
        assert model.score(X, mixed, sample_weight=rows) == pytest.approx(1.0)
