"""A search in a stack equals the search alone."""

from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np
import pytest
import torch

from ddsr.config import DenoiserConfig, PaperConfig
from ddsr.engine import Engine
from ddsr.expression import Vocabulary
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.grammar import Grammar
from ddsr.learning.memory import EliteMemory
from ddsr.learning.objective import GRPO
from ddsr.learning.policy import Policy
from ddsr.search.loop import search
from ddsr_bench.stacking.networks import StackedNetworks
from ddsr_bench.stacking.seat import Seat
from ddsr_bench.stacking.stack import Stack

CPU = torch.device("cpu")
CONFIG = PaperConfig(
    max_length=8,
    batch_size=40,
    oversampling=2,
    elite_fraction=0.1,
    updates_per_epoch=2,
    denoiser=DenoiserConfig(feed_forward_width=64),
)
OBJECTIVE = GRPO(CONFIG.objective)
VOCABULARIES = (Vocabulary(("x",), ("add", "mul")), Vocabulary(("x", "y"), ("add", "mul", "sin")))
N_EPOCHS = 3


def make(number):
    vocabulary = VOCABULARIES[number]
    grammar = Grammar(vocabulary, CONFIG.max_length, CONFIG.max_constants)
    X = np.random.default_rng(number).uniform(0.5, 3.0, size=(30, len(vocabulary.variables)))
    return MaskedDiffusion(grammar, CONFIG, number, CPU), Engine(vocabulary, X, X[:, 0] ** 2 + X[:, -1])


def alone(number):
    generator, engine = make(number)
    policy = Policy(generator, OBJECTIVE, CONFIG, number)
    states = search(generator, engine, EliteMemory(CONFIG.n_elites), policy, CONFIG.batch_size)
    return list(islice(states, N_EPOCHS))


def stacked(stack, number, saved=None, n_epochs=N_EPOCHS):
    generator, engine = make(number)
    with Seat(stack, generator, OBJECTIVE) as seat:
        states = search(seat, engine, EliteMemory(CONFIG.n_elites), seat, CONFIG.batch_size, saved=saved)
        found = list(islice(states, n_epochs))
        return found, found[-1].save()


def make_stack(n_places=2):
    networks = StackedNetworks(n_places, max(map(len, VOCABULARIES)), CONFIG, OBJECTIVE, CPU)
    return Stack(networks)


def test_searches_in_a_stack_find_what_they_find_alone():
    stack = make_stack()
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda number: stacked(stack, number)[0], range(2)))
    for number, states in enumerate(found):
        # Both draw the first epoch from equal weights; later ones may differ by last bits of an update.
        mine, theirs = states[0].stats, alone(number)[0].stats
        assert (mine.best_reward, mine.mean_reward) == (theirs.best_reward, theirs.mean_reward)
        assert mine.update.loss == pytest.approx(theirs.update.loss, rel=1e-3, abs=1e-5)
        assert [state.epoch for state in states] == list(range(N_EPOCHS))


def test_a_search_continues_in_another_stack():
    stack = make_stack(1)
    whole, _ = stacked(stack, 1)
    _, saved = stacked(make_stack(1), 1, n_epochs=1)
    rest, _ = stacked(make_stack(2), 1, saved=saved, n_epochs=N_EPOCHS - 1)
    assert [state.epoch for state in rest] == [1, 2]
    assert rest[0].stats.mean_reward == whole[1].stats.mean_reward  # drawn from the saved weights


def test_more_searches_than_places_take_turns():
    stack = make_stack(1)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda number: stacked(stack, number)[0], range(2)))
    assert [len(states) for states in found] == [N_EPOCHS] * 2
