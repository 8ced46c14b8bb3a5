"""Predictors run the denoiser for the backward process: from tokens to logits, both on the host.

Starting a prediction does not wait for it, so that the grammar can fill one part of a batch while the network
works on another. Equal rows are predicted only once: at first all are equal, and many stay equal for long.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ddsr._core import distinct_rows
from ddsr.deadline import NEVER, Deadline
from ddsr.expression import Tokens
from ddsr.generators.diffusion.denoiser import TokenNetwork

Logits = NDArray[np.float32]


class Predicted(NamedTuple):
    """Logits of the distinct rows of a batch, valid until the same part is started again."""

    logits: Logits
    """(K, M, V)"""
    number: NDArray[np.int64]
    """(B,): index into the logits for each row"""

    @property
    def of_rows(self) -> Logits:
        """Logits of every row, (B, M, V)."""
        return self.logits[self.number]


Pending = Callable[[], Predicted]
"""Function that waits for the prediction and returns it."""


class Predictor(Protocol):
    """Interface of a device for the backward process."""

    n_parts: int
    """number of parts into which a batch should be split"""

    def start(self, part: int, noisy_tokens: Tokens, step: int) -> Pending:
        """Start to predict q(X_0) from X_t, (B, M)."""
        ...

    def predict(self, noisy_tokens: Tensor, step: int) -> Tensor:
        """Predict from tokens on the device, (B, M); the logits stay on the device."""
        ...


class CpuPredictor:
    """Predicts rows in small chunks, one thread per chunk.

    A row's chunk, and therefore its logits, do not depend on the number of threads.
    """

    n_parts = 1
    CHUNK_ROWS = 48

    def __init__(self, network: TokenNetwork, n_threads: int, deadline: Deadline = NEVER) -> None:
        self.network, self.deadline = network, deadline
        # one thread per chunk is faster than several threads on each of its small operations
        self.threads = ThreadPoolExecutor(n_threads, initializer=torch.set_num_threads, initargs=(1,))

    def start(self, part: int, noisy_tokens: Tokens, step: int) -> Pending:
        """Submit every chunk of distinct rows to a thread."""
        first, number = distinct_rows(noisy_tokens)
        wait = self._start(torch.from_numpy(noisy_tokens[first]), step)
        return lambda: Predicted(wait(), number)

    def predict(self, noisy_tokens: Tensor, step: int) -> Tensor:
        """Predict all chunks and wait for them."""
        return torch.from_numpy(self._start(noisy_tokens, step)())

    def _start(self, tokens: Tensor, step: int) -> Callable[[], Logits]:
        logits = np.empty((*tokens.shape, self.network.vocab_size), dtype=np.float32)
        starts = range(0, len(tokens), self.CHUNK_ROWS)
        done = [self.threads.submit(self._predict, tokens, step, logits, begin) for begin in starts]

        def wait() -> Logits:
            for chunk in done:
                chunk.result()
            return logits

        return wait

    def _predict(self, tokens: Tensor, step: int, logits: Logits, begin: int) -> None:
        self.deadline.check()
        chunk = tokens[begin : begin + self.CHUNK_ROWS]
        with torch.inference_mode():
            predicted = self.network(chunk, torch.full((len(chunk),), step))
        logits[begin : begin + len(chunk)] = predicted.numpy()


class CudaPredictor:
    """Forward passes as CUDA graphs, each with one launch instead of one per small operation.

    A graph has a fixed number of rows, so graphs are captured for a few sizes, and batches are rounded up.
    """

    n_parts = 2
    ROWS_STEP = 256

    def __init__(self, network: TokenNetwork, device: torch.device) -> None:
        self.network, self.device = network, device
        self.graphs: dict[tuple[int, int], CapturedForward] = {}

    def start(self, part: int, noisy_tokens: Tokens, step: int) -> Pending:
        """Queue the copy of distinct rows to the GPU, the graph, and the copy back, without waiting."""
        first, number = distinct_rows(noisy_tokens)
        wait = self._graph(part, len(first)).start(noisy_tokens[first], step)
        return lambda: Predicted(wait(), number)

    def predict(self, noisy_tokens: Tensor, step: int) -> Tensor:
        """Queue the graph; the logits are valid until the next call."""
        return self._graph(0, len(noisy_tokens)).predict(noisy_tokens, step)

    def _graph(self, part: int, n_rows: int) -> CapturedForward:
        rounded = -(-n_rows // self.ROWS_STEP) * self.ROWS_STEP
        if (part, rounded) not in self.graphs:
            self.graphs[part, rounded] = CapturedForward(self.network, rounded, self.device)
        return self.graphs[part, rounded]


class CapturedForward:
    """One forward pass of a fixed number of rows, with its buffers on host and device."""

    def __init__(self, network: TokenNetwork, n_rows: int, device: torch.device) -> None:
        shape = (n_rows, network.max_length)
        self.host_tokens = torch.zeros(shape, dtype=torch.int16).pin_memory()
        self.host_logits = torch.zeros((*shape, network.vocab_size)).pin_memory()
        self.tokens = torch.zeros(shape, dtype=torch.int16, device=device)
        self.step = torch.zeros(n_rows, dtype=torch.int64, device=device)
        self.logits: Tensor
        self.copied = torch.cuda.Event()  # type: ignore[no-untyped-call]
        self.stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        with torch.inference_mode(), torch.cuda.stream(self.stream):
            # libraries choose their kernels in the first runs, which a graph must not contain
            for _ in range(3):
                network(self.tokens, self.step)
            self.stream.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph, stream=self.stream):
                self.logits = network(self.tokens, self.step)

    def start(self, noisy_tokens: Tokens, step: int) -> Callable[[], Logits]:
        """Queue the work of a call, and return a function that waits for the logits."""
        n_rows = len(noisy_tokens)
        self.host_tokens[:n_rows] = torch.from_numpy(noisy_tokens)
        self.stream.wait_stream(torch.cuda.current_stream())  # the last update of the weights comes first
        with torch.cuda.stream(self.stream):
            self.tokens.copy_(self.host_tokens, non_blocking=True)
            self.step.fill_(step)
            self.graph.replay()
            self.host_logits[:n_rows].copy_(self.logits[:n_rows], non_blocking=True)
            self.copied.record(self.stream)

        def wait() -> Logits:
            self.copied.synchronize()
            logits: Logits = self.host_logits[:n_rows].numpy()
            return logits

        return wait

    def predict(self, noisy_tokens: Tensor, step: int) -> Tensor:
        """Queue a call on the current stream, and return its logits on the device."""
        torch.cuda.current_stream().wait_stream(self.stream)  # an earlier `start` uses the same buffers
        self.tokens[: len(noisy_tokens)].copy_(noisy_tokens)
        self.step.fill_(step)
        self.graph.replay()
        return self.logits[: len(noisy_tokens)]


def make_predictor(
    network: TokenNetwork, device: torch.device, n_threads: int, deadline: Deadline = NEVER
) -> Predictor:
    """Return the predictor of a device; slow predictions are aborted at the deadline."""
    if device.type == "cuda":
        return CudaPredictor(network, device)
    return CpuPredictor(network, n_threads, deadline)
