"""The goal of a search, `stop_at`."""

from __future__ import annotations

import numpy as np
import pytest

from ddsr import DDSRRegressor, MethodError, RunFolder
from ddsr.estimator.goal import Goal

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3.0, (60, 2))
Y = X[:, 0] * X[:, 1] + 0.2 * RNG.normal(size=60)
BRIEF = {"max_epochs": 3, "random_state": 0, "prior": None, "model_selection": "accuracy"}
LITTLE = {"evaluations_per_epoch": 300, "max_length": 9}


def brief(**parameters):
    return DDSRRegressor(**BRIEF | {"config": LITTLE} | parameters)


@pytest.mark.parametrize(
    ("text", "is_met"),
    [
        ("r2>0.9", True),
        ("r2 > 0.9 and size < 10", True),
        ("r2 > 0.9 and complexity<=8", True),
        ("size < 8", False),
        ("r2 >= 0.95 and loss < 0.01 and size < 20", False),
        ("loss <= 1e-1", True),
    ],
)
def test_all_conditions_must_hold(text, is_met):
    assert Goal.of(text).is_met(size=8, r2=0.95, loss=0.1) is is_met


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ("rr2 > 0.9", "unknown measure 'rr2' .did you mean 'r2'"),
        ("r2 = 0.9", "'r2 = 0.9' is not a condition: write stop_at like"),
        ("r2 > 0.9 and", "'' is not a condition"),
        ("r2 > much", "'much' is not a number"),
        ("r2 > nan", "'nan' is not a number"),
        (0.9, "stop_at must be a text or None, got 0.9"),
    ],
)
def test_errors_name_the_part(goal, message):
    with pytest.raises(MethodError, match=message):
        brief(stop_at=goal).fit(X, Y)


def test_the_search_ends_at_the_goal():
    model = brief(stop_at="r2 > 0.8 and size < 10", guesses=["C * x0 * x1"]).fit(X, Y)
    assert model.stopped_by_ == "stop_at" and model.n_epochs_ == 0
    assert brief(stop_at="r2 > 2").fit(X, Y).stopped_by_ == "max_epochs"


def test_a_run_that_met_its_goal_continues_without_it(tmp_path):
    parameters = BRIEF | {"config": LITTLE, "stop_at": "size < 30"}
    run = RunFolder.create(tmp_path / "run", X, Y, parameters=parameters)
    assert run.fit().stopped_by_ == "stop_at"
    assert RunFolder.open(tmp_path / "run").resume(more_epochs=1).stopped_by_ == "max_epochs"
