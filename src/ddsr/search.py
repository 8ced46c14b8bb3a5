"""The search: one epoch reads as the algorithm; callers show, stop and save."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Protocol

from ddsr.engine import Engine
from ddsr.expression import Batch
from ddsr.grammar import Grammar
from ddsr.selection import ParetoFront


class Generator(Protocol):
    """Proposes expressions."""

    def sample(self, batch_size: int, epoch: int) -> Batch:
        """`batch_size` expressions; the same ones for the same epoch."""
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


def search(generator: Generator, engine: Engine, batch_size: int = 1000) -> Iterator[SearchState]:
    """Yield a state after each epoch, without end: whoever iterates decides when it is enough."""
    front = ParetoFront()
    for epoch in count():
        proposals = generator.sample(batch_size, epoch)
        scores = engine.score(proposals)
        front = front.merge(scores)
        yield SearchState(epoch, front, (epoch + 1) * batch_size)
