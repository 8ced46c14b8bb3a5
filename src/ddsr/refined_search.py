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
from ddsr.refiner import Ending, Refiner, RefinerStats
from ddsr.search import Generator, SearchState, Updater
from ddsr.selection import ParetoFront

# Steps without one structure that was not tried before, after which a refiner has nothing left to try. A
# single slice without one happens on large grammars too, where it is short.
MOST_VAIN_STEPS = 1000
# With a time limit no run of the refiner is longer, however slow the data make it: what it found is seen, and
# kept through an interrupt, from then on.
MOST_SECONDS_A_RUN = 5.0
# With a time limit somebody waits: the first run is the sixteenth part of the others and a second at most,
# each after it twice the one before.
FIRST_SHARE, FIRST_SECONDS = 1 / 16, 1.0


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


@dataclass
class Stall:
    """How long a refiner has made nothing that was not tried before."""

    n_vain_steps: int = 0
    n_fitted: int = 0
    """by its runs and as seeds"""
    n_steps: int = 0

    def note(self, ran: RefinerStats) -> None:
        """One more run has ended; expressions that were put in since the last are in `n_fitted`."""
        is_vain = ran.evaluations == self.n_fitted
        self.n_vain_steps = self.n_vain_steps + ran.steps - self.n_steps if is_vain else 0
        self.n_fitted, self.n_steps = ran.evaluations, ran.steps


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

    It ends by itself after an exact fit, and when the refiner finds nothing any more that it has not tried.
    The proposer is made when it first has a turn, since torch takes seconds to import.
    """
    proposer: Proposer | None = None
    stall, n_scored = Stall(), 0
    for epoch in count():
        if deadline.has_passed:
            return
        clock, known, proposed, update = PartClock(), front, None, None
        ran = refiner.run(*_budget_of_run(epoch, evaluations, deadline))
        stall.note(ran)
        front = front.merge(refiner.hall_of_fame())
        clock.end("refine")
        gains = {REFINER: front.gain_over(known), GENERATOR: 0.0}
        balance.credit(REFINER, gains[REFINER], clock.seconds["refine"])
        if balance.is_generators_turn and not deadline.has_passed:
            try:
                proposer = proposer or make_proposer()
                elites = refiner.elites(n_elites)
                proposed, update = proposer.propose(elites, epoch, deadline)
                n_scored += len(proposed)
                known, front = front, front.merge(proposed)
                gains[GENERATOR] = front.gain_over(known)
                n_new = len(proposed) - len(elites)
                refiner.seed(proposed.batch.take(np.arange(n_new)))
                stall.n_fitted += n_new
            except TimeIsUp:
                pass
            clock.end("propose")
            balance.credit(GENERATOR, gains[GENERATOR], clock.seconds["propose"])
        stats = _describe(front, proposed, update, clock.seconds, gains)
        yield SearchState(epoch, front, n_scored + ran.evaluations, stats)
        is_exhausted = ran.ending is Ending.EXHAUSTED and stall.n_vain_steps >= MOST_VAIN_STEPS
        if ran.ending is Ending.EXACT or (is_exhausted and gains[GENERATOR] == 0.0):
            return


def _budget_of_run(epoch: int, evaluations: int, deadline: Deadline) -> tuple[int, float | None]:
    """Evaluations and seconds; without a deadline every run is the same, whatever the clock says."""
    if deadline == NEVER:
        return evaluations, None
    growth = 2.0 ** min(epoch, 32)
    seconds = min(deadline.seconds_left, MOST_SECONDS_A_RUN, FIRST_SECONDS * growth)
    return max(1, min(evaluations, round(evaluations * FIRST_SHARE * growth))), seconds


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
