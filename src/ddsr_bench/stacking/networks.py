"""The networks of a stack: what is drawn from them and taught to them, in one pass for all places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ddsr._core import PAD
from ddsr.config import PaperConfig
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.learning.curves import UpdateStats
from ddsr.learning.objective import Objective
from ddsr.storage.saved import Saved
from ddsr_bench.stacking.captured_update import CapturedUpdate
from ddsr_bench.stacking.kernel_sampler import KernelSampler
from ddsr_bench.stacking.parameters import StackedParameters
from ddsr_bench.stacking.plain_sampler import PlainSampler
from ddsr_bench.stacking.support import has_kernels, suits_network
from ddsr_bench.stacking.update import Lessons, StackedUpdate

Tokens = NDArray[np.int16]


class NoisyView(Protocol):
    """A pool under one corruption."""

    @property
    def noisy_tokens(self) -> Tokens:
        """X_t, (B, M)."""
        ...

    @property
    def step(self) -> NDArray[np.int64]:
        """t, (B,)."""
        ...

    @property
    def is_masked(self) -> NDArray[np.bool_]:
        """(B, M)."""
        ...


class Sampler(Protocol):
    """Runs the backward process of several places."""

    def seat(self, place: int, generator: MaskedDiffusion) -> None:
        """From now on draw for this generator in this place."""
        ...

    def draw(self, epochs: Mapping[int, int]) -> Mapping[int, Tokens]:
        """The expressions of these places in these epochs, before duplicates are left out."""
        ...


class StackedNetworks:
    """θ of all places; the sampler reads it, the update changes it."""

    def __init__(
        self,
        n_places: int,
        vocab_size: int,
        config: PaperConfig,
        objective: Objective,
        device: torch.device,
    ) -> None:
        self.n_places, self.config, self.device = n_places, config, device
        self.parameters = StackedParameters(n_places, vocab_size, config.max_length, config.denoiser, device)
        self.sampler = self._make_sampler()
        update = StackedUpdate(self.parameters, objective, config.learning_rate, config.n_elites)
        self._update = CapturedUpdate(update) if device.type == "cuda" else update
        sizes = (config.updates_per_epoch, n_places, 2 * config.n_elites, config.max_length, vocab_size)
        # Written by the searches' threads, each in its own place.
        self.lessons = Lessons.empty(*sizes, torch.device("cpu"))
        self._given = self.lessons if device.type == "cpu" else Lessons.empty(*sizes, device)
        if device.type == "cuda":
            self.lessons = Lessons(
                *(getattr(self.lessons, each.name).pin_memory() for each in fields(Lessons))
            )

    def _make_sampler(self) -> Sampler:
        if has_kernels(self.device) and suits_network(self.config.denoiser):
            return KernelSampler(self.parameters, self.config)
        return PlainSampler(self.parameters)

    def draw(self, epochs: Mapping[int, int]) -> Mapping[int, Tokens]:
        """The expressions of these places in these epochs."""
        return self.sampler.draw(epochs)

    def write_lesson(
        self,
        place: int,
        clean_tokens: Tokens,
        is_legal: NDArray[np.bool_],
        advantage: NDArray[np.float64],
        views: list[NoisyView],
        renews_reference: bool,
    ) -> None:
        """Put the pool of a place under its corruptions to where the next update looks for it."""
        lessons, n_rows = self.lessons, len(clean_tokens)

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
        assert n_rows <= lessons.tokens.shape[1]

    def learn(self, places: list[int]) -> Mapping[int, UpdateStats]:
        """Update the networks of these places by the lessons that are written."""
        self.lessons.is_learning.zero_()
        self.lessons.is_learning[places] = True
        self.lessons.renews.logical_and_(self.lessons.is_learning)
        if self._given is not self.lessons:
            self._given.copy_from(self.lessons)
        numbers = self._update.take(self._given).mean(dim=0).cpu().numpy()  # (4, S)
        return {place: UpdateStats(*map(float, numbers[:, place])) for place in places}

    def load(self, place: int, saved: Saved, vocab_size: int) -> None:
        """Take what a policy saved into a place."""
        self.parameters.load(place, saved, vocab_size)

    def saved(self, place: int, vocab_size: int) -> Saved:
        """What a policy would save."""
        return self.parameters.saved(place, vocab_size)
