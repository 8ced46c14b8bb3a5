"""Draw expressions for the places of a stack."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from ddsr.config import PaperConfig
from ddsr.expression import Tokens
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr_bench.stacking.backward import StackedBackward
from ddsr_bench.stacking.parameters import StackedParameters
from ddsr_bench.stacking.tables import suits_fill


class PlainSampler:
    """Draws for one place after another with the generators themselves, on devices without kernels."""

    def __init__(self, parameters: StackedParameters) -> None:
        self.parameters = parameters
        self._generators: dict[int, MaskedDiffusion] = {}

    def seat(self, place: int, generator: MaskedDiffusion) -> None:
        """Draw for this generator in this place from now on."""
        self._generators[place] = generator

    def draw(self, epochs: Mapping[int, int]) -> dict[int, Tokens]:
        """Draw the expressions of these places in these epochs, with duplicates."""
        return {place: self._draw(place, self._generators[place], epoch) for place, epoch in epochs.items()}

    def _draw(self, place: int, generator: MaskedDiffusion, epoch: int) -> Tokens:
        weights = self.parameters.saved(place, len(generator.grammar.vocabulary))["network"]
        generator.network.load_state_dict({name: torch.from_numpy(each) for name, each in weights.items()})
        return generator.draw(generator.config.oversampling * generator.config.batch_size, epoch)


class KernelSampler:
    """Draws for all places in one launch on a GPU. Generators that the kernels do not support draw alone."""

    def __init__(self, parameters: StackedParameters, config: PaperConfig) -> None:
        n_places = parameters.n_members
        self.backward = StackedBackward(parameters, config.oversampling * config.batch_size)
        self.plain = PlainSampler(parameters)
        self.seeds = [0] * n_places
        self.is_supported = [False] * n_places

    def seat(self, place: int, generator: MaskedDiffusion) -> None:
        """Draw for this generator in this place from now on."""
        self.is_supported[place] = suits_fill(generator.grammar)
        if self.is_supported[place]:
            self.backward.tables.load(place, generator.grammar)
            self.seeds[place] = generator.seed
        else:
            self.plain.seat(place, generator)

    def draw(self, epochs: Mapping[int, int]) -> dict[int, Tokens]:
        """Draw the expressions of these places in these epochs, with duplicates."""
        places = range(len(self.seeds))
        is_active = [place in epochs and self.is_supported[place] for place in places]
        drawn = self.backward.draw(self.seeds, [epochs.get(place, 0) for place in places], is_active)
        others = {place: epoch for place, epoch in epochs.items() if not self.is_supported[place]}
        return {place: drawn[place] for place in epochs if is_active[place]} | self.plain.draw(others)
