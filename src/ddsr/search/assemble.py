"""Tables from a method's options to its parts. Torch is imported only when a part is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ddsr.config import ObjectiveConfig, PaperConfig, SearchConfig
from ddsr.errors import MethodError
from ddsr.generators.device import find_device
from ddsr.learning.memory import EliteMemory, Memory, ShortTermMemory
from ddsr.learning.reward import Reward, RewardOfLength, reward_of_error
from ddsr.search.problem import Problem

if TYPE_CHECKING:
    from ddsr.learning.objective import Objective
    from ddsr.search.paper import LearnedGenerator


def _masked(problem: Problem, config: PaperConfig) -> LearnedGenerator:
    from ddsr.generators.diffusion.generator import MaskedDiffusion

    device = find_device(problem.device)
    return MaskedDiffusion(problem.grammar, config, problem.seed, device, problem.n_threads, problem.deadline)


def _d3pm(problem: Problem, config: PaperConfig) -> LearnedGenerator:
    from ddsr.generators.diffusion.d3pm import D3PM

    device = find_device(problem.device)
    return D3PM(problem.grammar, config, problem.seed, device, problem.n_threads, problem.deadline)


def _grpo(config: SearchConfig) -> Objective:
    from ddsr.learning.objective import GRPO

    return GRPO(config.objective)


def _rspg(config: SearchConfig) -> Objective:
    from ddsr.learning.objective import RiskSeekingPolicyGradient

    standard = ObjectiveConfig()
    for name in ("clip_range", "kl_weight", "counts_masked_only"):
        if getattr(config.objective, name) != getattr(standard, name):
            raise MethodError(
                f"{name} has no effect on the risk-seeking gradient: leave it out, or use objective=grpo"
            )
    return RiskSeekingPolicyGradient(config.objective)


GENERATORS: Mapping[str, Callable[[Problem, PaperConfig], LearnedGenerator]] = {
    "masked": _masked,
    "d3pm": _d3pm,
}
OBJECTIVES: Mapping[str, Callable[[SearchConfig], Objective]] = {"grpo": _grpo, "rspg": _rspg}
REWARDS: Mapping[str, Callable[[Problem], Reward]] = {
    "error": lambda problem: reward_of_error,
    "description_length": lambda problem: RewardOfLength(problem.engine, problem.config.n_elites),
}
MEMORIES: Mapping[str, Callable[[int], Memory]] = {"long": EliteMemory, "short": ShortTermMemory}


def make_reward(problem: Problem) -> Reward:
    """Return the reward that the settings name."""
    return REWARDS[problem.config.reward](problem)
