"""Objectives of an update, as losses to minimise.

For every elite and position, both objectives take log-probabilities of the constrained distribution under θ,
θ_old and θ_ref for the same corrupted expression, so that ratios compare policies rather than masks.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Protocol

import torch
from torch import Tensor

from ddsr.config import ObjectiveConfig

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int


@dataclass(frozen=True, eq=False)
class EliteTensors:
    """The elites as tensors."""

    tokens: Int[Tensor, "B M"]
    """clean token ids in the generator's order; arbitrary after the end"""
    is_token: Bool[Tensor, "B M"]
    is_masked: Bool[Tensor, "B M"]
    """positions with a token that the network did not see"""
    is_legal: Bool[Tensor, "B M V"]
    advantage: Float[Tensor, " B"]
    n_elites: int
    """αB, the divisor of sums over the pool"""


@dataclass(frozen=True, eq=False)
class LossTerms:
    """A loss to minimise, and statistics to record."""

    value: Tensor
    kl: Tensor
    entropy: Tensor
    clip_share: Tensor
    """share of tokens whose ratio left the trust region"""

    def detached(self) -> LossTerms:
        """Return the values without their graph."""
        return LossTerms(*(getattr(self, field.name).detach() for field in fields(self)))


class Objective(Protocol):
    """Interface of the objectives."""

    def loss(self, new: Tensor, old: Tensor, reference: Tensor, targets: EliteTensors) -> LossTerms:
        """Return the loss, given log-probabilities (B, M, V) under θ, θ_old and θ_ref."""
        ...


@dataclass(frozen=True)
class GRPO:
    """Token-wise GRPO, the paper's equation `gpro-update`.

    J = 1/(αB) Σ_i Σ_k min(h A, clip(h, 1−ε, 1+ε) A) − β KL(θ ‖ θ_ref), plus λ times the entropy.
    """

    config: ObjectiveConfig

    def loss(self, new: Tensor, old: Tensor, reference: Tensor, targets: EliteTensors) -> LossTerms:
        """Return −J − λ H."""
        config = self.config
        counts = targets.is_masked if config.counts_masked_only else targets.is_token
        ratio = (log_prob_of(new, targets) - log_prob_of(old, targets)).exp()  # h, (B, M)
        trusted = ratio.clamp(1 - config.clip_range, 1 + config.clip_range)
        advantage = targets.advantage[:, None]
        gain = torch.minimum(ratio * advantage, trusted * advantage)
        divergence = kl(new, reference, targets.is_legal)  # g, (B, M)
        objective = ((gain - config.kl_weight * divergence) * counts).sum() / targets.n_elites
        entropy = mean_entropy(new, targets)
        n_counted = counts.sum().clamp(min=1)
        return LossTerms(
            value=-objective - config.entropy_weight * _bonus(entropy, targets, config),
            kl=(divergence * counts).sum() / n_counted,
            entropy=entropy,
            clip_share=((ratio != trusted) & counts).sum() / n_counted,
        )


@dataclass(frozen=True)
class RiskSeekingPolicyGradient:
    """DSR's objective, the paper's equation `risk_seeking_gradient`.

    J = 1/(αB) Σ_i A_i log p(τ_i), plus λ times the entropy.
    """

    config: ObjectiveConfig

    def loss(self, new: Tensor, old: Tensor, reference: Tensor, targets: EliteTensors) -> LossTerms:
        """Return −J − λ H; θ_old is not used, and the divergence from θ_ref is only recorded."""
        log_likelihood = (log_prob_of(new, targets) * targets.is_token).sum(dim=1)
        objective = (targets.advantage * log_likelihood).sum() / targets.n_elites
        entropy = mean_entropy(new, targets)
        divergence = kl(new, reference, targets.is_legal) * targets.is_token
        return LossTerms(
            value=-objective - self.config.entropy_weight * _bonus(entropy, targets, self.config),
            kl=divergence.sum().detach() / targets.is_token.sum().clamp(min=1),
            entropy=entropy,
            clip_share=torch.zeros((), device=new.device),
        )


def log_prob_of(log_probs: Float[Tensor, "B M V"], targets: EliteTensors) -> Float[Tensor, "B M"]:
    """Return log-probabilities of the elites' own tokens; 0 after the end."""
    chosen = log_probs.gather(-1, targets.tokens[..., None]).squeeze(-1)
    return chosen.masked_fill(~targets.is_token, 0.0)


def kl(
    new: Float[Tensor, "B M V"], reference: Float[Tensor, "B M V"], is_legal: Bool[Tensor, "B M V"]
) -> Float[Tensor, "B M"]:
    """Return the exact Kullback–Leibler divergence of the token distributions, θ ‖ θ_ref."""
    difference = torch.where(is_legal, new - reference, 0.0)
    return (new.exp() * difference).sum(dim=-1)


def _bonus(entropy: Float[Tensor, ""], targets: EliteTensors, config: ObjectiveConfig) -> Float[Tensor, ""]:
    """Return the entropy times λ: the mean over tokens, or the sum over tokens averaged over expressions."""
    if not config.sums_entropy:
        return entropy
    n_tokens, n_expressions = targets.is_masked.sum(), targets.is_masked.any(dim=1).sum()
    return entropy * n_tokens / n_expressions.clamp(min=1)


def mean_entropy(new: Float[Tensor, "B M V"], targets: EliteTensors) -> Float[Tensor, ""]:
    """Return the mean entropy over the masked tokens, which the network predicts."""
    entropy = -(new.exp() * torch.where(targets.is_legal, new, 0.0)).sum(dim=-1)
    return (entropy * targets.is_masked).sum() / targets.is_masked.sum().clamp(min=1)
