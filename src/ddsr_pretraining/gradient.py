"""The loss of a batch and its gradient, with single launches or CUDA graphs.

A step of training launches more than a thousand small kernels, and a GPU finishes most of them before the
next launch. A graph is one launch. It needs inputs of one shape, so there is one graph for each width and
length. The graphs share their memory, since only one runs at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ddsr.learning.step import Inputs

LossOf = Callable[..., Tensor]
"""function that computes the loss of inputs, without random numbers or waiting for the device"""

WARM_UPS = 2  # libraries choose their kernels, and compilers compile, before the capture


class PlainGradient:
    """Launches each operation separately."""

    def __init__(self, loss_of: LossOf, parameters: Iterable[nn.Parameter]) -> None:
        self.loss_of, self.parameters = loss_of, list(parameters)
        self.gradients = [torch.zeros_like(parameter) for parameter in self.parameters]
        for parameter, gradient in zip(self.parameters, self.gradients, strict=True):
            parameter.grad = gradient

    def take(self, inputs: Inputs) -> Tensor:
        """Return the loss, and leave its gradient in `parameter.grad`."""
        loss = self.loss_of(*inputs)
        found = torch.autograd.grad(loss, self.parameters)
        torch._foreach_copy_(self.gradients, list(found))
        return loss.detach()


@dataclass(frozen=True, eq=False)
class Capture:
    """A graph with its inputs and its loss."""

    graph: Any
    inputs: Inputs
    loss: Tensor


class CapturedGradient(PlainGradient):
    """Replays graphs, which are captured for the first batch of each shape."""

    def __init__(self, loss_of: LossOf, parameters: Iterable[nn.Parameter]) -> None:
        super().__init__(loss_of, parameters)
        self.captures: dict[tuple[torch.Size, ...], Capture] = {}
        self.pool = torch.cuda.graph_pool_handle()
        self.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]

    def take(self, inputs: Inputs) -> Tensor:
        """Return the loss, and leave its gradient in `parameter.grad`."""
        shapes = tuple(tensor.shape for tensor in inputs)
        if shapes not in self.captures:
            self.captures[shapes] = self._capture(tuple(tensor.clone() for tensor in inputs))
        capture = self.captures[shapes]
        for kept, given in zip(capture.inputs, inputs, strict=True):
            kept.copy_(given)
        capture.graph.replay()
        return capture.loss.clone()

    def _capture(self, inputs: Inputs) -> Capture:
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            for _ in range(WARM_UPS):
                super().take(inputs)
        torch.cuda.current_stream().wait_stream(self.stream)
        graph = torch.cuda.CUDAGraph()
        # Meanwhile another thread pins memory for the next batches, which must not stop the capture.
        with torch.cuda.graph(graph, self.pool, self.stream, capture_error_mode="thread_local"):
            loss = super().take(inputs)
        return Capture(graph, inputs, loss)
