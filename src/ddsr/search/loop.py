"""The search: one epoch reads as the algorithm; callers show, stop and save."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Protocol

import numpy as np

from ddsr._core import KnownScores
from ddsr.deadline import NEVER, Deadline, TimeIsUp
from ddsr.engine import Engine
from ddsr.expression import Batch
from ddsr.grammar import Grammar
from ddsr.learning.curves import EpochStats, PartClock, UpdateStats, describe
from ddsr.learning.memory import Memory, Pool
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.search.lister import Lister
from ddsr.storage.saved import Saved, restoring, whole


class Generator(Protocol):
    """Proposes expressions."""

    def sample(self, batch_size: int, epoch: int) -> Batch:
        """At most `batch_size` expressions; the same ones for the same epoch and network.

        Raises `TimeIsUp` where it has a deadline and does not get them done by then.
        """
        ...


class Updater(Protocol):
    """Teaches the generator what the elites have in common."""

    def update(self, pool: Pool, epoch: int) -> UpdateStats:
        """One epoch's updates."""
        ...

    def saved(self) -> Saved:
        """What was learned, the generator's network included."""
        ...

    def restore(self, saved: Saved) -> None:
        """Be as the one that was saved."""
        ...


@dataclass(frozen=True)
class UniformGenerator:
    """Draws every token evenly among the legal ones: nothing is learned. The baseline of every other."""

    grammar: Grammar
    seed: int = 0
    n_threads: int = 1

    def sample(self, batch_size: int, epoch: int) -> Batch:
        """`batch_size` expressions that obey the grammar."""
        tokens = self.grammar.sample(batch_size, self.seed, stream=epoch, n_threads=self.n_threads)
        return Batch.from_tokens(self.grammar.vocabulary, tokens)


@dataclass(frozen=True)
class SearchState:
    """What is known after an epoch."""

    epoch: int
    front: ParetoFront
    n_scored: int
    """expressions scored so far"""
    stats: EpochStats
    save: Callable[[], Saved] = field(repr=False, compare=False)
    """all that the search needs to go on from here as if nothing had happened; until the next epoch begins"""
    contenders: tuple[FrontEntry, ...] = ()
    """models that may have the shortest description, whatever their size; what is on the front may be here"""
    is_cut_short: bool = False
    """whether an interrupt ended the epoch amid its work; it is raised when the next state is asked for"""


def search(
    generator: Generator,
    engine: Engine,
    memory: Memory | None = None,
    policy: Updater | None = None,
    batch_size: int = 1000,
    front: ParetoFront | None = None,
    deadline: Deadline = NEVER,
    saved: Saved | None = None,
    lister: Lister | None = None,
) -> Iterator[SearchState]:
    """Yield a state after each epoch, until the deadline: whoever iterates may find it enough before.

    Without memory and policy nothing is learned. `front` is what was known before the search. An epoch that
    is cut short before its scores are known leaves no trace; one cut short later is not learned from.
    With `saved`, which a `SearchState` gave, it goes on behind that epoch. The lister says what enters the
    front; without one, all that obeys the default grammar does.
    """
    front, n_scored, n_epochs = front or ParetoFront(), 0, 0
    lister = lister or Lister.of(engine, Grammar(engine.vocabulary))
    if saved is not None:
        with restoring("search"):
            front = lister.relisted(ParetoFront.restored(saved["front"], engine.vocabulary), front)
            n_scored, n_epochs = whole(saved, "n_scored"), whole(saved, "n_epochs")
            if memory is not None and policy is not None:
                memory = memory.restored(saved["memory"], engine.vocabulary)
                policy.restore(saved["policy"])
    known = KnownScores()  # many of an epoch's proposals are those of epochs before
    for epoch in count(n_epochs):
        clock = PartClock()
        try:
            proposals = generator.sample(batch_size, epoch)
            clock.end("sample")
            scores = engine.score(proposals, deadline=deadline, known=known)
        except TimeIsUp:
            return
        clock.end("score")
        reward_floor, update = np.nan, None
        if memory is not None and policy is not None and not deadline.has_passed:
            memory = memory.merge(scores)
            reward_floor = memory.pool.reward_floor
            update = policy.update(memory.pool, epoch)
            memory = memory.trimmed()
            clock.end("update")
        front = lister.merge(front, scores, deadline=deadline)
        n_scored += len(scores)
        stats = describe(scores, batch_size, reward_floor, update, clock.seconds)
        save = partial(_saved, front, n_scored, epoch + 1, memory, policy)
        yield SearchState(epoch, front, n_scored, stats, save)


def _saved(
    front: ParetoFront, n_scored: int, n_epochs: int, memory: Memory | None, policy: Updater | None
) -> Saved:
    return {
        "front": front.saved(),
        "n_scored": n_scored,
        "n_epochs": n_epochs,
        "memory": None if memory is None else memory.saved(),
        "policy": None if policy is None else policy.saved(),
    }
