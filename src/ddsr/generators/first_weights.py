"""Initial weights of a network that depend only on its seed, not on draws of other threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

# All threads share the generator with which torch initialises layers.
_DRAWING = threading.Lock()


@contextmanager
def first_weights(seed: int) -> Iterator[None]:
    """Initialise layers in the block from the seed; restore torch's own generator afterwards."""
    with _DRAWING, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
