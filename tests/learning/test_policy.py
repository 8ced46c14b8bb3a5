from dataclasses import replace

import numpy as np
import pytest
import torch

from chance_cases import assert_rate
from ddsr._core import PAD
from ddsr.config import DenoiserConfig, DSRConfig, PaperConfig
from ddsr.engine import Engine
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.generators.diffusion.d3pm import D3PM
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.generators.recurrent.generator import RecurrentGenerator
from ddsr.grammar import Grammar
from ddsr.learning.memory import EliteMemory, Pool, ShortTermMemory
from ddsr.learning.objective import GRPO, RiskSeekingPolicyGradient
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


def run(config, epochs, seed=0, n_threads=1, kind=MaskedDiffusion):
    """Mean reward of each epoch's samples, and the statistics of its updates."""
    grammar = Grammar(VOCABULARY, config.max_length, config.max_constants)
    generator = kind(grammar, config, seed, torch.device("cpu"), n_threads)
    return learn(generator, EliteMemory(config.n_elites), GRPO(config.objective), epochs, n_threads)


def learn(generator, memory, objective, epochs, n_threads=1):
    config = generator.config
    engine = Engine(generator.grammar.vocabulary, X, Y, n_threads=n_threads)
    policy = Policy(generator, objective, config, generator.seed)
    rewards, stats = [], []
    for epoch in range(epochs):
        scores = engine.score(generator.sample(config.batch_size, epoch))
        memory = memory.merge(scores)
        stats.append(policy.update(memory.pool, epoch))
        memory = memory.trimmed()
        rewards.append(scores.reward.mean())
    return rewards, stats, generator


@pytest.mark.slow
@pytest.mark.parametrize("kind", (MaskedDiffusion, D3PM))
def test_a_short_run_raises_the_mean_reward(kind):
    """By 0.05 over an untrained network. Measured: 5 of 5 seeds; assumed: 0.7, so 3 of 16 must."""

    def is_raised(seed):
        grammar = Grammar(VOCABULARY, SMALL.max_length, SMALL.max_constants)
        untrained = kind(grammar, SMALL, seed, torch.device("cpu"), 1).sample(5 * SMALL.batch_size, 0)
        rewards, _, _ = run(SMALL, 60, seed, kind=kind)
        return np.mean(rewards[-5:]) > Engine(VOCABULARY, X, Y).score(untrained).reward.mean() + 0.05

    assert_rate(is_raised, range(16), 0.7)


@pytest.mark.parametrize("kind", (MaskedDiffusion, D3PM))
def test_learned_expressions_become_more_probable(kind):
    """In a pool of two, the worse one has no advantage, so every step is towards the better one."""
    grammar = Grammar(VOCABULARY, SMALL.max_length, SMALL.max_constants)
    generator = kind(grammar, SMALL, 0, torch.device("cpu"), 1)
    batch = Batch.of(Expression.parse(text, VOCABULARY) for text in ("x * y + x", "sin(x) + y"))
    view = generator.corrupt(np.repeat(batch.tokens[:1], 200, axis=0), np.random.default_rng(0))
    is_legal = torch.from_numpy(generator.legal_tokens(view.clean_tokens))
    tokens = torch.from_numpy(np.maximum(view.clean_tokens, 0)).long()[..., None]

    def likelihood():
        with torch.no_grad():
            log_probs = generator.log_probs(generator.network, generator.inputs(view), is_legal)
        return log_probs.gather(-1, tokens)[..., 0].numpy()[view.clean_tokens != PAD].mean()

    before = likelihood()
    policy = Policy(generator, GRPO(SMALL.objective), SMALL, 0)
    for epoch in range(5):
        policy.update(Pool(batch, np.array([1.0, 0.5])), epoch)
    assert likelihood() > before


def run_dsr(config, epochs, seed=0):
    grammar = Grammar(config.vocabulary(("x", "y")), config.max_length, config.max_constants)
    generator = RecurrentGenerator(grammar, config, seed, torch.device("cpu"))
    objective = RiskSeekingPolicyGradient(config.objective)
    return learn(generator, ShortTermMemory(config.n_elites), objective, epochs)


SMALL_DSR = DSRConfig(
    operators=VOCABULARY.operators, max_length=10, batch_size=120, elite_fraction=0.1, learning_rate=1e-2
)


