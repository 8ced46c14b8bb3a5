"""The default search: a refiner in every epoch, and a generator that learns from it and feeds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
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
from ddsr.saved import Saved, restoring
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

    def saved(self) -> Saved:
        """What was learned and remembered."""
        return {"policy": self.policy.saved(), "memory": self.memory.saved()}

    def restore(self, saved: Saved) -> None:
        """Be as the one that was saved."""
        self.policy.restore(saved["policy"])
        self.memory = self.memory.restored(saved["memory"], self.engine.vocabulary)


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


@dataclass
class Between:
    """What goes from one epoch to the next."""

    refiner: Refiner
    balance: Balance
    front: ParetoFront
    proposer: Proposer | None = None
    stall: Stall = field(default_factory=Stall)
    n_scored: int = 0
    """by the proposer; the refiner counts its own"""
    n_epochs: int = 0
    is_over: bool = False
    """whether the search has ended by itself"""

    def saved(self) -> Saved:
        """All of it, as it is now."""
        return {
            "refiner": np.frombuffer(self.refiner.save(), np.uint8),
            "balance": self.balance.saved(),
            "front": self.front.saved(),
            "proposer": None if self.proposer is None else self.proposer.saved(),
            "stall": asdict(self.stall),
            "n_scored": self.n_scored,
            "n_epochs": self.n_epochs,
            "is_over": self.is_over,
        }

    def restore(self, saved: Saved, make_proposer: Callable[[], Proposer]) -> None:
        """Be as it was; the settings are those of now."""
        engine, grammar, n_threads = self.refiner.engine, self.refiner.grammar, self.refiner.n_threads
        with restoring("search"):
            self.refiner = Refiner.load(saved["refiner"].tobytes(), engine, grammar, n_threads)
            self.balance.restore(saved["balance"])
            self.front = ParetoFront.restored(saved["front"], grammar.vocabulary)
            if saved["proposer"] is not None:
                self.proposer = make_proposer()
                self.proposer.restore(saved["proposer"])
            self.stall = Stall(**saved["stall"])
            self.n_scored, self.n_epochs = saved["n_scored"], saved["n_epochs"]
            self.is_over = saved["is_over"]


def refined_search(
    refiner: Refiner,
    make_proposer: Callable[[], Proposer],
    balance: Balance,
    *,
    evaluations: int,
    n_elites: int,
    front: ParetoFront,
    deadline: Deadline = NEVER,
    saved: Saved | None = None,
) -> Iterator[SearchState]:
    """Yield a state after each epoch, until the deadline: whoever iterates may find it enough before.

    It ends by itself after an exact fit, and when the refiner finds nothing any more that it has not tried.
    The proposer is made when it first has a turn, since torch takes seconds to import.
    With `saved`, which a `SearchState` gave, it goes on behind that epoch.
    """
    before = Between(refiner, balance, front)
    if saved is not None:
        before.restore(saved, make_proposer)
    refiner, proposer, front = before.refiner, before.proposer, before.front
    stall, n_scored, is_over = before.stall, before.n_scored, before.is_over
    for epoch in count(before.n_epochs):
        if deadline.has_passed or is_over:
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
        is_exhausted = ran.ending is Ending.EXHAUSTED and stall.n_vain_steps >= MOST_VAIN_STEPS
        is_over = ran.ending is Ending.EXACT or (is_exhausted and gains[GENERATOR] == 0.0)
        after = Between(refiner, balance, front, proposer, stall, n_scored, epoch + 1, is_over)
        yield SearchState(epoch, front, n_scored + ran.evaluations, stats, after.saved)


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
