"""The default search: a refiner in every epoch, and a generator that learns from it and feeds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Protocol

import numpy as np

from ddsr.deadline import NEVER, Deadline, TimeIsUp
from ddsr.engine import Engine, Scores
from ddsr.expression import Batch
from ddsr.learning.curves import EpochStats, PartClock, UpdateStats
from ddsr.learning.memory import Memory
from ddsr.search.contributors.evolution import Ending, Refiner, RefinerStats
from ddsr.search.contributors.prior import Priming
from ddsr.search.contributors.symmetry import ReducedSearch
from ddsr.search.front import ParetoFront, entries_of
from ddsr.search.lister import Lister
from ddsr.search.loop import Generator, SearchState, Updater
from ddsr.search.turns import GENERATOR, PRIOR, REFINER, SYMMETRIES, Balance
from ddsr.storage.saved import Saved, restoring, whole

# Steps without one structure that was not tried before, after which a refiner has nothing left to try. A
# single slice without one happens on large grammars too, where it is short.
MOST_VAIN_STEPS = 1000
# With a time limit no run of the refiner is longer, however slow the data make it: what it found is seen, and
# kept through an interrupt, from then on.
MOST_SECONDS_A_RUN = 5.0
# With a time limit somebody waits: the first run is the sixteenth part of the others and a second at most,
# each after it twice the one before.
FIRST_SHARE, FIRST_SECONDS = 1 / 16, 1.0
# Epochs after which symmetries are looked for: before, imitations are rough.
FIRST_REDUCED = 2
# What is put into a refiner is fitted whatever the time, on a million rows too.
LEAST_SECONDS_LEFT = 1.0


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


def refined_search(
    refiner: Refiner,
    make_proposer: Callable[[], Proposer],
    balance: Balance,
    *,
    evaluations: int,
    n_elites: int,
    front: ParetoFront,
    priming: Priming | None = None,
    reduced: ReducedSearch | None = None,
    deadline: Deadline = NEVER,
    saved: Saved | None = None,
) -> Iterator[SearchState]:
    """Yield a state after each epoch, until the deadline: whoever iterates may find it enough before.

    It ends by itself after an exact fit, and when the refiner finds nothing any more that it has not tried.
    The proposer is made when it first has a turn, since torch takes seconds to import. What is raised within
    an epoch, as by an interrupt, is raised after one more state, with what the epoch had found by then.
    With `saved`, which a `SearchState` gave, it goes on behind that epoch.
    """
    search = RefinedSearch(
        refiner, make_proposer, balance, evaluations, n_elites, front, deadline, priming, reduced
    )
    if saved is not None:
        search.restore(saved)
    while not (deadline.has_passed or search.is_over):
        found = Epoch(search.n_epochs, known=search.front)
        try:
            search.refine(found)
            search.prime(found)
            search.reduce(found)
            if balance.is_generators_turn and not deadline.has_passed:
                search.propose(found)
        except BaseException:
            yield search.state(found, is_cut_short=True)
            raise
        search.end(found)
        yield search.state(found)


@dataclass
class Epoch:
    """What an epoch has found so far."""

    number: int
    known: ParetoFront
    """before it began"""
    ending: Ending | None = None
    """of the refiner's run"""
    n_refined: int = 0
    """fitted by the refiner, since it was made"""
    proposed: Scores | None = None
    update: UpdateStats | None = None
    gains: dict[str, float] = field(default_factory=lambda: {REFINER: 0.0, GENERATOR: 0.0})
    clock: PartClock = field(default_factory=PartClock)


