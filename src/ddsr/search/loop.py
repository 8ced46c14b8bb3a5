"""The loop of a search by a generator: sample, score, learn. Callers show, stop and save it."""

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
from ddsr.learning.reward import Reward, reward_of_error
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.search.lister import Lister
from ddsr.storage.saved import Saved, restoring, whole


class Generator(Protocol):
    """Proposes expressions."""

    def sample(self, batch_size: int, epoch: int) -> Batch:
        """Return at most `batch_size` expressions; the same ones for the same epoch and network.

        Raises `TimeIsUp` after the generator's deadline, if it has one.
        """
        ...


class Updater(Protocol):
    """Teaches the generator what the elites have in common."""

    def update(self, pool: Pool, epoch: int) -> UpdateStats:
        """Make one epoch's updates."""
        ...

    def saved(self) -> Saved:
        """Return the learned state, with the generator's network."""
        ...

    def restore(self, saved: Saved) -> None:
        """Restore a saved state."""
        ...


@dataclass(frozen=True)
class UniformGenerator:
    """Draws each token uniformly from the legal ones and learns nothing: a baseline for other generators."""

    grammar: Grammar
    seed: int = 0
    n_threads: int = 1

    def sample(self, batch_size: int, epoch: int) -> Batch:
        """Return `batch_size` random expressions that obey the grammar."""
        tokens = self.grammar.sample(batch_size, self.seed, stream=epoch, n_threads=self.n_threads)
        return Batch.from_tokens(self.grammar.vocabulary, tokens)


@dataclass(frozen=True)
class SearchState:
    """State of a search after an epoch."""

    epoch: int
    front: ParetoFront
    n_scored: int
    """number of expressions scored so far"""
    stats: EpochStats
    save: Callable[[], Saved] = field(repr=False, compare=False)
    """function that returns the state to resume from; call it before the next epoch begins"""
    contenders: tuple[FrontEntry, ...] = ()
    """models of any size that may have the shortest description, some of them also on the front"""
    is_cut_short: bool = False
    """whether the epoch was interrupted; the exception is raised on the request for the next state"""


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
    reward: Reward = reward_of_error,
) -> Iterator[SearchState]:
    """Yield a state after each epoch, until the deadline.

    Without memory and policy nothing is learned. `front` is the front before the search. If time runs out
    before an epoch's scores are known, the epoch is dropped; if it runs out later, nothing is learned from
    it. `saved` is a state to resume, from `SearchState.save`. `lister` decides what enters the front; by
    default, all that obeys the default grammar.
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
    known = KnownScores()  # epochs propose many of the same expressions
    for epoch in count(n_epochs):
        clock = PartClock()
        try:
            proposals = generator.sample(batch_size, epoch)
            clock.end("sample")
            scores = engine.score(proposals, deadline=deadline, known=known)
        except TimeIsUp:
            return
        rewards = reward(scores)
        clock.end("score")
        reward_floor, update = np.nan, None
        if memory is not None and policy is not None and not deadline.has_passed:
            memory = memory.merge(scores.batch, rewards)
            reward_floor = memory.pool.reward_floor
            update = policy.update(memory.pool, epoch)
            memory = memory.trimmed()
            clock.end("update")
        front = lister.merge(front, scores, deadline=deadline)
        n_scored += len(scores)
        stats = describe(scores, rewards, batch_size, reward_floor, update, clock.seconds)
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
