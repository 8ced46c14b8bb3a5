"""Work that is cut short: what is discarded, what is kept, and that other work is not changed."""

import math
import time

import numpy as np
import pytest
import torch

from clock_cases import PATIENT
from ddsr.config import DenoiserConfig, PaperConfig
from ddsr.deadline import NEVER, Deadline, TimeIsUp
from ddsr.engine import Engine
from ddsr.generators.diffusion.d3pm import D3PM
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.grammar import Grammar
from ddsr.learning.memory import EliteMemory
from ddsr.search.loop import UniformGenerator, search
from strategies import PLAIN

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))
Y = np.sin(3 * X[:, 0]) * X[:, 1]
SMALL = PaperConfig(max_length=8, oversampling=1, denoiser=DenoiserConfig(feed_forward_width=32))
GRAMMAR = Grammar(PLAIN, SMALL.max_length)
PAST = Deadline(0.0)


def in_seconds(seconds):
    return Deadline(time.monotonic() + seconds)


def test_a_deadline_passes_once(clock):
    assert NEVER.seconds_left == math.inf and not NEVER.has_passed
    NEVER.check()
    soon = Deadline(clock.now + 1.0)
    assert soon.seconds_left == 1.0 and not soon.has_passed
    soon.check()
    clock.advance(1.5)
    assert soon.seconds_left == 0 and soon.has_passed
    with pytest.raises(TimeIsUp):
        soon.check()


def test_scoring_stops_or_is_unchanged():
    engine = Engine(PLAIN, X, Y)
    batch = UniformGenerator(GRAMMAR).sample(300, 0)
    with pytest.raises(TimeIsUp):
        engine.score(batch, deadline=PAST)
    for deadline in (NEVER, in_seconds(PATIENT), Deadline(1e300)):
        assert (engine.score(batch, deadline=deadline).nrmse == engine.score(batch).nrmse).all()


def test_scoring_stops_within_a_batch():
    """If the deadline were read only before or after the batch, this would take minutes."""
    many = np.random.default_rng(0).uniform(0.5, 3.0, size=(500_000, 3))
    engine = Engine(PLAIN, many, many[:, 0], n_threads=2)
    batch = UniformGenerator(Grammar(PLAIN, 30)).sample(20_000, 0)
    with pytest.raises(TimeIsUp):
        engine.score(batch, deadline=in_seconds(0.1))


@pytest.mark.parametrize("kind", (MaskedDiffusion, D3PM))
def test_a_generator_stops_or_is_unchanged(kind):
    one, other = (
        kind(GRAMMAR, SMALL, 0, torch.device("cpu"), 1, deadline) for deadline in (NEVER, in_seconds(PATIENT))
    )
    assert (one.draw(100, 0) == other.draw(100, 0)).all()
    with pytest.raises(TimeIsUp):
        kind(GRAMMAR, SMALL, 0, torch.device("cpu"), 1, PAST).draw(100, 0)


class CountingPolicy:
    """Counts its updates instead of learning."""

    def __init__(self):
        self.n_updates = 0

    def update(self, pool, epoch):
        self.n_updates += 1


class SlowGenerator:
    """Is slow, and from the third epoch on too slow."""

    def sample(self, batch_size, epoch):
        if epoch == 2:
            raise TimeIsUp
        return UniformGenerator(GRAMMAR).sample(batch_size, epoch)


def test_an_epoch_cut_short_ends_the_search_without_a_trace():
    policy, engine = CountingPolicy(), Engine(PLAIN, X, Y)
    states = list(search(SlowGenerator(), engine, EliteMemory(5), policy, 50, deadline=in_seconds(PATIENT)))
    assert [state.epoch for state in states] == [0, 1]
    assert policy.n_updates == 2


def test_an_epoch_scored_too_late_counts_but_is_not_learned_from(clock):
    engine, policy = Engine(PLAIN, X, Y), CountingPolicy()
    soon = Deadline(clock.now + PATIENT)

    class LateEngine(Engine):
        def score(self, batch, **options):
            scores = engine.score(batch)
            clock.advance(2 * PATIENT)
            return scores

    late = LateEngine(PLAIN, X, Y)
    states = search(UniformGenerator(GRAMMAR), late, EliteMemory(5), policy, 50, deadline=soon)
    state = next(states)
    assert len(state.front) > 0 and state.n_scored == 50
    assert policy.n_updates == 0 and state.stats.update is None