@dataclass
class RefinedSearch:
    """The parts of the search, and what goes from one epoch to the next."""

    refiner: Refiner
    make_proposer: Callable[[], Proposer]
    balance: Balance
    evaluations: int
    n_elites: int
    front: ParetoFront
    deadline: Deadline
    priming: Priming | None = None
    reduced: ReducedSearch | None = None
    proposer: Proposer | None = None
    stall: Stall = field(default_factory=Stall)
    n_proposed: int = 0
    """scored for the proposer; the refiner counts its own"""
    n_epochs: int = 0
    is_over: bool = False
    """whether there is nothing left to find"""

    @property
    def lister(self) -> Lister:
        """What may be listed, and how."""
        return Lister.of(self.refiner.engine, self.refiner.grammar)

    def refine(self, found: Epoch) -> None:
        """The refiner's part of an epoch."""
        ran = self.refiner.run(*_budget_of_run(found.number, self.evaluations, self.deadline))
        found.ending = ran.ending
        self.stall.note(ran)
        self._take_hall_of_fame(found)
        self.balance.credit(REFINER, found.gains[REFINER], found.clock.seconds["refine"])

    def _take_hall_of_fame(self, found: Epoch) -> None:
        self.front = self._with_hall_of_fame(found.known)
        found.gains[REFINER] = self.front.gain_over(found.known)
        found.n_refined = self.refiner.n_evaluations
        found.clock.end("refine")

    def _with_hall_of_fame(self, known: ParetoFront) -> ParetoFront:
        others = [self.refiner.shortlist()]
        return self.lister.merge(known, self.refiner.hall_of_fame(), others, self.deadline)

    def _put_in(self, proposals: Batch, source: str, found: Epoch) -> None:
        self.refiner.seed(proposals)
        self.stall.n_fitted += len(proposals)
        known, self.front = self.front, self._with_hall_of_fame(self.front)
        found.gains[source] = self.front.gain_over(known)
        found.n_refined = self.refiner.n_evaluations

    def prime(self, found: Epoch) -> None:
        """The prior's part, once in a search: what it proposes is put among what the refiner evolves."""
        if self.priming is None or found.ending is Ending.EXACT:
            return
        proposals = self.priming.take(found.number)
        if proposals is None:
            return
        self._put_in(proposals, PRIOR, found)
        found.clock.end("prime")

    def reduce(self, found: Epoch) -> None:
        """Where what was found so far has symmetries: a run in the fewer inputs that they leave."""
        is_due = found.number >= FIRST_REDUCED and self.deadline.seconds_left > LEAST_SECONDS_LEFT
        if self.reduced is None or found.ending is Ending.EXACT or not is_due:
            return
        proposals = self.reduced.look(self.refiner.shortlist())
        if self.reduced.is_active:
            n_run, seconds = _budget_of_run(found.number, self.evaluations, self.deadline)
            left = self.deadline.seconds_left - LEAST_SECONDS_LEFT
            proposals += self.reduced.run(n_run, None if seconds is None else max(0.0, min(seconds, left)))
        if proposals:
            self._put_in(Batch.of(proposals), SYMMETRIES, found)
        found.clock.end("reduce")

    def propose(self, found: Epoch) -> None:
        """The generator's part of an epoch; time that ends amid it leaves no trace but that it was spent."""
        try:
            self.proposer = self.proposer or self.make_proposer()
            elites = self.refiner.elites(self.n_elites)
            found.proposed, found.update = self.proposer.propose(elites, found.number, self.deadline)
            self.n_proposed += len(found.proposed)
            known, self.front = self.front, self.lister.merge(self.front, found.proposed)
            found.gains[GENERATOR] = self.front.gain_over(known)
            n_new = len(found.proposed) - len(elites)
            self.refiner.seed(found.proposed.batch.take(np.arange(n_new)))
            self.stall.n_fitted += n_new
        except TimeIsUp:
            pass
        found.clock.end("propose")
        self.balance.credit(GENERATOR, found.gains[GENERATOR], found.clock.seconds["propose"])

    def end(self, found: Epoch) -> None:
        """The epoch is done."""
        self.n_epochs += 1
        is_exhausted = found.ending is Ending.EXHAUSTED and self.stall.n_vain_steps >= MOST_VAIN_STEPS
        self.is_over = found.ending is Ending.EXACT or (is_exhausted and found.gains[GENERATOR] == 0.0)

    def state(self, found: Epoch, is_cut_short: bool = False) -> SearchState:
        """What is known after an epoch, or within one that was cut short."""
        if "refine" not in found.clock.seconds:
            self._take_hall_of_fame(found)
        n_reduced = 0 if self.reduced is None else self.reduced.n_evaluations
        n_scored, stats = self.n_proposed + found.n_refined + n_reduced, _describe(self.front, found)
        contenders = entries_of(self.refiner.shortlist())
        return SearchState(found.number, self.front, n_scored, stats, self.saved, contenders, is_cut_short)

    def saved(self) -> Saved:
        """All that goes from one epoch to the next, as it is now."""
        return {
            "refiner": np.frombuffer(self.refiner.save(), np.uint8),
            "balance": self.balance.saved(),
            "front": self.front.saved(),
            "proposer": None if self.proposer is None else self.proposer.saved(),
            "stall": asdict(self.stall),
            "n_scored": self.n_proposed,
            "n_epochs": self.n_epochs,
            "is_over": self.is_over,
            "is_primed": self.priming is None or self.priming.is_done,
            "reduced": None if self.reduced is None else self.reduced.saved(),
        }

    def restore(self, saved: Saved) -> None:
        """Be as it was; the settings are those of now."""
        engine, grammar, n_threads = self.refiner.engine, self.refiner.grammar, self.refiner.n_threads
        with restoring("search"):
            known = Refiner.load(saved["refiner"].tobytes(), engine, grammar, n_threads)
            if known.config.is_scale_free == self.refiner.config.is_scale_free:
                self.refiner = known
            else:  # an earlier version fitted scales and offsets that may not be listed
                self.refiner.seed(known.elites(self.n_elites))
            self.balance.restore(saved["balance"])
            front = ParetoFront.restored(saved["front"], grammar.vocabulary)
            self.front = self.lister.relisted(front, self.front)
            if saved["proposer"] is not None:
                self.proposer = self.make_proposer()
                self.proposer.restore(saved["proposer"])
            self.stall = Stall(**{name: whole(saved["stall"], name) for name in saved["stall"]})
            self.n_proposed, self.n_epochs = whole(saved, "n_scored"), whole(saved, "n_epochs")
            self.is_over = bool(saved["is_over"])
            if self.priming is not None and saved.get("is_primed", True):
                self.priming.is_done = True
            if self.reduced is not None and saved.get("reduced") is not None:
                self.reduced.restore(saved["reduced"])


def _budget_of_run(epoch: int, evaluations: int, deadline: Deadline) -> tuple[int, float | None]:
    """Evaluations and seconds; without a deadline every run is the same, whatever the clock says."""
    if deadline == NEVER:
        return evaluations, None
    growth = 2.0 ** min(epoch, 32)
    seconds = min(deadline.seconds_left, MOST_SECONDS_A_RUN, FIRST_SECONDS * growth)
    return max(1, min(evaluations, round(evaluations * FIRST_SHARE * growth))), seconds


def _describe(front: ParetoFront, found: Epoch) -> EpochStats:
    has_proposed = found.proposed is not None and len(found.proposed) > 0
    least_nrmse = front.most_accurate().nrmse if len(front) else np.inf
    return EpochStats(
        best_reward=1.0 / (1.0 + least_nrmse),
        mean_reward=float(found.proposed.reward.mean()) if has_proposed and found.proposed else np.nan,
        reward_floor=np.nan,
        distinct_share=np.nan,
        update=found.update,
        seconds=found.clock.seconds,
        gains=found.gains,
    )
