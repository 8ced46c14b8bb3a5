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
from ddsr.search.contributors.contract import Proposals, SearchView, TurnBudget
from ddsr.search.contributors.prior import Primer, tuning_config
from ddsr.search.loop import Generator, Updater
from ddsr.search.problem import Problem
from ddsr.search.turns import GENERATOR
from ddsr.storage.saved import Saved, whole


class VaryingGenerator(Generator, Protocol):
    """Proposes expressions, from nothing or by filling in part of others."""

    def vary(self, batch: Batch, n_rows: int, epoch: int) -> Batch:
        """At most `n_rows` expressions, each one of the batch with part of it drawn anew."""
        ...


@dataclass
class Proposer:
    """A generator that learns from its own best and from the refiner's."""

    generator: VaryingGenerator
    policy: Updater
    memory: Memory
    engine: Engine
    batch_size: int

    def propose(self, elites: Batch, epoch: int, deadline: Deadline) -> tuple[Scores, UpdateStats]:
        """Half of the batch from nothing, half by masking parts of the elites; then learn from all of them.

        The scores are those of the batch and, behind them, of the elites.
        """
        fresh = self.generator.sample(self.batch_size // 2, epoch)
        varied = self.generator.vary(elites, self.batch_size - self.batch_size // 2, epoch)
        proposed = self.engine.score(Batch.joined([fresh, varied, elites]), deadline=deadline)
        self.memory = self.memory.merge(proposed)
        update = self.policy.update(self.memory.pool, epoch)
        self.memory = self.memory.trimmed()
        return proposed, update

    def saved(self) -> Saved:
        """What was learned and remembered."""
        return {"policy": self.policy.saved(), "memory": self.memory.saved()}

    def restore(self, saved: Saved) -> None:
        """Be as the one that was saved."""
        self.policy.restore(saved["policy"])
        self.memory = self.memory.restored(saved["memory"], self.engine.vocabulary)


class LearningGenerator:
    """The contributor that learns. Its network is made at its first turn: torch takes seconds to import."""

    name = GENERATOR

    def __init__(self, make_proposer: Callable[[], Proposer]) -> None:
        self.make_proposer = make_proposer
        self.proposer: Proposer | None = None
        self.n_scored = 0

    def propose(self, search: SearchView, budget: TurnBudget) -> Proposals:
        """Propose and learn; if the time ends meanwhile, nothing is proposed."""
        self.proposer = self.proposer or self.make_proposer()
        elites = search.elites()
        scores, update = self.proposer.propose(elites, search.epoch, budget.deadline)
        self.n_scored += len(scores)
        new = scores.batch.take(np.arange(len(scores) - len(elites)))
        return Proposals(new, (scores,), update)

    def saved(self) -> Saved:
        """What was learned, unless it has had no turn yet."""
        return {
            "proposer": None if self.proposer is None else self.proposer.saved(),
            "n_scored": self.n_scored,
        }

    def restore(self, saved: Saved) -> None:
        """Continue from what was learned."""
        if saved["proposer"] is not None:
            self.proposer = self.make_proposer()
            self.proposer.restore(saved["proposer"])
        self.n_scored = whole(saved, "n_scored")


def make_proposer(problem: Problem, config: DefaultConfig, primer: Primer | None = None) -> Proposer:
    """A network that starts from nothing, or the prior, if there is one."""
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
    return Proposer(learner, policy, EliteMemory(config.n_elites), problem.engine, config.batch_size)
