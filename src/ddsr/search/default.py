"""The default search: evolution in every epoch, and contributors whose proposals are put into it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ddsr.deadline import NEVER, Deadline, TimeIsUp
from ddsr.engine import as_batch
from ddsr.learning.curves import EpochStats, PartClock, UpdateStats
from ddsr.search.contributors.contract import (
    Contributor,
    Proposals,
    SearchView,
    TurnBudget,
    state_of,
    time_share_of,
)
from ddsr.search.contributors.evolution import Ending, Evolution
from ddsr.search.contributors.names import timed_as
from ddsr.search.earlier_states import by_contributor
from ddsr.search.front import ParetoFront, entries_of
from ddsr.search.lister import Lister
from ddsr.search.loop import SearchState
from ddsr.search.turns import Balance
from ddsr.storage.saved import Saved, restoring, whole

# Longest turn in a search with a time limit. After each turn, results are shown and survive an interrupt.
MOST_SECONDS_A_RUN = 5.0
# With a time limit, results should come soon: the first turn is short, and each later one twice as long.
FIRST_SHARE, FIRST_SECONDS = 1 / 16, 1.0


def refined_search(
    evolution: Evolution,
    contributors: Sequence[Contributor],
    *,
    evaluations: int,
    front: ParetoFront,
    deadline: Deadline = NEVER,
    saved: Saved | None = None,
) -> Iterator[SearchState]:
    """Yield a state after each epoch, until the deadline, an exact fit, or until nothing is left to try.

    In each epoch evolution has its turn, and then the contributors in their order. If an epoch is
    interrupted, one more state is yielded with the results so far, and then the exception is raised.
    `saved` is a state to resume, from `SearchState.save`.
    """
    search = RefinedSearch(evolution, contributors, evaluations, front, deadline)
    if saved is not None:
        search.restore(saved)
    while not (deadline.has_passed or search.is_over):
        epoch = search.begin()
        try:
            for contributor in (evolution, *contributors):
                if search.is_due(contributor):
                    search.give_turn(contributor, epoch)
        except BaseException:
            yield search.state(epoch, is_cut_short=True)
            raise
        search.end(epoch)
        yield search.state(epoch)


@dataclass
class Epoch:
    """Results of an epoch so far."""

    number: int
    known: ParetoFront
    """the front before the epoch"""
    gains: dict[str, float]
    """gains of the front, by the names of contributors"""
    update: UpdateStats | None = None
    mean_reward: float = np.nan
    """mean reward of the proposals of the contributor that learned"""
    clock: PartClock = field(default_factory=PartClock)

    def note(self, proposals: Proposals) -> None:
        """Record the update of a contributor that learned."""
        if proposals.update is not None:
            rewards = [scores.reward for scores in proposals.scores if len(scores)]
            self.update, self.mean_reward = proposals.update, float(rewards[0].mean()) if rewards else np.nan


class RefinedSearch:
    """The parts of the search, and its state between epochs."""

    def __init__(
        self,
        evolution: Evolution,
        contributors: Sequence[Contributor],
        evaluations: int,
        front: ParetoFront,
        deadline: Deadline,
    ) -> None:
        self.evolution = evolution
        self.contributors: tuple[Contributor, ...] = (evolution, *contributors)
        shares = {each.name: share for each in contributors if (share := time_share_of(each)) is not None}
        self.balance = Balance(evolution.name, shares, is_timed=deadline != NEVER)
        self.evaluations = evaluations
        self.front = front
        self.deadline = deadline
        self.engine, self.grammar = evolution.refiner.engine, evolution.refiner.grammar
        self.lister = Lister.of(self.engine, self.grammar)
        self.n_epochs = 0
        self.is_over = False
        """whether the fit is exact, or nothing is left to try"""

    def begin(self) -> Epoch:
        """Return the next epoch, in which the parts that share time have gained nothing yet."""
        return Epoch(self.n_epochs, self.front, dict.fromkeys(self.balance.gains, 0.0))

    def is_due(self, contributor: Contributor) -> bool:
        """Return whether a contributor has a turn now.

        Evolution always has one. Contributors that share time have one if they have used less than their
        share. Others have one until a fit is exact.
        """
        if contributor is self.evolution:
            return True
        if self.deadline.has_passed:
            return False
        if contributor.name in self.balance.shares:
            return self.balance.is_turn_of(contributor.name)
        return self.evolution.ending is not Ending.EXACT

    def give_turn(self, contributor: Contributor, epoch: Epoch) -> None:
        """Merge the proposals of a contributor, and credit it with the gain of the front."""
        try:
            found = contributor.propose(self._view(epoch), self._budget(epoch))
        except TimeIsUp:
            found = Proposals()
        proposals = Proposals.checked(found, contributor.name, self.engine.vocabulary)
        if proposals is None:
            return
        if len(proposals):
            epoch.gains[contributor.name] = self.merge(proposals)
        epoch.note(proposals)
        part = timed_as(contributor.name)
        epoch.clock.end(part)
        gain = epoch.gains.get(contributor.name, 0.0)
        self.balance.credit(contributor.name, gain, epoch.clock.seconds[part])

    def merge(self, proposals: Proposals) -> float:
        """Put proposals into evolution, and the best into the front; return the gain of the front."""
        if len(proposals.expressions):
            batch = as_batch(proposals.expressions, self.engine.vocabulary)
            self.evolution.take(
                batch.take(np.flatnonzero(self.grammar.is_legal(batch.tokens, constants=batch.constants)))
            )
        best, *others = proposals.scores or self.evolution.found().scores
        known, self.front = self.front, self.lister.merge(self.front, best, others, self.deadline)
        return self.front.gain_over(known)

    def end(self, epoch: Epoch) -> None:
        """Finish an epoch."""
        self.n_epochs += 1
        is_exact = self.evolution.ending is Ending.EXACT
        has_gained = any(gain != 0.0 for name, gain in epoch.gains.items() if name != self.evolution.name)
        self.is_over = is_exact or (self.evolution.is_exhausted and not has_gained)

    def state(self, epoch: Epoch, is_cut_short: bool = False) -> SearchState:
        """Return the state after an epoch, or within an interrupted one."""
        if not epoch.clock.seconds:  # evolution itself was interrupted
            self.front = epoch.known
            epoch.gains[self.evolution.name] = self.merge(self.evolution.found())
            epoch.clock.end(timed_as(self.evolution.name))
        n_scored, stats = sum(each.n_scored for each in self.contributors), _describe(self.front, epoch)
        contenders = entries_of(self.evolution.refiner.shortlist())
        return SearchState(epoch.number, self.front, n_scored, stats, self.saved, contenders, is_cut_short)

    def saved(self) -> Saved:
        """Return the state between epochs."""
        return {
            "contributors": {each.name: state_of(each) for each in self.contributors},
            "balance": self.balance.saved(),
            "front": self.front.saved(),
            "n_epochs": self.n_epochs,
            "is_over": self.is_over,
        }

    def restore(self, saved: Saved) -> None:
        """Restore a saved state; the settings stay as they are."""
        with restoring("search"):
            parts = by_contributor(saved)
            for contributor in self.contributors:
                if contributor.name in parts:
                    contributor.restore(parts[contributor.name])
            self.balance.restore(saved["balance"])
            front = ParetoFront.restored(saved["front"], self.grammar.vocabulary)
            self.front = self.lister.relisted(front, self.front)
            self.n_epochs, self.is_over = whole(saved, "n_epochs"), bool(saved["is_over"])

    def _view(self, epoch: Epoch) -> SearchView:
        evolution = self.evolution
        shortlist = evolution.refiner.shortlist
        return SearchView(epoch.number, self.front, self.engine, self.grammar, evolution.elites, shortlist)

    def _budget(self, epoch: Epoch) -> TurnBudget:
        """Return the budget of a turn; without a deadline it does not depend on the clock."""
        if self.deadline == NEVER:
            return TurnBudget(self.evaluations)
        growth = 2.0 ** min(epoch.number, 32)
        seconds = min(self.deadline.seconds_left, MOST_SECONDS_A_RUN, FIRST_SECONDS * growth)
        evaluations = max(1, min(self.evaluations, round(self.evaluations * FIRST_SHARE * growth)))
        return TurnBudget(evaluations, seconds, self.deadline)


def _describe(front: ParetoFront, epoch: Epoch) -> EpochStats:
    least_nrmse = front.most_accurate().nrmse if len(front) else np.inf
    return EpochStats(
        best_reward=1.0 / (1.0 + least_nrmse),
        mean_reward=epoch.mean_reward,
        reward_floor=np.nan,
        distinct_share=np.nan,
        update=epoch.update,
        seconds=epoch.clock.seconds,
        gains=epoch.gains,
    )
