"""A search's place in a stack, which the search uses as its generator and its policy."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import numpy as np

from ddsr.expression import Batch
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.learning.curves import UpdateStats
from ddsr.learning.memory import Pool
from ddsr.learning.policy import MASKING, Policy
from ddsr.storage.saved import Saved
from ddsr_bench.stacking.stack import Draw, Learn, Stack

if TYPE_CHECKING:
    from ddsr.learning.objective import Objective


class Seat(AbstractContextManager["Seat"]):
    """Draws and learns in a stack. `generator` has the grammar, the corruption and the first weights."""

    def __init__(self, stack: Stack, generator: MaskedDiffusion, objective: Objective) -> None:
        self.stack, self.networks, self.generator = stack, stack.networks, generator
        self.config, self.seed = generator.config, generator.seed
        self.vocab_size = len(generator.grammar.vocabulary)
        self._last: Saved | None = None
        self.place = stack.enter()
        self.networks.sampler.seat(self.place, generator)
        # Start as an untrained policy: the first weights as θ and θ_ref, and no step of Adam.
        self.restore(Policy(generator, objective, self.config, self.seed).saved())

    def __exit__(self, *_: object) -> None:
        try:
            self._last = self.saved()
        finally:
            self.stack.leave(self.place)

    def sample(self, batch_size: int, epoch: int) -> Batch:
        """Return the first `batch_size` distinct expressions that the stack draws for this place."""
        drawn = self.stack.ask(self.place, Draw(epoch))
        assert isinstance(drawn, np.ndarray)
        batch = Batch.from_tokens(self.generator.grammar.vocabulary, drawn)
        return batch.first_distinct(batch_size, self.generator.n_threads)

    def update(self, pool: Pool, epoch: int) -> UpdateStats:
        """Do the updates of one epoch, with the same corruptions as a search alone."""
        rng = np.random.default_rng((self.seed, MASKING, epoch))
        tokens = pool.batch.tokens
        self.networks.write_lesson(
            self.place,
            tokens,
            self.generator.legal_tokens(tokens),
            pool.advantage,
            [self.generator.corrupt(tokens, rng) for _ in range(self.config.updates_per_epoch)],
            renews_reference=epoch % self.config.epochs_per_reference == 0,
        )
        stats = self.stack.ask(self.place, Learn())
        assert isinstance(stats, UpdateStats)
        return stats

    def saved(self) -> Saved:
        """Return the state that a policy alone would save; after the seat is left, the last state."""
        if self._last is not None:
            return self._last
        with self.stack.turn:
            return self.networks.parameters.saved(self.place, self.vocab_size)

    def restore(self, saved: Saved) -> None:
        """Restore a policy's state, which was saved in a stack or alone."""
        with self.stack.turn:
            self.networks.parameters.load(self.place, saved, self.vocab_size)
