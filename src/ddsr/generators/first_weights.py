"""The first weights of a network: by its seed alone, whatever other threads draw."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

# The generator that torch initialises layers by is one for all threads.
_DRAWING = threading.Lock()


@contextmanager
def first_weights(seed: int) -> Iterator[None]:
    """Layers made inside get their weights by the seed; torch's own generator is as before afterwards."""
    with _DRAWING, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
