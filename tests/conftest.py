"""Hypothesis looks for new counter-examples on a developer's machine, and repeats itself where CI is set."""

import os

import pytest
import torch
from hypothesis import settings

from clock_cases import Clock

# Tests run beside each other: several threads each would only get in each other's way.
torch.set_num_threads(1)

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("developer", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "developer")


@pytest.fixture
def clock(monkeypatch):
    """Time stands still for ddsr unless the test moves it."""
    return Clock().install(monkeypatch)
