"""Rewards: the paper's, and the one that counts the price of an expression."""

import numpy as np
import pytest

from ddsr.config import PaperConfig
from ddsr.engine import Engine, FitOptions
from ddsr.errors import MethodError
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.learning.reward import RewardOfLength, reward_of_error
from ddsr.price.code_in_use import code_in_use
from ddsr.price.enumeration import least_nats_of_constants
from ddsr.search.presets import assemble, parse_method, settings

VOCABULARY = Vocabulary(["x"], ["add", "mul", "sin", "log"])


def engine_of(n_rows, noise=0.1, max_steps=30):
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 3.0, size=(n_rows, 1))
    y = 2.0 * x[:, 0] + noise * rng.normal(size=n_rows)
    return Engine(VOCABULARY, x, y, options=FitOptions(max_steps=max_steps))


def scores_on(engine, *texts):
    return engine.score([Expression.parse(text, VOCABULARY) for text in texts])


def test_the_reward_is_that_of_the_description_length_per_row():
    engine = engine_of(30)
    scores = scores_on(engine, "2.5 * x", "sin(2.5 * x) + 1.5", "x")
    prices = code_in_use().prices(list(scores.batch), [[True] * each.n_constants for each in scores.batch])
    constants = [least_nats_of_constants(each.n_constants, 30) for each in scores.batch]
    expected = 1.0 / (1.0 + scores.nrmse * np.exp((prices + constants) / 30))
    np.testing.assert_allclose(RewardOfLength(engine, 50)(scores), expected, rtol=1e-9)


def test_terms_that_fit_nothing_but_noise_lower_the_reward():
    engine = engine_of(25, noise=0.3)
    scores = scores_on(engine, "2.5 * x", "2.5 * x + 0.1 * sin(9.1 * x)")
    assert np.diff(reward_of_error(scores)) >= 0.0
    assert np.diff(RewardOfLength(engine, 50)(scores)) < 0.0


def test_on_many_rows_it_is_the_reward_of_the_paper():
    texts = "2.5 * x", "x", "sin(x)"
    few, many = (
        np.abs(RewardOfLength(engine, 50)(scores) - reward_of_error(scores)).max()
        for engine in (engine_of(20), engine_of(20_000))
        for scores in [scores_on(engine, *texts)]
    )
    assert many < 1e-3 < few


def test_what_is_not_finite_has_the_reward_0():
    engine = engine_of(20)
    assert RewardOfLength(engine, 50)(scores_on(engine, "log(log(sin(x)))", "x"))[0] == 0.0


def test_only_the_best_are_priced():
    engine = engine_of(2000, max_steps=0)
    scores = scores_on(engine, *(f"{n / 10} * x" for n in range(1, 200)))
    all_priced, few_priced = (RewardOfLength(engine, n_best)(scores) for n_best in (199, 5))
    best = np.argsort(-all_priced)[:5]
    assert few_priced[best].tolist() == all_priced[best].tolist()
    assert (few_priced >= all_priced).all() and (few_priced > all_priced).any()
    assert np.delete(few_priced, best).max() <= few_priced[best].min()


def test_without_constants_only_the_structure_is_priced():
    vocabulary = Vocabulary(["x"], ["add", "mul"], has_one=True, has_constant=False)
    x = np.linspace(1.0, 2.0, 10)[:, None]
    engine = Engine(vocabulary, x, x[:, 0] ** 2)
    scores = engine.score([Expression.parse(text, vocabulary) for text in ("x", "x + 1")])
    structure = code_in_use().prices(list(scores.batch), [[], []])
    expected = 1.0 / (1.0 + scores.nrmse * np.exp(structure / 10))
    np.testing.assert_allclose(RewardOfLength(engine, 50)(scores), expected, rtol=1e-9)


def test_the_preset_takes_it_as_an_option():
    config = settings(parse_method("paper:reward=description_length"))
    assert (config.reward, config.model_selection) == ("description_length", "description_length")
    assert settings(parse_method("paper")).model_selection == "accuracy"
    with pytest.raises(MethodError, match="reward must be one of error, description_length, got 'r2'"):
        PaperConfig(reward="r2")


def test_a_search_learns_from_it():
    x = np.linspace(0.5, 3.0, 20)[:, None]
    config = PaperConfig(batch_size=40, max_length=8, reward="description_length")
    vocabulary = config.vocabulary(["x"])
    states, engine = assemble("paper", vocabulary, x, 2.0 * x[:, 0] + np.sin(9.0 * x[:, 0]), config=config)
    pool = next(states).save()["memory"]["kept"]
    batch = Batch(vocabulary, pool["tokens"], pool["constants"])
    scores = engine.refit(batch, np.ones(batch.constants.shape, dtype=bool), max_steps=0)
    np.testing.assert_allclose(pool["reward"], RewardOfLength(engine, 50)(scores), rtol=1e-6)
    assert not np.allclose(pool["reward"], reward_of_error(scores), rtol=1e-3)
