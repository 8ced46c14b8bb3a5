"""The resources of a campaign: time, a folder, random numbers, and a progress line."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

LINE = 100


@dataclass
class Plan:
    """The part of a run that belongs to one campaign."""

    folder: Path
    """empty at first, removed afterwards"""
    seconds: float | None = None
    """after this no new case begins; None: all cases are tried"""
    seed: int = 0
    shows_progress: bool = True
    _began: float = field(default_factory=time.monotonic)

    @property
    def seconds_left(self) -> float:
        """Seconds until no new case begins."""
        return math.inf if self.seconds is None else self._began + self.seconds - time.monotonic()

    def part(self, share: float) -> Plan:
        """A plan with a share of the time that is left."""
        left = None if self.seconds is None else max(0.0, share * self.seconds_left)
        return Plan(self.folder, left, self.seed, self.shows_progress)

    def cases(self, n: int, what: str) -> Iterator[int]:
        """Yield 0 to n - 1 as far as time allows, at least one."""
        for case in range(n):
            if case and self.seconds_left <= 0.0:
                break
            self.show(f"{what}: {case} of {n}")
            yield case
        self.clear()

    def show(self, text: str) -> None:
        """Overwrite the progress line."""
        if self.shows_progress and sys.stderr.isatty():
            print(f"\r{text[:LINE]:<{LINE}}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the progress line."""
        if self.shows_progress and sys.stderr.isatty():
            print(f"\r{'':<{LINE}}\r", end="", file=sys.stderr, flush=True)
