"""When a search has to end: long work looks at it between its steps, so that no epoch outlasts the time."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass


class TimeIsUp(Exception):  # noqa: N818 - no error: the search ends, and keeps what it found
    """Raised by work that was cut short; the search catches it, and no user sees it."""


@dataclass(frozen=True)
class Deadline:
    """A moment on the monotonic clock."""

    at: float = math.inf

    @property
    def seconds_left(self) -> float:
        """Until the time is up; 0 from then on."""
        return max(0.0, self.at - time.monotonic())

    @property
    def has_passed(self) -> bool:
        """Whether the time is up."""
        return self.seconds_left == 0.0

    def check(self) -> None:
        """Give up if the time is up."""
        if self.has_passed:
            raise TimeIsUp


class MovableDeadline(Deadline):
    """A deadline that can be moved while the work that looks at it continues."""

    def move(self, at: float) -> None:
        """Set another moment."""
        object.__setattr__(self, "at", at)


NEVER = Deadline()
