"""The inner step as a CUDA graph, with one launch instead of one per small operation.

A graph has a fixed number of rows, so the pool is padded with rows that have no tokens and no advantage. They
add nothing to the loss or its gradient.
"""

from __future__ import annotations

import copy
from dataclasses import fields
from typing import Any

import torch
from torch import Tensor

from ddsr.learning.objective import EliteTensors, LossTerms
from ddsr.learning.step import Example, Step

WARM_UPS = 3  # runs in which libraries choose their kernels, which a graph must not contain


class CapturedStep:
    """Replays `step` on its own buffers; Adam must be `capturable`. The first call captures the graph."""

    def __init__(self, step: Step, n_rows: int) -> None:
        self.step, self.n_rows = step, n_rows
        self.buffers: Example | None = None
        self.graph = torch.cuda.CUDAGraph()
        self.loss: LossTerms

    def take(self, example: Example) -> LossTerms:
        """Take a step, and return the loss before it."""
        if self.buffers is None:
            self.buffers = _filled_up(example, self.n_rows)
            self._capture(self.buffers)
        else:
            _fill(self.buffers, example)
        self.graph.replay()
        return LossTerms(*(getattr(self.loss, field.name).clone() for field in fields(LossTerms)))

    def _capture(self, buffers: Example) -> None:
        """Warm up on another stream, restore weights and moments, and record the graph."""
        network, optimizer = self.step.network, self.step.optimizer
        weights = copy.deepcopy(network.state_dict())
        moments = copy.deepcopy(optimizer.state_dict()["state"])
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(WARM_UPS):
                self.step.take(buffers)
        torch.cuda.current_stream().wait_stream(aside)
        network.load_state_dict(weights)  # copies into the existing tensors, which the graph will use
        _restore(optimizer.state_dict()["state"], moments)
        # A step clears the gradients first, so they are created again in the graph's memory.
        with torch.cuda.graph(self.graph):
            self.loss = self.step.take(buffers)


def _restore(state: dict[int, dict[str, Tensor]], before: dict[int, dict[str, Any]]) -> None:
    """Restore Adam's moments and step counts in place; those that did not exist before become 0."""
    with torch.no_grad():
        for index, tensors in state.items():
            for name, tensor in tensors.items():
                earlier = before.get(index, {}).get(name)
                if earlier is None:
                    tensor.zero_()
                else:
                    tensor.copy_(earlier)


def _filled_up(example: Example, n_rows: int) -> Example:
    """Return a copy padded to `n_rows` rows of 0 and False."""

    def longer(rows: Tensor) -> Tensor:
        filled = rows.new_zeros((n_rows, *rows.shape[1:]))
        filled[: len(rows)] = rows
        return filled

    targets = example.targets
    return Example(
        inputs=tuple(longer(tensor) for tensor in example.inputs),
        targets=EliteTensors(
            tokens=longer(targets.tokens),
            is_token=longer(targets.is_token),
            is_masked=longer(targets.is_masked),
            is_legal=longer(targets.is_legal),
            advantage=longer(targets.advantage),
            n_elites=targets.n_elites,
        ),
        old=longer(example.old),
        reference=longer(example.reference),
    )


def _fill(buffers: Example, example: Example) -> None:
    """Copy another example into the buffers."""
    for buffer, rows in zip(_tensors(buffers), _tensors(example), strict=True):
        buffer[: len(rows)] = rows
        buffer[len(rows) :] = 0


def _tensors(example: Example) -> list[Tensor]:
    targets = example.targets
    of_targets = [targets.tokens, targets.is_token, targets.is_masked, targets.is_legal, targets.advantage]
    return [*example.inputs, *of_targets, example.old, example.reference]
