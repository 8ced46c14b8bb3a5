"""Padding a pool changes nothing; on a GPU, the graph's steps equal those of the eager path."""

import copy

import numpy as np
import pytest
import torch

from ddsr.config import DenoiserConfig, PaperConfig
from ddsr.expression import Vocabulary
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.grammar import Grammar
from ddsr.learning.captured_step import _fill, _filled_up, _restore
from ddsr.learning.memory import Pool
from ddsr.learning.objective import GRPO, RiskSeekingPolicyGradient
from ddsr.learning.policy import Policy
from ddsr.learning.step import Step

CONFIG = PaperConfig(max_length=10, batch_size=100, denoiser=DenoiserConfig(feed_forward_width=64))
OBJECTIVES = pytest.mark.parametrize("objective", (GRPO, RiskSeekingPolicyGradient))
N_ROWS = 2 * CONFIG.n_elites


def make_policy(objective, device="cpu", is_captured=False):
    grammar = Grammar(Vocabulary(("x", "y")), CONFIG.max_length)
    generator = MaskedDiffusion(grammar, CONFIG, 0, torch.device(device))
    return Policy(generator, objective(CONFIG.objective), CONFIG, seed=0, is_captured=is_captured)


def make_pool(policy, n, seed):
    batch = policy.learner.sample(n, seed)
    return Pool(batch, np.sort(np.random.default_rng(seed).random(len(batch)))[::-1])


@OBJECTIVES
def test_padding_changes_neither_loss_nor_gradient(objective):
    policy = make_policy(objective)
    short, long = (policy.examples(make_pool(policy, n, n), 0)[1] for n in (4, 7))
    buffers = _filled_up(long, N_ROWS)
    _fill(buffers, short)  # must clear what the longer pool left
    found = []
    for example in (short, buffers):
        network = copy.deepcopy(policy.learner.network)
        still = torch.optim.SGD(network.parameters(), lr=0.0)
        loss = Step(network, policy.learner.log_probs, objective(CONFIG.objective), still).take(example)
        found.append((loss, [parameter.grad for parameter in network.parameters()]))
    (plain, gradients), (filled, filled_gradients) = found
    assert plain.value != 0 and len(buffers.targets.advantage) == N_ROWS
    for name in ("value", "kl", "entropy", "clip_share"):
        torch.testing.assert_close(getattr(filled, name), getattr(plain, name), rtol=1e-4, atol=1e-6)
    for expected, gradient in zip(gradients, filled_gradients, strict=True):
        torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-6)


def test_adam_is_put_back_in_place():
    weight = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.Adam([weight], lr=0.1)
    weight.grad = torch.arange(3.0)
    fresh = copy.deepcopy(optimizer.state_dict()["state"])
    optimizer.step()
    once = copy.deepcopy(optimizer.state_dict()["state"])
    held = optimizer.state[weight]["exp_avg"]
    optimizer.step()
    _restore(optimizer.state_dict()["state"], once)
    assert optimizer.state[weight]["exp_avg"] is held and torch.equal(held, once[0]["exp_avg"])
    assert optimizer.state[weight]["step"] == 1
    _restore(optimizer.state_dict()["state"], fresh)
    assert not held.any() and optimizer.state[weight]["step"] == 0


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@OBJECTIVES
def test_the_graph_learns_what_the_eager_steps_learn(objective):
    eager, captured = (make_policy(objective, "cuda", is_captured) for is_captured in (False, True))
    for epoch in range(6):
        pool = make_pool(eager, 3 + epoch, epoch)
        expected, found = eager.update(pool, epoch), captured.update(pool, epoch)
        assert found.loss == pytest.approx(expected.loss, rel=1e-3, abs=1e-5)
        assert found.entropy == pytest.approx(expected.entropy, rel=1e-3)
        assert found.kl == pytest.approx(expected.kl, rel=1e-2, abs=1e-6)
    # Compares predictions: weights without effect, such as the keys' biases, drift by rounding.
    said = [policy.examples(pool, 6)[0].old for policy in (eager, captured)]
    torch.testing.assert_close(*said, rtol=1e-3, atol=1e-3)
