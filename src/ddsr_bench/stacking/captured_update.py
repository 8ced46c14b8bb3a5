"""The update of a stack as one CUDA graph: a single launch for the C steps of all members."""

from __future__ import annotations

import torch
from torch import Tensor

from ddsr_bench.stacking.update import Lessons, StackedUpdate

WARM_UPS = 2  # libraries choose their kernels in the first runs, which a graph must not hold


class CapturedUpdate:
    """Replays `update` on the lessons that it was first called with, whose values may change."""

    def __init__(self, update: StackedUpdate) -> None:
        self.update = update
        self.lessons: Lessons | None = None
        self.graph = torch.cuda.CUDAGraph()
        self.numbers: Tensor

    def take(self, lessons: Lessons) -> Tensor:
        """As `StackedUpdate.take`; what it returns is valid until the next call."""
        if self.lessons is None:
            self.lessons = lessons
            self._capture()
        assert lessons is self.lessons
        self.graph.replay()
        return self.numbers

    def _capture(self) -> None:
        """Warm up on a stream aside, undo what that taught, and record."""
        assert self.lessons is not None
        own = self.update.parameters
        state = own.current, own.reference, own.mean, own.square, own.n_steps
        before = [tensor.clone() for tensor in state]
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(WARM_UPS):
                self.update.take(self.lessons)
        torch.cuda.current_stream().wait_stream(aside)
        with torch.cuda.graph(self.graph):
            self.numbers = self.update.take(self.lessons)
        for tensor, earlier in zip(state, before, strict=True):
            tensor.copy_(earlier)
