import numpy as np
import pytest

from ddsr.engine import Engine, FitOptions
from ddsr.expression import Batch
from ddsr.grammar import Grammar
from ddsr.learning.memory import EliteMemory, ShortTermMemory
from strategies import PLAIN

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(50, 3))
ENGINE = Engine(PLAIN, X, X[:, 0] * X[:, 1], options=FitOptions(max_steps=2))


def scores_of(epoch, n=200):
    tokens = Grammar(PLAIN, max_length=9).sample(n, seed=0, stream=epoch)
    return ENGINE.score(Batch.from_tokens(PLAIN, tokens))


def test_never_two_of_the_same_form_and_never_loses_its_best():
    memory, best = EliteMemory(10), 0.0
    for epoch in range(8):
        scores = scores_of(epoch)
        memory = memory.merge(scores)
        best = max(best, scores.reward.max())
        keys = memory.pool.batch.keys()
        assert len(set(keys)) == len(keys) <= 20
        assert (np.diff(memory.pool.reward) <= 0).all()
        assert memory.pool.reward[0] == best
        assert memory.pool.reward_floor == memory.pool.reward.min()
        assert memory.pool.advantage.min() == 0.0
        memory = memory.trimmed()
        assert len(memory.pool) <= 10 and memory.pool.reward[0] == best


def test_the_pool_joins_this_epoch_with_all_before():
    first, second = scores_of(0), scores_of(1)
    memory = EliteMemory(10).merge(first)
    joined = memory.trimmed().merge(second)
    top = np.sort(np.concatenate([memory.pool.reward, ShortTermMemory(10).merge(second).pool.reward]))[::-1]
    assert set(joined.pool.reward) <= set(top)
    assert joined.pool.reward[0] == top[0]
    assert len(joined.pool) > 10


def test_a_pool_is_trimmed_to_the_best_of_its_size():
    """The joined pool has between αB and 2αB expressions, as some are in both halves; αB are kept."""
    first = EliteMemory(10).merge(scores_of(0))
    assert len(first.pool) == len(first.trimmed().pool) == 10
    overlapping = EliteMemory(10, kept=first.pool).merge(scores_of(0, n=150))
    full = first.trimmed().merge(scores_of(1))
    assert 10 <= len(overlapping.pool) < len(full.pool) <= 20
    for joined in (overlapping, full):
        kept = joined.trimmed().pool
        assert kept.reward.tolist() == joined.pool.reward[:10].tolist()
        assert kept.batch.keys() == joined.pool.batch.keys()[:10]


def test_the_better_constants_of_one_form_stay():
    tokens = Batch.from_tokens(PLAIN, scores_of(0).batch.tokens)
    poor = Engine(PLAIN, X, X[:, 0] * X[:, 1], options=FitOptions(max_steps=0)).score(tokens)
    good = Engine(PLAIN, X, X[:, 0] * X[:, 1], options=FitOptions(max_steps=20)).score(tokens)
    memory = EliteMemory(200).merge(poor).merge(good)
    assert memory.pool.reward[0] == good.reward.max()
    by_key = dict(zip(memory.pool.batch.keys(), memory.pool.reward, strict=True))
    for key, reward in zip(good.batch.keys(), good.reward, strict=True):
        assert by_key[key] >= reward


def test_short_term_memory_forgets():
    memory = ShortTermMemory(10).merge(scores_of(0))
    first = memory.pool.reward.copy()
    second = memory.trimmed().merge(scores_of(1)).pool.reward
    assert len(first) == len(second) == 10
    assert not np.array_equal(first, second)
    with pytest.raises(LookupError):
        _ = memory.trimmed().pool
