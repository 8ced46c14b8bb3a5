"""The backward process of a stack of problems on a GPU, in one launch.

It does what `MaskedDiffusion.draw` does for one problem. Each step predicts the rows with masked positions,
fills them legally from left to right, and keeps one more position of each. All steps are one CUDA graph, so
nothing waits for the host. What a problem draws depends on its weights, grammar, seed and epoch only, not on
its place in the stack.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from ddsr.expression import Tokens
from ddsr_bench.stacking.network import KernelWeights
from ddsr_bench.stacking.parameters import StackedParameters
from ddsr_bench.stacking.support import DEFAULT, Launch
from ddsr_bench.stacking.tables import StackedTables


class StackedBackward:
    """Buffers for S problems of R rows each, and their steps' graph, which reads the current weights."""

    def __init__(self, parameters: StackedParameters, n_rows: int, launch: Launch = DEFAULT) -> None:
        self.parameters, self.n_rows, self.launch = parameters, n_rows, launch
        self.device, self.max_length = parameters.device, parameters.max_length
        self.kernel_weights = KernelWeights(parameters)
        n_problems, max_length, vocab_size = parameters.n_members, self.max_length, parameters.vocab_size
        self.tables = StackedTables(n_problems, vocab_size, max_length, self.device)
        shape = (n_problems, n_rows, max_length)

        def empty(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=self.device)

        # One of two buffers is for this step, the other for the next.
        self.kept = [empty(*shape, dtype=torch.int16) for _ in range(2)]
        self.rows = [empty(n_problems, n_rows, dtype=torch.int32) for _ in range(2)]
        self.drawn = empty(*shape, dtype=torch.int16)
        self.order = empty(*shape, dtype=torch.int8)
        self.logits = empty(*shape, vocab_size, dtype=torch.float32)
        self.n_active_rows = empty(n_problems, max_length + 1, dtype=torch.int32)
        self.asked = empty(n_problems, 3, dtype=torch.int64)
        is_cuda = self.device.type == "cuda"
        self.host_asked = torch.zeros((n_problems, 3), dtype=torch.int64, pin_memory=is_cuda)
        self.host_drawn = torch.zeros(shape, dtype=torch.int16, pin_memory=is_cuda)
        self.graph: torch.cuda.CUDAGraph | None = None
        self.n_captured_rules = -1

    def draw(self, seeds: Sequence[int], epochs: Sequence[int], is_active: Sequence[bool]) -> Tokens:
        """Draw R expressions for each problem, (S, R, M); the rows of inactive problems are PAD."""
        asked = np.array([seeds, epochs, is_active], dtype=np.uint64)
        self.host_asked.copy_(torch.from_numpy(asked.T.astype(np.int64)))
        self.asked.copy_(self.host_asked, non_blocking=True)
        if self.device.type != "cuda":
            self._run()
            return self.drawn.numpy().copy()
        self._captured().replay()
        self.host_drawn.copy_(self.drawn, non_blocking=True)
        copied = torch.cuda.Event()  # type: ignore[no-untyped-call]
        copied.record()
        copied.synchronize()
        return self.host_drawn.numpy().copy()

    def _captured(self) -> torch.cuda.CUDAGraph:
        """Return the steps as a graph, which depends on the number of rules on uses."""
        if self.graph is None or self.n_captured_rules != self.tables.n_use_rules:
            stream = torch.cuda.Stream(self.device)  # type: ignore[no-untyped-call]
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                self._run()  # not in the graph, since the first run compiles the kernels
                stream.synchronize()
                self.graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self.graph, stream=stream):
                    self._run()
            torch.cuda.current_stream().wait_stream(stream)
            self.n_captured_rules = self.tables.n_use_rules
        return self.graph

    def _run(self) -> None:
        """Launch all steps, X_M → X_0."""
        self.begin()
        for step in range(self.max_length, 0, -1):
            self.predict_step(step)
            self.fill_step(step)

    def begin(self) -> None:
        """Launch the work before the first step: copy the weights, mask the rows, draw their orders."""
        # Only CUDA builds of PyTorch have Triton.
        from ddsr_bench.stacking.fill_kernel import launch_begin

        self.kernel_weights.refresh()
        first = self.max_length % 2
        launch_begin(
            self.kept[first],
            self.drawn,
            self.order,
            self.rows[first],
            self.n_active_rows,
            self.asked,
            self.launch,
        )

    def predict_step(self, step: int) -> None:
        """Launch the networks on the rows of this step."""
        from ddsr_bench.stacking.network_kernel import launch_forward

        # At first, all rows of a problem are the same, and one is predicted.
        most_rows = 1 if step == self.max_length else self.n_rows
        launch_forward(
            self.kept[step % 2],
            self.rows[step % 2],
            self.n_active_rows,
            self.kernel_weights.of_kernel(),
            self.logits,
            step,
            most_rows,
            self.parameters.config.width,
            self.launch,
        )

    def fill_step(self, step: int) -> None:
        """Launch the fill of these rows, X_t → X_{t−1}."""
        from ddsr_bench.stacking.fill_kernel import launch_fill

        this, following = step % 2, (step - 1) % 2
        launch_fill(
            self.logits,
            (self.kept[this], self.kept[following]),
            self.drawn,
            self.order,
            (self.rows[this], self.rows[following]),
            self.n_active_rows,
            self.asked,
            self.tables.of_kernel(),
            self.tables.n_use_rules,
            step,
            is_alike=step == self.max_length,
            launch=self.launch,
        )
