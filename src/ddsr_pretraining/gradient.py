"""The loss of a batch and its gradient, one launch at a time or as CUDA graphs.

A step of training launches more than a thousand small kernels, and a GPU is done with most of them before the
next is asked for. A graph is asked for at once. It holds for one shape of its inputs, so that one is captured
for every width and length that comes; they share their memory, since only one runs at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

Inputs = tuple[Tensor, ...]
LossOf = Callable[..., Tensor]
"""of some inputs; it draws no random numbers and does not wait for the device"""

WARM_UPS = 2  # libraries choose their kernels, and compilers compile, before anything is captured


class PlainGradient:
    """Launches each operation by itself."""

    def __init__(self, loss_of: LossOf, parameters: Iterable[nn.Parameter]) -> None:
        self.loss_of, self.parameters = loss_of, list(parameters)
        self.gradients = [torch.zeros_like(parameter) for parameter in self.parameters]
        for parameter, gradient in zip(self.parameters, self.gradients, strict=True):
            parameter.grad = gradient

    def take(self, inputs: Inputs) -> Tensor:
        """The loss; its gradient is in `parameter.grad` then."""
        loss = self.loss_of(*inputs)
        found = torch.autograd.grad(loss, self.parameters)
        torch._foreach_copy_(self.gradients, list(found))
        return loss.detach()


@dataclass(frozen=True, eq=False)
class Capture:
    """A graph, what it reads and what it writes."""

    graph: Any
    inputs: Inputs
    loss: Tensor


class CapturedGradient(PlainGradient):
    """Replays graphs; the first batch of every shape takes a moment longer."""

    def __init__(self, loss_of: LossOf, parameters: Iterable[nn.Parameter]) -> None:
        super().__init__(loss_of, parameters)
        self.captures: dict[tuple[torch.Size, ...], Capture] = {}
        self.pool = torch.cuda.graph_pool_handle()
        self.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]

    def take(self, inputs: Inputs) -> Tensor:
        """The loss; its gradient is in `parameter.grad` then."""
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
        # Another thread pins memory for the next batches meanwhile, which must not end the capture.
        with torch.cuda.graph(graph, self.pool, self.stream, capture_error_mode="thread_local"):
            loss = super().take(inputs)
        return Capture(graph, inputs, loss)
