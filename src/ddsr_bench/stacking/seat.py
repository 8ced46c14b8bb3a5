"""A search's place in a stack: to the search it is a generator and a policy like any other."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from ddsr.expression import Batch
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.learning.curves import UpdateStats
from ddsr.learning.memory import Pool
from ddsr.learning.policy import MASKING, Policy
from ddsr.storage.saved import Saved
from ddsr_bench.stacking.networks import StackedNetworks
from ddsr_bench.stacking.stack import Draw, Learn, Stack

if TYPE_CHECKING:
    from ddsr.learning.objective import Objective


class Seat(AbstractContextManager["Seat"]):
    """Draws and learns through the stack; `generator` says what is legal, corrupted and drawn first."""

    def __init__(
        self, stack: Stack, networks: StackedNetworks, generator: MaskedDiffusion, objective: Objective
    ) -> None:
        self.stack, self.networks, self.generator = stack, networks, generator
        self.config, self.seed = generator.config, generator.seed
        self.vocab_size = len(generator.grammar.vocabulary)
        self._last: Saved | None = None
        self.place = stack.enter()
        networks.sampler.seat(self.place, generator)
        # An untaught policy: θ is as it would be alone, θ_ref is θ, and Adam has taken no step.
        self.restore(Policy(generator, objective, self.config, self.seed).saved())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._last = self.stack.saved(self.place, self.vocab_size)
        finally:
            self.stack.leave(self.place)

    def sample(self, batch_size: int, epoch: int) -> Batch:
        """The first `batch_size` distinct ones of what the stack draws for this place."""
        drawn = self.stack.ask(self.place, Draw(epoch))
        assert isinstance(drawn, np.ndarray)
        batch = Batch.from_tokens(self.generator.grammar.vocabulary, drawn)
        return batch.first_distinct(batch_size, self.generator.n_threads)

    def update(self, pool: Pool, epoch: int) -> UpdateStats:
        """One epoch's updates, by the same corruptions as alone."""
        rng = np.random.default_rng((self.seed, MASKING, epoch))
        tokens = pool.batch.tokens
        views = [self.generator.corrupt(tokens, rng) for _ in range(self.config.updates_per_epoch)]
        self.networks.write_lesson(
            self.place,
            tokens,
            self.generator.legal_tokens(tokens),
            pool.advantage,
            list(views),
            renews_reference=epoch % self.config.epochs_per_reference == 0,
        )
        stats = self.stack.ask(self.place, Learn())
        assert isinstance(stats, UpdateStats)
        return stats

    def saved(self) -> Saved:
        """As a policy alone would save it; after the seat is left, as it was then."""
        return self._last or self.stack.saved(self.place, self.vocab_size)

    def restore(self, saved: Saved) -> None:
        """Be as the policy that was saved, in a stack or alone."""
        self.stack.load(self.place, saved, self.vocab_size)
