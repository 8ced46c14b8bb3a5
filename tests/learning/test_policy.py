from dataclasses import replace

import numpy as np
import pytest
import torch

from ddsr.config import DenoiserConfig, PaperConfig
from ddsr.diffusion.generator import MaskedDiffusion
from ddsr.engine import Engine
from ddsr.expression import Vocabulary
from ddsr.grammar import Grammar
from ddsr.learning.memory import EliteMemory
from ddsr.learning.objective import GRPO
from ddsr.learning.policy import Policy

SMALL = PaperConfig(
    max_length=8,
    batch_size=120,
    oversampling=2,
    elite_fraction=0.1,
    learning_rate=3e-3,
    denoiser=DenoiserConfig(feed_forward_width=64),
)
VOCABULARY = Vocabulary(("x", "y"), ("add", "mul", "sin"))
X = np.random.default_rng(0).uniform(0.5, 3.0, size=(40, 2))
Y = X[:, 0] * X[:, 1] + X[:, 0]


def run(config, epochs, seed=0, n_threads=1):
    """Mean reward of each epoch's samples, and the statistics of its updates."""
    grammar = Grammar(VOCABULARY, config.max_length, config.max_constants)
    generator = MaskedDiffusion(grammar, config, seed, torch.device("cpu"), n_threads)
    engine = Engine(VOCABULARY, X, Y, n_threads=n_threads)
    memory, policy = EliteMemory(config.n_elites), Policy(generator, GRPO(config.objective), config, seed)
    rewards, stats = [], []
    for epoch in range(epochs):
        scores = engine.score(generator.sample(config.batch_size, epoch))
        memory = memory.merge(scores)
        stats.append(policy.update(memory.pool, epoch))
        memory = memory.trimmed()
        rewards.append(scores.reward.mean())
    return rewards, stats, generator


def test_a_short_run_raises_the_mean_reward():
    rewards, _, _ = run(SMALL, 40)
    assert np.mean(rewards[-5:]) > np.mean(rewards[:5]) + 0.03


def test_same_seed_same_run_on_any_number_of_threads():
    one, other = run(SMALL, 3, n_threads=1), run(SMALL, 3, n_threads=3)
    assert one[0] == other[0] and one[1] == other[1]
    for left, right in zip(one[2].network.parameters(), other[2].network.parameters(), strict=True):
        assert torch.equal(left, right)
    assert run(SMALL, 3, seed=1)[0] != one[0]


def test_the_reference_is_renewed_every_g_epochs():
    _, often, _ = run(replace(SMALL, epochs_per_reference=1), 4)
    _, seldom, _ = run(replace(SMALL, epochs_per_reference=100), 4)
    assert often[0].kl == pytest.approx(seldom[0].kl)
    assert seldom[3].kl > often[3].kl
