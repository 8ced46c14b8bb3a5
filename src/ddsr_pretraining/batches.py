"""Training data in batches, made by the core in the background while the network learns.

Examples are made in chunks and sorted by their number of variables, so that the data sets of a batch are
about as wide. A batch is known by its number alone: training that goes on from a checkpoint sees what it
would have seen.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ddsr.generators.prior.config import TrainingConfig

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int

    from ddsr_pretraining.examples import Examples

MakeExamples = Callable[[int, int], "Examples"]
"""(first index, how many) → examples"""

WIDTHS = (1, 2, 3, 4, 6, 8, 10)
"""numbers of variables that batches are padded to: kernels are chosen and compiled for few shapes"""
READY_BATCHES = 16
ORDER = 4  # tells these random numbers from others of the same seed


@dataclass(frozen=True, eq=False)
class DataBatch:
    """B data sets and their expressions."""

    tokens: Int[Tensor, "B M"]
    x: Float[Tensor, "B N V"]
    y: Float[Tensor, "B N"]
    is_row: Bool[Tensor, "B N"]
    is_variable: Bool[Tensor, "B V"]

    def to(self, device: torch.device) -> DataBatch:
        """The same there; from pinned memory the copies do not wait."""
        return DataBatch(
            *(
                tensor.to(device, non_blocking=True)
                for tensor in (self.tokens, self.x, self.y, self.is_row, self.is_variable)
            )
        )

    def pinned(self) -> DataBatch:
        """The same in memory that a GPU copies from by itself."""
        return DataBatch(
            *(tensor.pin_memory() for tensor in (self.tokens, self.x, self.y, self.is_row, self.is_variable))
        )


def as_batch(examples: Examples, rows: NDArray[np.intp]) -> DataBatch:
    """Some of the examples, as wide as the widest of them takes.

    Rows are chosen by torch, which lets other threads of Python run meanwhile.
    """
    n_variables = torch.from_numpy(examples.n_variables[rows].astype(np.int64))
    most = examples.x.shape[2]
    width = min(most, next(width for width in (*WIDTHS, most) if width >= int(n_variables.max())))
    chosen = torch.from_numpy(np.asarray(rows, dtype=np.int64))
    tokens, x, y = (torch.from_numpy(part)[chosen] for part in (examples.tokens, examples.x, examples.y))
    n_rows = torch.from_numpy(examples.n_rows[rows].astype(np.int64))
    return DataBatch(
        tokens,
        x[..., :width].float().contiguous(),
        y.float(),
        torch.arange(x.shape[1]) < n_rows[:, None],
        torch.arange(width) < n_variables[:, None],
    )


def batches_of_chunk(make: MakeExamples, config: TrainingConfig, chunk: int) -> list[DataBatch]:
    """The batches of one chunk, in a random order."""
    size = config.batch_size * config.batches_per_chunk
    examples = make(chunk * size, size)
    by_width = np.argsort(examples.n_variables, kind="stable")
    order = np.random.default_rng((config.seed, ORDER, chunk)).permutation(config.batches_per_chunk)
    parts = np.split(by_width, config.batches_per_chunk)
    return [as_batch(examples, parts[part]) for part in order]


class BatchStream:
    """Batches from a number on, made ahead by a thread. Close it after use."""

    def __init__(self, make: MakeExamples, config: TrainingConfig, first: int, is_pinned: bool) -> None:
        self._ready: queue.Queue[DataBatch | BaseException] = queue.Queue(READY_BATCHES)
        self._is_closed = threading.Event()
        arguments = (make, config, first, is_pinned)
        self._thread = threading.Thread(target=self._make_ahead, args=arguments, daemon=True)
        self._thread.start()

    def _make_ahead(self, make: MakeExamples, config: TrainingConfig, first: int, is_pinned: bool) -> None:
        try:
            chunk, skipped = divmod(first, config.batches_per_chunk)
            while not self._is_closed.is_set():
                for batch in batches_of_chunk(make, config, chunk)[skipped:]:
                    self._hand_over(batch.pinned() if is_pinned else batch)
                chunk, skipped = chunk + 1, 0
        except BaseException as error:  # the thread that trains raises it
            self._hand_over(error)

    def _hand_over(self, item: DataBatch | BaseException) -> None:
        while not self._is_closed.is_set():
            try:
                return self._ready.put(item, timeout=0.2)
            except queue.Full:
                continue

    def __iter__(self) -> Iterator[DataBatch]:
        while True:
            item = self._ready.get()
            if isinstance(item, BaseException):
                raise item
            yield item

    def close(self) -> None:
        """End the thread, once the chunk it is making is made."""
        self._is_closed.set()
        self._thread.join()
