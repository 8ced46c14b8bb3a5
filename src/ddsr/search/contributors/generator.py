"""The generator: a network that learns from the best expressions, and proposes new ones and variations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ddsr.config import DefaultConfig
from ddsr.deadline import Deadline
from ddsr.engine import Engine, Scores
from ddsr.expression import Batch
from ddsr.generators.device import find_device
from ddsr.learning.curves import UpdateStats
from ddsr.learning.memory import EliteMemory, Memory
from ddsr.learning.reward import Reward, reward_of_error
from ddsr.search.assemble import make_reward
from ddsr.search.contributors.contract import Proposals, SearchView, TimeShare, TurnBudget
from ddsr.search.contributors.names import GENERATOR
from ddsr.search.contributors.prior import Primer, tuning_config
from ddsr.search.loop import Generator, Updater
from ddsr.search.problem import Problem
from ddsr.storage.saved import Saved, whole


class VaryingGenerator(Generator, Protocol):
    """Proposes new expressions, or varies others by filling in masked parts."""

    def vary(self, batch: Batch, n_rows: int, epoch: int) -> Batch:
        """Return at most `n_rows` expressions from the batch, each with a part drawn again."""
        ...


@dataclass
class Proposer:
    """A generator that learns from its own best expressions and from those of evolution."""

    generator: VaryingGenerator
    policy: Updater
    memory: Memory
    engine: Engine
    batch_size: int
    reward: Reward = reward_of_error

    def propose(self, elites: Batch, epoch: int, deadline: Deadline) -> tuple[Scores, UpdateStats]:
        """Sample half of the batch, vary elites for the other half, and learn from all of them.

        The scores are those of the batch, followed by those of the elites.
        """
        fresh = self.generator.sample(self.batch_size // 2, epoch)
        varied = self.generator.vary(elites, self.batch_size - self.batch_size // 2, epoch)
        proposed = self.engine.score(Batch.joined([fresh, varied, elites]), deadline=deadline)
        self.memory = self.memory.merge(proposed.batch, self.reward(proposed))
        update = self.policy.update(self.memory.pool, epoch)
        self.memory = self.memory.trimmed()
        return proposed, update

    def saved(self) -> Saved:
        """Return the state of policy and memory."""
        return {"policy": self.policy.saved(), "memory": self.memory.saved()}

    def restore(self, saved: Saved) -> None:
        """Restore a saved state."""
        self.policy.restore(saved["policy"])
        self.memory = self.memory.restored(saved["memory"], self.engine.vocabulary)


class LearningGenerator:
    """The contributor that learns. It builds its network at its first turn, since torch imports slowly."""

    name = GENERATOR

    def __init__(self, make_proposer: Callable[[], Proposer], time_share: TimeShare) -> None:
        self.make_proposer = make_proposer
        self.time_share = time_share
        self.proposer: Proposer | None = None
        self.n_scored = 0

    def propose(self, search: SearchView, budget: TurnBudget) -> Proposals:
        """Propose expressions and learn from their scores."""
        self.proposer = self.proposer or self.make_proposer()
        elites = search.elites()
        scores, update = self.proposer.propose(elites, search.epoch, budget.deadline)
        self.n_scored += len(scores)
        new = scores.batch.take(np.arange(len(scores) - len(elites)))
        return Proposals(new, (scores,), update)

    def saved(self) -> Saved:
        """Return the learned state, if there was a turn."""
        return {
            "proposer": None if self.proposer is None else self.proposer.saved(),
            "n_scored": self.n_scored,
        }

    def restore(self, saved: Saved) -> None:
        """Restore the learned state."""
        if saved["proposer"] is not None:
            self.proposer = self.make_proposer()
            self.proposer.restore(saved["proposer"])
        self.n_scored = whole(saved, "n_scored")


def make_proposer(problem: Problem, config: DefaultConfig, primer: Primer | None = None) -> Proposer:
    """Return a proposer whose network is the prior, if there is one, or starts from random weights."""
    from ddsr.generators.diffusion.generator import MaskedDiffusion
    from ddsr.learning.objective import GRPO
    from ddsr.learning.policy import Policy

    device = find_device(problem.device)
    if primer is not None:
        config = tuning_config(config, is_on_processor=device.type == "cpu")
        learner: MaskedDiffusion = primer.make_generator(config, problem.deadline)
    else:
        learner = MaskedDiffusion(
            problem.grammar, config, problem.seed, device, problem.n_threads, problem.deadline
        )
    policy = Policy(
        learner, GRPO(config.objective), config, problem.seed, problem.deadline, device.type == "cuda"
    )
    reward = make_reward(problem)
    return Proposer(learner, policy, EliteMemory(config.n_elites), problem.engine, config.batch_size, reward)
