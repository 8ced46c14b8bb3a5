"""Training data in batches, which the core makes in the background during training.

Examples are made in chunks and sorted by their number of variables, so that the data sets of a batch have
similar widths. A batch depends on its number only, so a resumed training sees the same batches.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ddsr_pretraining.config import TrainingConfig

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int

    from ddsr_pretraining.examples import Examples

MakeExamples = Callable[[int, int], "Examples"]
"""(first index, number) → examples"""

WIDTHS = (1, 2, 3, 4, 6, 8, 10)
"""numbers of variables that batches are padded to, so that kernels are compiled for few shapes"""
ORDER = 4  # separates these random numbers from others of the same seed


@dataclass(frozen=True, eq=False)
class DataBatch:
    """B data sets and their expressions."""

    tokens: Int[Tensor, "B M"]
    x: Float[Tensor, "B N V"]
    y: Float[Tensor, "B N"]
    is_row: Bool[Tensor, "B N"]
    is_variable: Bool[Tensor, "B V"]

    def to(self, device: torch.device) -> DataBatch:
        """Copy the batch to a device, asynchronously if it is pinned."""
        return self._mapped(lambda tensor: tensor.to(device, non_blocking=True))

    def pinned(self) -> DataBatch:
        """Copy the batch to memory that a GPU can read."""
        return self._mapped(Tensor.pin_memory)

    def _mapped(self, function: Callable[[Tensor], Tensor]) -> DataBatch:
        parts = (self.tokens, self.x, self.y, self.is_row, self.is_variable)
        return DataBatch(*map(function, parts))


def as_batch(examples: Examples, rows: NDArray[np.intp]) -> DataBatch:
    """Return some of the examples, padded to the widest of them.

    torch selects the rows, since it lets other threads run.
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


def batches_of_chunk(
    make: MakeExamples, config: TrainingConfig, chunk: int, is_pinned: bool = False
) -> list[DataBatch]:
    """Return the batches of one chunk, in random order."""
    size = config.batch_size * config.batches_per_chunk
    examples = make(chunk * size, size)
    by_width = np.argsort(examples.n_variables, kind="stable")
    order = np.random.default_rng((config.seed, ORDER, chunk)).permutation(config.batches_per_chunk)
    parts = np.split(by_width, config.batches_per_chunk)
    batches = [as_batch(examples, parts[part]) for part in order]
    return [batch.pinned() for batch in batches] if is_pinned else batches


def batches_from(
    first: int, make: MakeExamples, config: TrainingConfig, is_pinned: bool
) -> Generator[DataBatch, None, None]:
    """Yield batches from number `first` on, while a thread makes the next chunk."""
    chunk, skipped = divmod(first, config.batches_per_chunk)
    with ThreadPoolExecutor(1) as thread:
        ready = thread.submit(batches_of_chunk, make, config, chunk, is_pinned)
        while True:
            batches = ready.result()
            chunk += 1
            ready = thread.submit(batches_of_chunk, make, config, chunk, is_pinned)
            yield from batches[skipped:]
            skipped = 0
