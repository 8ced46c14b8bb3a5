"""The default search: a refiner in every epoch, and a generator that learns from it and feeds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Protocol

import numpy as np

from ddsr.balance import GENERATOR, REFINER, Balance
from ddsr.deadline import NEVER, Deadline, TimeIsUp
from ddsr.engine import Engine, Scores
from ddsr.expression import Batch
from ddsr.learning.curves import EpochStats, PartClock, UpdateStats
from ddsr.learning.memory import Memory
from ddsr.refiner import Refiner
from ddsr.search import Generator, SearchState, Updater
from ddsr.selection import ParetoFront


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


def refined_search(
    refiner: Refiner,
    make_proposer: Callable[[], Proposer],
    balance: Balance,
    *,
    evaluations: int,
    n_elites: int,
    front: ParetoFront,
    deadline: Deadline = NEVER,
) -> Iterator[SearchState]:
    """Yield a state after each epoch, until the deadline: whoever iterates may find it enough before.

    The proposer is made when it first has a turn, since torch takes seconds to import.
    """
    proposer: Proposer | None = None
    n_scored = 0
    for epoch in count():
        if deadline.has_passed:
            return
        clock, known, proposed, update = PartClock(), front, None, None
        seconds = None if deadline == NEVER else deadline.seconds_left
        n_refined = refiner.run(evaluations, seconds).evaluations
        front = front.merge(refiner.hall_of_fame())
        clock.end("refine")
        gains = {REFINER: front.gain_over(known), GENERATOR: 0.0}
        balance.credit(REFINER, gains[REFINER], clock.seconds["refine"])
        if balance.is_generators_turn:
            try:
                proposer = proposer or make_proposer()
                elites = refiner.elites(n_elites)
                proposed, update = proposer.propose(elites, epoch, deadline)
                n_scored += len(proposed)
                known, front = front, front.merge(proposed)
                gains[GENERATOR] = front.gain_over(known)
                refiner.seed(proposed.batch.take(np.arange(len(proposed) - len(elites))))
            except TimeIsUp:
                pass
            clock.end("propose")
            balance.credit(GENERATOR, gains[GENERATOR], clock.seconds["propose"])
        stats = _describe(front, proposed, update, clock.seconds, gains)
        yield SearchState(epoch, front, n_scored + n_refined, stats)


def _describe(
    front: ParetoFront,
    proposed: Scores | None,
    update: UpdateStats | None,
    seconds: dict[str, float],
    gains: dict[str, float],
) -> EpochStats:
    has_proposed = proposed is not None and len(proposed) > 0
    return EpochStats(
        best_reward=1.0 / (1.0 + front.most_accurate().nrmse),
        mean_reward=float(proposed.reward.mean()) if has_proposed and proposed else np.nan,
        reward_floor=np.nan,
        distinct_share=np.nan,
        update=update,
        seconds=seconds,
        gains=gains,
    )
