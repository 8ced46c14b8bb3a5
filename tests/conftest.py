"""Tests are reproducible everywhere, unless a developer asks Hypothesis for new examples."""

import gc
import os

# Tests run in parallel; several threads each, which wait by spinning, would block each other. The variable is
# read when NumPy and torch are imported, also in the processes that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

from clock_cases import Clock  # noqa: E402

# By default, examples are few and always the same; `make test ARGS=--hypothesis-profile=explore` tries more.
settings.register_profile("usual", derandomize=True, deadline=None, max_examples=20)
settings.register_profile("explore", deadline=None, max_examples=100)
settings.load_profile("usual")


def pytest_collection_finish(session):
    """Prepare a process that runs tests; the process that distributes them does not need torch.

    Imported modules stay until the end. Collecting garbage among them took a twentieth of the time.
    """
    import torch

    torch.set_num_threads(1)
    gc.freeze()


@pytest.fixture
def clock(monkeypatch):
    """Time stands still for ddsr unless the test moves it."""
    return Clock().install(monkeypatch)
