"""Draws for all places in one launch on a GPU; places whose grammar is not for the kernels draw alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ddsr.config import PaperConfig
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr_bench.stacking.backward import StackedBackward
from ddsr_bench.stacking.parameters import StackedParameters
from ddsr_bench.stacking.plain_sampler import PlainSampler
from ddsr_bench.stacking.tables import suits_fill

Tokens = NDArray[np.int16]


class KernelSampler:
    """Reads the parameters where the update leaves them."""

    def __init__(self, parameters: StackedParameters, config: PaperConfig) -> None:
        n_places = parameters.n_members
        self.backward = StackedBackward(parameters, config.oversampling * config.batch_size)
        self.plain = PlainSampler(parameters)
        self.seeds = [0] * n_places
        self.is_known = [False] * n_places

    def seat(self, place: int, generator: MaskedDiffusion) -> None:
        """From now on draw for this generator in this place."""
        self.is_known[place] = suits_fill(generator.grammar)
        if self.is_known[place]:
            self.backward.load_tables(place, generator.grammar)
            self.seeds[place] = generator.seed
        else:
            self.plain.seat(place, generator)

    def draw(self, epochs: Mapping[int, int]) -> Mapping[int, Tokens]:
        """The expressions of these places in these epochs."""
        places = range(len(self.seeds))
        is_active = [place in epochs and self.is_known[place] for place in places]
        drawn = self.backward.draw(self.seeds, [epochs.get(place, 0) for place in places], is_active)
        others = {place: epoch for place, epoch in epochs.items() if not self.is_known[place]}
        return {place: drawn[place] for place in epochs if self.is_known[place]} | dict(
            self.plain.draw(others)
        )
