import math

import pytest
import torch

from ddsr.config import ObjectiveConfig
from ddsr.learning.objective import GRPO, EliteTensors, RiskSeekingPolicyGradient, kl, log_prob_of

B, M, V = 6, 5, 4


def targets(seed=0):
    torch.manual_seed(seed)
    is_token = torch.arange(M)[None] < torch.randint(2, M + 1, (B, 1))
    is_legal = torch.rand(B, M, V) < 0.7
    tokens = torch.randint(0, V, (B, M))
    is_legal.scatter_(-1, tokens[..., None], True)
    is_legal |= ~is_token[..., None]
    is_masked = is_token & (torch.rand(B, M) < 0.5)
    return EliteTensors(tokens, is_token, is_masked, is_legal, torch.rand(B), n_elites=3)


def log_probs(logits, goal):
    return logits.masked_fill(~goal.is_legal, -torch.inf).log_softmax(-1)


def gradient(objective, logits, old_logits, reference_logits, goal):
    logits = logits.clone().requires_grad_()
    loss = objective.loss(
        log_probs(logits, goal), log_probs(old_logits, goal), log_probs(reference_logits, goal), goal
    )
    loss.value.backward()
    return loss, logits.grad


def test_at_theta_old_the_step_is_plain_policy_gradient():
    goal = targets()
    logits = torch.randn(B, M, V)
    config = ObjectiveConfig()
    loss, grpo = gradient(GRPO(config), logits, logits, logits, goal)
    assert loss.kl.item() == pytest.approx(0.0, abs=1e-6) and loss.clip_share.item() == 0.0
    _, plain = gradient(RiskSeekingPolicyGradient(config), logits, logits, logits, goal)
    torch.testing.assert_close(grpo, plain, rtol=1e-4, atol=1e-6)
    assert grpo.abs().sum() > 0


def test_clipping_changes_nothing_inside_the_trust_region():
    goal = targets()
    old = torch.randn(B, M, V)
    near = old + 0.02 * torch.randn(B, M, V)
    tight, _ = gradient(GRPO(ObjectiveConfig(clip_range=0.2)), near, old, old, goal)
    loose, _ = gradient(GRPO(ObjectiveConfig(clip_range=1e6)), near, old, old, goal)
    assert tight.clip_share.item() == 0.0
    assert tight.value.item() == loose.value.item()
    far = old + 2.0 * torch.randn(B, M, V)
    tight, _ = gradient(GRPO(ObjectiveConfig(clip_range=0.2)), far, old, old, goal)
    loose, _ = gradient(GRPO(ObjectiveConfig(clip_range=1e6)), far, old, old, goal)
    assert tight.clip_share.item() > 0.0
    assert tight.value.item() > loose.value.item()


def test_tokens_that_gained_too_much_no_longer_pull():
    goal = targets()
    old = torch.zeros(B, M, V)
    new = torch.zeros(B, M, V).scatter_(-1, goal.tokens[..., None], 5.0)
    config = ObjectiveConfig(kl_weight=0.0, entropy_weight=0.0)
    ratio = (log_prob_of(log_probs(new, goal), goal) - log_prob_of(log_probs(old, goal), goal)).exp()
    _, slope = gradient(GRPO(config), new, old, old, goal)
    is_clipped = (ratio > 1.2) & goal.is_token
    assert is_clipped.any()
    assert slope[is_clipped].abs().max() == 0.0


def test_kl_is_exact_and_never_negative():
    goal = targets()
    new, reference = torch.randn(B, M, V), torch.randn(B, M, V)
    found = kl(log_probs(new, goal), log_probs(reference, goal), goal.is_legal)
    p, q = log_probs(new, goal).exp(), log_probs(reference, goal).exp()
    expected = torch.where(goal.is_legal, p * (p / q).log(), 0.0).sum(-1)
    torch.testing.assert_close(found, expected)
    assert (found >= -1e-6).all()
    assert kl(log_probs(new, goal), log_probs(new, goal), goal.is_legal).abs().max() == 0.0


def test_every_setting_has_its_effect():
    goal = targets()
    old, reference = torch.randn(B, M, V), torch.randn(B, M, V)
    new = old + torch.randn(B, M, V)

    def value(**changed):
        return gradient(GRPO(ObjectiveConfig(**changed)), new, old, reference, goal)[0].value.item()

    base = value()
    for changed in (
        {"clip_range": 0.5},
        {"kl_weight": 0.1},
        {"entropy_weight": 0.1},
        {"counts_masked_only": True},
    ):
        assert value(**changed) != pytest.approx(base, rel=1e-6), changed


def test_positions_behind_the_end_do_not_count():
    goal = targets()
    logits, old, reference = (torch.randn(B, M, V) for _ in range(3))
    _, slope = gradient(GRPO(ObjectiveConfig()), logits, old, reference, goal)
    assert slope[~goal.is_token].abs().max() == 0.0


def test_the_loss_is_the_equation_token_by_token():
    """J = 1/(αB) Σ_i Σ_k min(h A, clip(h) A) − β KL, and λ times the mean entropy of masked tokens."""
    goal = targets(1)
    new, old, reference = (log_probs(torch.randn(B, M, V), goal) for _ in range(3))
    config = ObjectiveConfig(kl_weight=0.3, entropy_weight=0.7)
    total, entropies, divergences = 0.0, [], []
    for i in range(B):
        for k in range(M):
            if not goal.is_token[i, k]:
                continue
            ids = goal.is_legal[i, k].nonzero().flatten().tolist()
            p, q = ({v: lp[i, k, v].exp().item() for v in ids} for lp in (new, reference))
            token, advantage = goal.tokens[i, k].item(), goal.advantage[i].item()
            ratio = p[token] / old[i, k, token].exp().item()
            divergences.append(sum(p[v] * math.log(p[v] / q[v]) for v in ids))
            total += min(ratio * advantage, min(max(ratio, 0.8), 1.2) * advantage) - 0.3 * divergences[-1]
            if goal.is_masked[i, k]:
                entropies.append(-sum(p[v] * math.log(p[v]) for v in ids))
    entropy = sum(entropies) / len(entropies)
    loss = GRPO(config).loss(new, old, reference, goal)
    # αB is 3 here although the pool has 6: sums are not divided by the size of the pool
    assert loss.value.item() == pytest.approx(-total / 3 - 0.7 * entropy, rel=1e-4)
    assert loss.entropy.item() == pytest.approx(entropy, rel=1e-4)
    mean_divergence = sum(divergences) / len(divergences)
    assert loss.kl.item() == pytest.approx(mean_divergence, rel=1e-4)
    plain = RiskSeekingPolicyGradient(config).loss(new, old, reference, goal)
    assert plain.kl.item() == pytest.approx(mean_divergence, rel=1e-4) and plain.clip_share.item() == 0.0
