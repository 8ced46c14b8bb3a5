"""The networks of a stack, which draw and learn for all places in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ddsr.config import PaperConfig
from ddsr.expression import PAD, Tokens
from ddsr.generators.diffusion.corrupted import Corrupted
from ddsr.learning.curves import UpdateStats
from ddsr.learning.objective import Objective
from ddsr_bench.stacking.parameters import StackedParameters
from ddsr_bench.stacking.samplers import KernelSampler, PlainSampler
from ddsr_bench.stacking.support import has_kernels, suits_network
from ddsr_bench.stacking.update import CapturedUpdate, Lessons, StackedUpdate


class StackedNetworks:
    """θ of all places, which the sampler reads and the update changes."""

    def __init__(
        self,
        n_places: int,
        vocab_size: int,
        config: PaperConfig,
        objective: Objective,
        device: torch.device,
    ) -> None:
        self.n_places, self.device = n_places, device
        self.parameters = StackedParameters(n_places, vocab_size, config.max_length, config.denoiser, device)
        self.sampler = (
            KernelSampler(self.parameters, config)
            if has_kernels(device) and suits_network(config.denoiser)
            else PlainSampler(self.parameters)
        )
        update = StackedUpdate(self.parameters, objective, config.learning_rate, config.n_elites)
        self._update = CapturedUpdate(update) if device.type == "cuda" else update
        sizes = (config.updates_per_epoch, n_places, 2 * config.n_elites, config.max_length, vocab_size)
        # The threads of the searches write here, each in its own place.
        self.lessons = Lessons.empty(*sizes, torch.device("cpu"))
        self._given = self.lessons if device.type == "cpu" else Lessons.empty(*sizes, device)
        if device.type == "cuda":
            self.lessons = Lessons(
                *(getattr(self.lessons, each.name).pin_memory() for each in fields(Lessons))
            )

    def draw(self, epochs: Mapping[int, int]) -> dict[int, Tokens]:
        """Draw the expressions of these places in these epochs."""
        return self.sampler.draw(epochs)

    def write_lesson(
        self,
        place: int,
        clean_tokens: Tokens,
        is_legal: NDArray[np.bool_],
        advantage: NDArray[np.float64],
        views: Sequence[Corrupted],
        renews_reference: bool,
    ) -> None:
        """Write the pool of a place, under its corruptions, for the next update."""
        lessons = self.lessons
        assert len(clean_tokens) <= lessons.tokens.shape[1]

        def put(whole: Tensor, part: NDArray[np.generic]) -> None:
            whole.zero_()
            whole[tuple(slice(0, size) for size in part.shape)] = torch.from_numpy(np.ascontiguousarray(part))

        for number, view in enumerate(views):
            put(lessons.noisy_tokens[number, place], view.noisy_tokens)
            put(lessons.step[number, place], view.step)
            put(lessons.is_masked[number, place], view.is_masked)
        put(lessons.tokens[place], np.maximum(clean_tokens, 0).astype(np.int64))
        put(lessons.is_token[place], clean_tokens != PAD)
        put(lessons.is_legal[place], is_legal)
        put(lessons.advantage[place], advantage.astype(np.float32))
        lessons.renews[place] = renews_reference

    def learn(self, places: list[int]) -> Mapping[int, UpdateStats]:
        """Update the networks of these places with the lessons that were written."""
        self.lessons.is_learning.zero_()
        self.lessons.is_learning[places] = True
        self.lessons.renews.logical_and_(self.lessons.is_learning)
        if self._given is not self.lessons:
            self._given.copy_from(self.lessons)
        numbers = self._update.take(self._given).mean(dim=0).cpu().numpy()  # (4, S)
        return {place: UpdateStats(*map(float, numbers[:, place])) for place in places}
