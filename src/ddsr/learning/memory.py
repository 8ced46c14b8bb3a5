"""The pool of elites S_α that the policy learns from, and its reward floor R_α.

The long short-term memory joins the best of this epoch with the best of all earlier epochs. DSR's short-term
memory keeps only this epoch's best.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ddsr.engine import Floats
from ddsr.expression import Batch, Vocabulary
from ddsr.storage.saved import Saved


@dataclass(frozen=True, eq=False)
class Pool:
    """Distinct expressions by falling reward; those that differ only in operand order count as the same."""

    batch: Batch
    reward: Floats

    def __len__(self) -> int:
        return len(self.batch)

    @property
    def reward_floor(self) -> float:
        """R_α, the lowest reward in the pool."""
        return float(self.reward.min())

    @property
    def advantage(self) -> Floats:
        """A = R − R_α, never negative."""
        return self.reward - self.reward_floor

    def saved(self) -> Saved:
        """Return the state without the vocabulary."""
        return {"tokens": self.batch.tokens, "constants": self.batch.constants, "reward": self.reward}

    @classmethod
    def restored(cls, saved: Saved, vocabulary: Vocabulary) -> Pool:
        """Restore a saved pool."""
        return cls(Batch(vocabulary, saved["tokens"], saved["constants"]), saved["reward"])


class Memory(Protocol):
    """Interface of the memories."""

    @property
    def pool(self) -> Pool:
        """Elites to learn from in this epoch."""
        ...

    def merge(self, batch: Batch, reward: Floats) -> Memory:
        """Return the memory with the best of an epoch."""
        ...

    def trimmed(self) -> Memory:
        """Return the memory as kept for the next epoch."""
        ...

    def saved(self) -> Saved:
        """Return the state."""
        ...

    def restored(self, saved: Saved, vocabulary: Vocabulary) -> Memory:
        """Restore a saved memory of expressions over this vocabulary."""
        ...


@dataclass(frozen=True)
class EliteMemory:
    """S_α ← S_α ∪ S_α^i: this epoch's best αB joined with the best αB of all epochs before."""

    n_elites: int
    """αB"""
    kept: Pool | None = None

    @property
    def pool(self) -> Pool:
        """Joined pool, at most 2αB."""
        if self.kept is None:
            raise LookupError("nothing was merged into this memory yet")
        return self.kept

    def merge(self, batch: Batch, reward: Floats) -> EliteMemory:
        """Join the pools; of equal expressions with different constants, keep the better one."""
        best = best_of(batch, reward, self.n_elites)
        return replace(self, kept=best if self.kept is None else join(self.kept, best))

    def trimmed(self) -> EliteMemory:
        """Keep the best αB, the upper half of a full pool."""
        batch, reward = self.pool.batch, self.pool.reward
        rows = np.arange(min(self.n_elites, len(reward)))
        return replace(self, kept=Pool(batch.take(rows), reward[rows]))

    def saved(self) -> Saved:
        """Return the pool, if there is one."""
        return {"kept": None if self.kept is None else self.kept.saved()}

    def restored(self, saved: Saved, vocabulary: Vocabulary) -> EliteMemory:
        """Restore a saved pool."""
        kept = saved["kept"]
        return replace(self, kept=None if kept is None else Pool.restored(kept, vocabulary))


@dataclass(frozen=True)
class ShortTermMemory:
    """The best αB of this epoch only."""

    n_elites: int
    current: Pool | None = None

    @property
    def pool(self) -> Pool:
        """This epoch's best."""
        if self.current is None:
            raise LookupError("nothing was merged into this memory yet")
        return self.current

    def merge(self, batch: Batch, reward: Floats) -> ShortTermMemory:
        """Replace the pool by this epoch's best."""
        return replace(self, current=best_of(batch, reward, self.n_elites))

    def trimmed(self) -> ShortTermMemory:
        """Drop the pool."""
        return replace(self, current=None)

    def saved(self) -> Saved:
        """Return nothing: there is no pool between two epochs."""
        return {}

    def restored(self, saved: Saved, vocabulary: Vocabulary) -> ShortTermMemory:
        """Return an empty memory, as between two epochs."""
        return replace(self, current=None)


def best_of(batch: Batch, reward: Floats, n: int) -> Pool:
    """Return the n distinct expressions with the highest reward."""
    rows = _first_of_each(batch.keys(), np.argsort(-reward, kind="stable").tolist())[:n]
    return Pool(batch.take(rows), reward[rows])


def join(kept: Pool, new: Pool) -> Pool:
    """Join pools by falling reward, without duplicates."""
    batch = Batch.joined([kept.batch, new.batch])
    reward = np.concatenate([kept.reward, new.reward])
    rows = _first_of_each(batch.keys(), np.argsort(-reward, kind="stable").tolist())
    return Pool(batch.take(rows), reward[rows])


def _first_of_each(keys: list[bytes], order: list[int]) -> list[int]:
    first: dict[bytes, int] = {}
    for row in order:
        first.setdefault(keys[row], row)
    return list(first.values())