@pytest.mark.slow
@pytest.mark.parametrize("constants", (True, False))
def test_a_short_run_of_dsr_raises_the_mean_reward(constants):
    """By 0.03 over the first epochs. Measured: 8 of 8 seeds; assumed: 0.7, so 5 of 20 must."""

    def is_raised(seed):
        rewards, _, _ = run_dsr(replace(SMALL_DSR, constants=constants), 60, seed)
        return np.mean(rewards[-5:]) > np.mean(rewards[:5]) + 0.03

    assert_rate(is_raised, range(20), 0.7)


def test_same_seed_same_run_of_dsr():
    assert run_dsr(SMALL_DSR, 3)[0] == run_dsr(SMALL_DSR, 3)[0] != run_dsr(SMALL_DSR, 3, seed=1)[0]


class Recording:
    """An objective that records its arguments."""

    def __init__(self, objective):
        self.objective, self.targets = objective, []

    def loss(self, new, old, reference, targets):
        self.targets.append(targets)
        return self.objective.loss(new, old, reference, targets)


def test_training_uses_the_generators_order():
    """Steps on one expression raise its likelihood, so every token is a target at its own position."""
    config = replace(SMALL_DSR, updates_per_epoch=20)
    grammar = Grammar(config.vocabulary(("x", "y")), config.max_length, config.max_constants)
    generator = RecurrentGenerator(grammar, config, 0, torch.device("cpu"))
    batch = Batch.of(
        Expression.parse(text, grammar.vocabulary) for text in ("(x + y) * sin(y)", "x * (y * x)")
    )
    view = generator.corrupt(batch.tokens, np.random.default_rng(0))
    is_legal = torch.from_numpy(generator.legal_tokens(view.clean_tokens))

    def likelihood():
        with torch.no_grad():
            log_probs = generator.log_probs(generator.network, generator.inputs(view), is_legal)
        chosen = log_probs.gather(-1, torch.from_numpy(np.maximum(view.clean_tokens, 0)).long()[..., None])
        return chosen[..., 0].numpy()[0][view.clean_tokens[0] != PAD].sum()

    before = likelihood()
    objective = Recording(RiskSeekingPolicyGradient(config.objective))
    policy = Policy(generator, objective, config, 0)
    for epoch in range(5):
        policy.update(Pool(batch, np.array([1.0, 0.5])), epoch)
    assert likelihood() > before
    for targets in objective.targets:
        is_token = targets.is_token.numpy()
        assert (targets.tokens.numpy()[is_token] == view.clean_tokens[view.clean_tokens != PAD]).all()
        assert (view.clean_tokens != batch.tokens).any() and torch.equal(targets.is_legal, is_legal)


def test_same_seed_same_run_on_any_number_of_threads():
    one, other = run(SMALL, 2, n_threads=1), run(SMALL, 2, n_threads=3)
    assert one[0] == other[0] and one[1] == other[1]
    for left, right in zip(one[2].network.parameters(), other[2].network.parameters(), strict=True):
        assert torch.equal(left, right)
    assert run(SMALL, 2, seed=1)[0] != one[0]


def test_the_reference_is_renewed_every_g_epochs():
    _, often, _ = run(replace(SMALL, epochs_per_reference=1), 4)
    _, seldom, _ = run(replace(SMALL, epochs_per_reference=100), 4)
    assert often[0].kl == pytest.approx(seldom[0].kl)
    assert seldom[3].kl > often[3].kl


@pytest.mark.parametrize("kind", (MaskedDiffusion, D3PM, RecurrentGenerator))
def test_all_corruptions_in_one_pass_give_what_one_pass_each_gives(kind):
    config = SMALL_DSR if kind is RecurrentGenerator else SMALL
    config = replace(config, updates_per_epoch=3)
    grammar = Grammar(config.vocabulary(("x", "y")), config.max_length, config.max_constants)
    generator = kind(grammar, config, 0, torch.device("cpu"))
    batch = generator.sample(20, 0)
    policy = Policy(generator, GRPO(config.objective), config, seed=0)
    with torch.no_grad():  # make θ_ref differ from θ
        policy.reference.to_logits.bias.add_(torch.linspace(0, 1, len(grammar.vocabulary)))
    examples = policy.examples(Pool(batch, np.linspace(1.0, 0.5, len(batch))), epoch=0)
    assert len(examples) == 3
    if kind is not RecurrentGenerator:  # it has no noise
        assert not torch.equal(examples[0].inputs[0], examples[1].inputs[0])
    for example in examples:
        for network, found in ((generator.network, example.old), (policy.reference, example.reference)):
            with torch.no_grad():
                expected = generator.log_probs(network, example.inputs, example.targets.is_legal)
            torch.testing.assert_close(found, expected)
        assert not torch.equal(example.old, example.reference)
