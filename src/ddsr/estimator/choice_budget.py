"""Share of a fit's time for the choice of an equation, and when the choice is made.

The choice shortens the best equations and then compares their description lengths. With a time limit the
search leaves a reserve for it. Before the reserve begins, the choice is made once. If that took less than the
reserve, the search continues for the rest, and the choice is made again.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ddsr.deadline import MovableDeadline

# The reserve as a share of the time limit. The larger share applies to reserves of up to two seconds. The
# maximum, in seconds, also holds without a time limit.
SHARE, LARGER_SHARE, MOST_SECONDS = 0.1, 0.2, 60.0
# After an early end the user waits: seconds, or a share of the search time if that is more.
SECONDS_AFTER_EARLY_END, SHARE_OF_SEARCH = 1.0, 0.1
# Smallest reserve, in seconds, for which the choice is made early: with less, it gains about nothing.
LEAST_RESERVE = 2.0
# The next epoch and the next choice may take this much longer than the last ones did.
MARGIN, LEAST_MARGIN = 1.25, 0.2


def reserve(max_time: float) -> float:
    """Return the seconds of a time limit that the search leaves to the choice."""
    at_least = min(2.0, LARGER_SHARE * max_time)
    return min(max(SHARE * max_time, at_least), MOST_SECONDS)


def seconds_to_choose(stopped_by: str, searched: float, seconds_left: float) -> float:
    """Return the seconds that the choice may take.

    `searched` is the time that the search took. `seconds_left` is the time until the limit, infinite without
    one. Without a limit, only an interrupt shortens the choice, so that a seed gives the same equations.
    """
    seconds = min(seconds_left, MOST_SECONDS)
    is_limited = seconds_left != float("inf")
    if stopped_by == "interrupt" or (is_limited and stopped_by != "max_time"):
        seconds = min(seconds, max(SECONDS_AFTER_EARLY_END, SHARE_OF_SEARCH * searched))
    return max(seconds, 0.0)


def with_margin(seconds: float) -> float:
    """Return the time to allow for work that took `seconds` the last time."""
    return MARGIN * seconds + LEAST_MARGIN


def later_deadline(now: float, end: float, choice_seconds: float) -> float | None:
    """Return when the search has to end if the choice takes `choice_seconds`, and the fit ends at `end`.

    None if the search would gain less time than the second choice takes.
    """
    at = end - with_margin(choice_seconds)
    return at if at - now > choice_seconds else None


class EarlyChoice:
    """Makes the choice once before the search ends, and gives unused time back to the search.

    The choice is made between two epochs, when the next epoch could run past the deadline.
    """

    def __init__(
        self,
        deadline: MovableDeadline,
        end: float,
        choose: Callable[[], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.deadline, self.end, self.choose, self.clock = deadline, end, choose, clock
        self.is_made = end - deadline.at < LEAST_RESERVE  # nothing to give back
        self.is_final = False
        """whether no time is left to continue the search"""
        self._longest_epoch = 0.0
        self._began = clock()

    def before_epoch(self) -> None:
        """Make the choice if this is the last moment for it."""
        now = self.clock()
        self._longest_epoch = max(self._longest_epoch, now - self._began)
        self._began = now
        if self.is_made or now + MARGIN * self._longest_epoch < self.deadline.at:
            return
        self.is_made = True
        self.choose()
        self._began = self.clock()
        at = later_deadline(self._began, self.end, self._began - now)
        if at is not None:
            self.deadline.move(at)
        self.is_final = self._began >= self.deadline.at
