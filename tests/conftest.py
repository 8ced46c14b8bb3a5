"""Tests are the same everywhere and always, unless a developer asks hypothesis for new examples."""

import gc
import os

# Tests run beside each other: several threads each, which wait by spinning, would only get in each other's
# way. Read when NumPy and torch are imported, by the processes that tests start too.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

from clock_cases import Clock  # noqa: E402

# The usual examples are few and the same; `make test ARGS=--hypothesis-profile=explore` looks for more.
settings.register_profile("usual", derandomize=True, deadline=None, max_examples=30)
settings.register_profile("explore", deadline=None, max_examples=100)
settings.load_profile("usual")


def pytest_collection_finish(session):
    """Prepare a process that runs tests; the one that only hands them out does without torch.

    What was imported stays until the end: a twentieth of the time went into looking for garbage in it.
    """
    import torch

    torch.set_num_threads(1)
    gc.freeze()


@pytest.fixture
def clock(monkeypatch):
    """Time stands still for ddsr unless the test moves it."""
    return Clock().install(monkeypatch)
