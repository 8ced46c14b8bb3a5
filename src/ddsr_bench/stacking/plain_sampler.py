"""Draws for one place after another, as each generator does alone: where there is no kernel for all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray

from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr_bench.stacking.parameters import StackedParameters


class PlainSampler:
    """Gives each generator the weights of its place, and lets it draw."""

    def __init__(self, parameters: StackedParameters) -> None:
        self.parameters = parameters
        self._generators: dict[int, MaskedDiffusion] = {}

    def seat(self, place: int, generator: MaskedDiffusion) -> None:
        """From now on draw for this generator in this place."""
        self._generators[place] = generator

    def draw(self, epochs: Mapping[int, int]) -> Mapping[int, NDArray[np.int16]]:
        """The expressions of these places in these epochs."""
        return {place: self._draw(place, self._generators[place], epoch) for place, epoch in epochs.items()}

    def _draw(self, place: int, generator: MaskedDiffusion, epoch: int) -> NDArray[np.int16]:
        weights = self.parameters.saved(place, len(generator.grammar.vocabulary))["network"]
        generator.network.load_state_dict({name: torch.from_numpy(each) for name, each in weights.items()})
        return generator.draw(generator.config.oversampling * generator.config.batch_size, epoch)
