"""Logits of the next token on a CPU, for drawing expressions from left to right.

Only what this needs is computed: parts that depend only on the data once for all steps, the last layer at one
position, and later positions hardly at all. On CPUs with units for it, products are in half precision, as
during training.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray

from ddsr.expression import Tokens
from ddsr.generators.diffusion.predictor import CpuPredictor
from ddsr.generators.prior.conditioned_denoiser import ConditionedDenoiser

LENGTH_STEP = 4
"""sequences are cut to multiples of this length"""
CHUNK_TOKENS = 2048
"""tokens per thread and call: more do not fit its caches, and with fewer the calls cost too much"""


class NextToken:
    """The network with its current weights, on its data set."""

    def __init__(self, network: ConditionedDenoiser, predictor: CpuPredictor) -> None:
        self.network, self.predictor = network, predictor
        with _inference():
            self.recalled = network.denoiser.recall(network.encoding)

    def logits(self, beginnings: Tokens, position: int) -> NDArray[np.float32]:
        """Return (B, V) logits of the token at `position`, given only those before it."""
        length = min(-(-(position + 1) // LENGTH_STEP) * LENGTH_STEP, self.network.max_length)
        tokens = torch.from_numpy(np.ascontiguousarray(beginnings[:, :length]))
        n_rows = max(1, CHUNK_TOKENS // length)
        chunks = [
            self.predictor.threads.submit(self._predict, tokens[begin : begin + n_rows], position)
            for begin in range(0, len(tokens), n_rows)
        ]
        return np.concatenate([chunk.result() for chunk in chunks])

    def _predict(self, tokens: torch.Tensor, position: int) -> NDArray[np.float32]:
        self.predictor.deadline.check()
        with _inference():
            logits = self.network.predict(tokens, self.recalled, slice(position, position + 1))
        found: NDArray[np.float32] = logits[:, 0].numpy()
        return found


@contextmanager
def _inference() -> Iterator[None]:
    is_half = has_matrix_units()
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=is_half):
        yield


def has_matrix_units() -> bool:
    """Return whether this processor has fast matrix units for half precision."""
    is_supported = getattr(torch.cpu, "_is_amx_tile_supported", None)  # torch has no public function for it
    return bool(is_supported and is_supported())
