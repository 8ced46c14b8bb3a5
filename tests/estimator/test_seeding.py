"""Guesses are fitted within a share of the time; the rest are used as written."""

from math import inf

import numpy as np
import pytest

from ddsr.config import DefaultConfig, PaperConfig
from ddsr.deadline import NEVER, Deadline
from ddsr.engine import Engine
from ddsr.estimator.seeding import GUESS_STEPS, N_AT_ONCE, seeded, time_for_seeds
from ddsr.expression import Expression, Vocabulary
from ddsr.search.presets import parse_method, pose

VOCABULARY = Vocabulary(("x", "y"), ("add", "mul", "sin"))
X = np.random.default_rng(0).uniform(0.5, 3.0, size=(30, 2))
Y = 2.5 * np.sin(1.3 * X[:, 0]) + X[:, 1]
LATE = Deadline(0.0)


def problem(preset):
    config = DefaultConfig() if preset == "ddsr" else PaperConfig()
    return pose(parse_method(preset), VOCABULARY, X, Y, config=config)


def guesses(n):
    return [Expression.parse(f"{k}.5 * x + sin({k}.25 * y)", VOCABULARY) for k in range(n)]


@pytest.fixture
def scored(monkeypatch):
    """Record the number of scored expressions and of fit steps, call by call."""
    calls = []
    score = Engine.score

    def recorded(self, batch, *arguments, options=None, **keywords):
        calls.append((len(batch), (options or self.options).max_steps))
        return score(self, batch, *arguments, options=options, **keywords)

    monkeypatch.setattr(Engine, "score", recorded)
    return calls


@pytest.mark.parametrize("preset", ["ddsr", "paper"])
def test_without_time_few_are_fitted_and_all_are_known(preset, scored):
    posed = problem(preset)
    scored.clear()
    found = seeded(posed, guesses(100), LATE)
    assert len(found.starting_points) == 100 and np.isfinite(found.starting_points.nrmse).all()
    assert sum(n for n, steps in scored if steps == GUESS_STEPS) <= 2 * N_AT_ONCE
    assert scored[-1] == (100, 0)


@pytest.mark.parametrize("preset", ["ddsr", "paper"])
def test_a_time_limit_that_is_not_reached_changes_nothing(preset):
    posed = problem(preset)
    several = guesses(N_AT_ONCE + 3)
    found = seeded(posed, several, NEVER)
    alone = [seeded(posed, [each], NEVER).starting_points.nrmse[0] for each in several]
    np.testing.assert_array_equal(found.starting_points.nrmse, alone)


def test_a_guess_that_is_right_is_found_with_little_time():
    right = Expression.parse("2 * sin(x) + y", VOCABULARY)
    found = seeded(problem("ddsr"), [right, *guesses(50)], LATE)
    assert found.front.most_accurate().nrmse < 1.0


def test_the_share_of_the_time():
    assert time_for_seeds(NEVER, 3) == NEVER
    assert time_for_seeds(Deadline(inf), 1) == NEVER
    assert time_for_seeds(LATE, 2).has_passed
