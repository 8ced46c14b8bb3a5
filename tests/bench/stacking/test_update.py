"""Updates in a stack equal those of each member alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from ddsr._core import PAD
from ddsr.config import DenoiserConfig, PaperConfig
from ddsr.engine import Engine
from ddsr.expression import Vocabulary
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.grammar import Grammar
from ddsr.learning.memory import EliteMemory
from ddsr.learning.objective import GRPO, RiskSeekingPolicyGradient
from ddsr.learning.policy import MASKING, Policy
from ddsr_bench.stacking.parameters import StackedParameters
from ddsr_bench.stacking.update import Lessons, StackedUpdate

CPU = torch.device("cpu")
CONFIG = PaperConfig(
    max_length=8,
    batch_size=60,
    oversampling=2,
    elite_fraction=0.1,
    learning_rate=1e-3,
    updates_per_epoch=3,
    epochs_per_reference=2,
    denoiser=DenoiserConfig(feed_forward_width=64),
)
VOCABULARIES = (Vocabulary(("x",), ("add", "mul")), Vocabulary(("x", "y", "z"), ("add", "mul", "sin", "exp")))
VOCAB_SIZE = max(map(len, VOCABULARIES))


class Alone:
    """A search of one problem without a stack."""

    def __init__(self, vocabulary, objective, seed):
        grammar = Grammar(vocabulary, CONFIG.max_length, CONFIG.max_constants)
        self.seed, self.vocab_size = seed, len(vocabulary)
        self.generator = MaskedDiffusion(grammar, CONFIG, seed, CPU)
        self.policy = Policy(self.generator, objective, CONFIG, seed)
        X = np.random.default_rng(seed).uniform(0.5, 3.0, size=(30, len(vocabulary.variables)))
        self.engine = Engine(vocabulary, X, X[:, 0] ** 2 + X[:, -1])
        self.memory = EliteMemory(CONFIG.n_elites)

    def next_pool(self, epoch):
        scores = self.engine.score(self.generator.sample(CONFIG.batch_size, epoch))
        self.memory = self.memory.trimmed() if self.memory.kept is not None else self.memory
        self.memory = self.memory.merge(scores.batch, scores.reward)
        return self.memory.pool


def write_lesson(lessons, member, alone, pool, epoch):
    """Write what `Policy.examples` makes of the pool to the place of a member."""
    rng = np.random.default_rng((alone.seed, MASKING, epoch))
    tokens, n_rows = pool.batch.tokens, len(pool)
    for number in range(CONFIG.updates_per_epoch):
        view = alone.generator.corrupt(tokens, rng)
        lessons.noisy_tokens[number, member, :n_rows] = torch.from_numpy(view.noisy_tokens)
        lessons.step[number, member, :n_rows] = torch.from_numpy(view.step)
        lessons.is_masked[number, member, :n_rows] = torch.from_numpy(view.is_masked)
    lessons.tokens[member, :n_rows] = torch.from_numpy(np.maximum(tokens, 0).astype(np.int64))
    lessons.is_token[member, :n_rows] = torch.from_numpy(tokens != PAD)
    legal = torch.from_numpy(alone.generator.legal_tokens(tokens))
    lessons.is_legal[member, :n_rows, :, : alone.vocab_size] = legal
    lessons.advantage[member, :n_rows] = torch.from_numpy(pool.advantage.astype(np.float32))
    lessons.is_learning[member] = True
    lessons.renews[member] = epoch % CONFIG.epochs_per_reference == 0


def empty_lessons():
    return Lessons.empty(
        CONFIG.updates_per_epoch, len(VOCABULARIES), 2 * CONFIG.n_elites, CONFIG.max_length, VOCAB_SIZE, CPU
    )


def stacked(members, objective):
    parameters = StackedParameters(len(members), VOCAB_SIZE, CONFIG.max_length, CONFIG.denoiser, CPU)
    for place, alone in enumerate(members):
        parameters.load(place, alone.policy.saved(), alone.vocab_size)
    return StackedUpdate(parameters, objective, CONFIG.learning_rate, CONFIG.n_elites)


@pytest.mark.parametrize("objective", [GRPO(CONFIG.objective), RiskSeekingPolicyGradient(CONFIG.objective)])
def test_each_member_learns_as_it_does_alone(objective):
    members = [Alone(vocabulary, objective, seed) for seed, vocabulary in enumerate(VOCABULARIES)]
    update = stacked(members, objective)
    for epoch in range(3):
        lessons, expected = empty_lessons(), []
        for place, alone in enumerate(members):
            pool = alone.next_pool(epoch)
            write_lesson(lessons, place, alone, pool, epoch)
            expected.append(alone.policy.update(pool, epoch))
        found = update.take(lessons).mean(dim=0)
        for place, stats in enumerate(expected):
            wanted = [stats.loss, stats.kl, stats.entropy, stats.clip_share]
            assert found[:, place].tolist() == pytest.approx(wanted, rel=1e-4, abs=1e-5)
    for place, alone in enumerate(members):
        assert_same(update.parameters.saved(place, alone.vocab_size), alone.policy.saved())


def assert_same(found, wanted):
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        if isinstance(value, dict):
            assert_same(found[name], value)
        elif not name.endswith(
            "key.bias"
        ):  # it has no effect: its gradient is rounding, which Adam amplifies
            np.testing.assert_allclose(found[name], value, rtol=1e-3, atol=1e-5, err_msg=name)


def test_gradients_agree_with_those_alone():
    objective = GRPO(CONFIG.objective)
    members = [Alone(vocabulary, objective, seed) for seed, vocabulary in enumerate(VOCABULARIES)]
    update, lessons = stacked(members, objective), empty_lessons()
    examples = []
    for place, alone in enumerate(members):
        pool = alone.next_pool(0)
        write_lesson(lessons, place, alone, pool, 0)
        examples.append(alone.policy.examples(pool, 0)[1])
    own = update.parameters
    old = update._log_probs(own.named(own.current), lessons, 1)
    _, gradient = update.gradient(lessons, 1, old, old)
    for place, (alone, example) in enumerate(zip(members, examples, strict=True)):
        new = alone.generator.log_probs(alone.generator.network, example.inputs, example.targets.is_legal)
        objective.loss(new, example.old, example.reference, example.targets).value.backward()
        found = own._taken(place, gradient, alone.vocab_size)
        for name, parameter in alone.generator.network.named_parameters():
            np.testing.assert_allclose(found[name], parameter.grad.numpy(), rtol=1e-4, atol=1e-5)


def test_members_that_do_not_learn_are_unchanged():
    objective = GRPO(CONFIG.objective)
    members = [Alone(vocabulary, objective, seed) for seed, vocabulary in enumerate(VOCABULARIES)]
    update, lessons = stacked(members, objective), empty_lessons()
    write_lesson(lessons, 1, members[1], members[1].next_pool(0), 0)
    before = update.parameters.saved(0, members[0].vocab_size)
    assert torch.isfinite(update.take(replace(lessons))).all()
    after = update.parameters.saved(0, members[0].vocab_size)
    assert all(np.array_equal(before["network"][name], after["network"][name]) for name in before["network"])
    assert update.parameters.n_steps.tolist() == [0.0, CONFIG.updates_per_epoch]


def test_a_member_continues_alone_from_a_state_of_the_stack():
    objective = GRPO(CONFIG.objective)
    members = [Alone(vocabulary, objective, seed) for seed, vocabulary in enumerate(VOCABULARIES)]
    update, lessons = stacked(members, objective), empty_lessons()
    for place, alone in enumerate(members):
        write_lesson(lessons, place, alone, alone.next_pool(0), 0)
    update.take(lessons)
    again = Alone(VOCABULARIES[1], objective, 1)
    again.policy.restore(update.parameters.saved(1, again.vocab_size))
    assert_same(again.policy.saved(), update.parameters.saved(1, again.vocab_size))
    update.parameters.load(0, again.policy.saved(), again.vocab_size)  # and in another of its places
    assert_same(update.parameters.saved(0, again.vocab_size), again.policy.saved())
