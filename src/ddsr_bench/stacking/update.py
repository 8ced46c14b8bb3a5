"""The C inner steps of all members in one pass.

A member's loss depends on its own parameters only, so the gradient of the sum has the gradients of all.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.func import functional_call, vmap

from ddsr.generators.categorical import constrain
from ddsr.learning.objective import EliteTensors, LossTerms, Objective
from ddsr_bench.stacking.parameters import StackedParameters

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int

# Defaults of torch's Adam.
BETAS = 0.9, 0.999
EPSILON = 1e-8
WARM_UPS = 2  # libraries choose their kernels in the first runs, which must be outside of a graph


@dataclass(frozen=True, eq=False)
class Lessons:
    """The training data of each member in an epoch: its pool under C corruptions. Unused rows are empty."""

    noisy_tokens: Int[Tensor, "C S B M"]
    step: Int[Tensor, "C S B"]
    is_masked: Bool[Tensor, "C S B M"]
    tokens: Int[Tensor, "S B M"]
    is_token: Bool[Tensor, "S B M"]
    is_legal: Bool[Tensor, "S B M V"]
    advantage: Float[Tensor, "S B"]
    is_learning: Bool[Tensor, " S"]
    """members that learn"""
    renews: Bool[Tensor, " S"]
    """members whose θ_ref is updated first"""

    @classmethod
    def empty(
        cls,
        n_updates: int,
        n_members: int,
        n_rows: int,
        max_length: int,
        vocab_size: int,
        device: torch.device,
    ) -> Lessons:
        """Return lessons of these sizes without tokens."""
        rows = n_members, n_rows, max_length

        def zeros(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=device)

        return cls(
            noisy_tokens=zeros(n_updates, *rows, dtype=torch.int16),
            step=zeros(n_updates, *rows[:2], dtype=torch.int64),
            is_masked=zeros(n_updates, *rows, dtype=torch.bool),
            tokens=zeros(*rows, dtype=torch.int64),
            is_token=zeros(*rows, dtype=torch.bool),
            is_legal=zeros(*rows, vocab_size, dtype=torch.bool),
            advantage=zeros(*rows[:2], dtype=torch.float32),
            is_learning=zeros(n_members, dtype=torch.bool),
            renews=zeros(n_members, dtype=torch.bool),
        )

    def copy_from(self, other: Lessons) -> None:
        """Copy all values."""
        for each in fields(self):
            getattr(self, each.name).copy_(getattr(other, each.name), non_blocking=True)


class StackedUpdate:
    """The inner loop of Algorithm 1 for all members that learn."""

    def __init__(
        self, parameters: StackedParameters, objective: Objective, learning_rate: float, n_elites: int
    ) -> None:
        self.parameters, self.objective = parameters, objective
        self.learning_rate, self.n_elites = learning_rate, n_elites

    def take(self, lessons: Lessons) -> Float[Tensor, "C 4 S"]:
        """Update θ_ref if it is due, then take C steps; return the `LossTerms` before each step."""
        own = self.parameters
        self._renew_reference(lessons.renews)
        old, reference = (
            [self._log_probs(own.named(flat), lessons, number) for number in range(len(lessons.step))]
            for flat in (own.current, own.reference)
        )
        return torch.stack(
            [self._step(lessons, number, old[number], reference[number]) for number in range(len(old))]
        )

    def gradient(
        self, lessons: Lessons, number: int, old: Tensor, reference: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the numbers (4, S) of the loss under one corruption, and its flat gradient."""
        named = {name: each.detach().requires_grad_() for name, each in self._current().items()}
        new = self._log_probs(named, lessons, number)
        numbers = self._loss(new, old, reference, lessons, number)
        gradients = torch.autograd.grad(numbers[0].sum(), list(named.values()))
        return numbers.detach(), torch.cat([each.reshape(-1) for each in gradients])

    def _step(self, lessons: Lessons, number: int, old: Tensor, reference: Tensor) -> Tensor:
        numbers, gradient = self.gradient(lessons, number, old, reference)
        self._descend(gradient, lessons.is_learning)
        return numbers

    def _current(self) -> dict[str, Tensor]:
        return self.parameters.named(self.parameters.current)

    def _log_probs(self, named: dict[str, Tensor], lessons: Lessons, number: int) -> Float[Tensor, "S B M V"]:
        def one(parameters: dict[str, Tensor], noisy_tokens: Tensor, step: Tensor) -> Tensor:
            logits: Tensor = functional_call(self.parameters.skeleton, parameters, (noisy_tokens, step))
            return logits

        logits = vmap(one)(named, lessons.noisy_tokens[number], lessons.step[number])
        return constrain(logits, lessons.is_legal)

    def _loss(
        self, new: Tensor, old: Tensor, reference: Tensor, lessons: Lessons, number: int
    ) -> Float[Tensor, "4 S"]:
        def one(
            new: Tensor,
            old: Tensor,
            reference: Tensor,
            tokens: Tensor,
            is_token: Tensor,
            is_masked: Tensor,
            is_legal: Tensor,
            advantage: Tensor,
        ) -> Tensor:
            targets = EliteTensors(tokens, is_token, is_masked, is_legal, advantage, self.n_elites)
            loss = self.objective.loss(new, old, reference, targets)
            return torch.stack([getattr(loss, each.name) for each in fields(LossTerms)])

        found: Tensor = vmap(one, out_dims=1)(
            new,
            old,
            reference,
            lessons.tokens,
            lessons.is_token,
            lessons.is_masked[number],
            lessons.is_legal,
            lessons.advantage,
        )
        return found

    @torch.no_grad()
    def _renew_reference(self, renews: Tensor) -> None:
        own = self.parameters
        own.reference.copy_(torch.where(renews[own.member_of], own.current, own.reference))

    @torch.no_grad()
    def _descend(self, gradient: Tensor, is_learning: Tensor) -> None:
        """Take a step of Adam for the members that learn."""
        own = self.parameters
        own.n_steps.add_(is_learning)
        learns = is_learning[own.member_of]
        mean = own.mean.lerp(gradient, 1 - BETAS[0])
        square = own.square * BETAS[1] + gradient * gradient * (1 - BETAS[1])
        steps = own.n_steps.clamp(min=1).double()
        rates = (self.learning_rate / (1 - BETAS[0] ** steps)).float()[own.member_of]
        roots = (1 - BETAS[1] ** steps).sqrt().float()[own.member_of]
        moved = own.current - rates * mean / (square.sqrt() / roots + EPSILON)
        for flat, changed in ((own.mean, mean), (own.square, square), (own.current, moved)):
            flat.copy_(torch.where(learns, changed, flat))


class CapturedUpdate:
    """An update as one CUDA graph, for the lessons of its first call, whose values may change."""

    def __init__(self, update: StackedUpdate) -> None:
        self.update = update
        self.lessons: Lessons | None = None
        self.graph = torch.cuda.CUDAGraph()
        self.numbers: Tensor

    def take(self, lessons: Lessons) -> Tensor:
        """Update like `StackedUpdate.take`; the result is valid until the next call."""
        if self.lessons is None:
            self.lessons = lessons
            self._capture(lessons)
        assert lessons is self.lessons
        self.graph.replay()
        return self.numbers

    def _capture(self, lessons: Lessons) -> None:
        """Warm up on another stream, undo the updates, and record the graph."""
        own = self.update.parameters
        state = own.current, own.reference, own.mean, own.square, own.n_steps
        before = [tensor.clone() for tensor in state]
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(WARM_UPS):
                self.update.take(lessons)
        torch.cuda.current_stream().wait_stream(aside)
        with torch.cuda.graph(self.graph):
            self.numbers = self.update.take(lessons)
        for tensor, earlier in zip(state, before, strict=True):
            tensor.copy_(earlier)
