"""Deadline of a search, which long work checks between its steps so that no epoch outlasts the time."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass


class TimeIsUp(Exception):  # noqa: N818 - not an error: the search ends and keeps its results
    """Raised by work that was cut short; the search catches it, so that users never see it."""


@dataclass(frozen=True)
class Deadline:
    """A moment on the monotonic clock."""

    at: float = math.inf

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline; 0 after it."""
        return max(0.0, self.at - time.monotonic())

    @property
    def has_passed(self) -> bool:
        """Whether the deadline has passed."""
        return self.seconds_left == 0.0

    def check(self) -> None:
        """Raise `TimeIsUp` if the deadline has passed."""
        if self.has_passed:
            raise TimeIsUp


class MovableDeadline(Deadline):
    """A deadline that can be moved while work continues."""

    def move(self, at: float) -> None:
        """Move the deadline."""
        object.__setattr__(self, "at", at)


NEVER = Deadline()
