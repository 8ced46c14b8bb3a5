"""The stacks of a process: one for all searches with the same settings and objective."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ddsr.config import PaperConfig
    from ddsr.generators.diffusion.generator import MaskedDiffusion
    from ddsr.learning.objective import Objective
    from ddsr_bench.stacking.seat import Seat
    from ddsr_bench.stacking.stack import Stack


class Stacks:
    """Makes a stack for the first search of its kind; the next ones take places in it."""

    def __init__(self, n_places: int, vocab_size: int) -> None:
        self.n_places, self.vocab_size = n_places, vocab_size
        self._making = threading.Lock()
        self._made: dict[tuple[PaperConfig, Objective], Stack] = {}

    def takes(self, generator: MaskedDiffusion) -> bool:
        """Return whether a generator is the paper's, and there is room for its vocabulary."""
        from ddsr.generators.diffusion.denoiser import Denoiser

        is_like_ours = isinstance(generator.network, Denoiser) and generator.config.denoising_steps is None
        return is_like_ours and len(generator.grammar.vocabulary) <= self.vocab_size

    def seat(self, generator: MaskedDiffusion, objective: Objective) -> Seat:
        """Return a place for a search, as soon as one is free."""
        from ddsr_bench.stacking.networks import StackedNetworks
        from ddsr_bench.stacking.seat import Seat
        from ddsr_bench.stacking.stack import Stack

        key = generator.config, objective
        with self._making:
            if key not in self._made:
                networks = StackedNetworks(self.n_places, self.vocab_size, *key, generator.device)
                self._made[key] = Stack(networks)
        return Seat(self._made[key], generator, objective)
