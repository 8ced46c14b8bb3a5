"""The content of all views: progress, sources of improvements, the front and the current choice."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf

from ddsr.data.frames import named_targets
from ddsr.data.printable import printable
from ddsr.live.table import FrontRow, merged
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.search.loop import SearchState
from ddsr.selection.certainty import certainty_lines
from ddsr.selection.outcome import Outcome

Choose = Callable[[ParetoFront], FrontEntry]


@dataclass
class Board:
    """Follows a search from state to state."""

    target: str = "y"
    max_time: float | None = None
    choose: Choose | None = None
    """function that chooses the current equation; None chooses the most accurate one"""
    seconds_before: float = 0.0
    """time that a resumed run has already used"""
    epoch: int = 0
    """number of finished epochs"""
    n_scored: int = 0
    searched: float = 0.0
    """seconds until the end of the last epoch"""
    front: ParetoFront = field(default_factory=ParetoFront)
    gains: dict[str, float] = field(default_factory=dict)
    """total improvement by each part of the search"""
    certainty: tuple[str, ...] = ()
    """lines on how sure the choice is, once it is made"""
    _best: FrontEntry | None = None
    """the choice, once it is made"""
    _began: float = field(default_factory=lambda: time.monotonic())

    def take(self, state: SearchState) -> None:
        """Take the state of a finished epoch."""
        self.epoch, self.n_scored, self.front = state.epoch + 1, state.n_scored, state.front
        self.searched = self.seconds
        for source, gain in state.stats.gains.items():
            self.gains[source] = self.gains.get(source, 0.0) + gain

    def finish(self, outcomes: Sequence[Outcome]) -> None:
        """Take the choices for all targets; the front is that of the last target."""
        self.front, self._best = outcomes[-1].front, outcomes[-1].best
        names = [self.target] if len(outcomes) == 1 else named_targets([None] * len(outcomes))
        self.certainty = tuple(certainty_lines(outcomes, names))

    @property
    def seconds(self) -> float:
        """Duration of the search so far."""
        return self.seconds_before + time.monotonic() - self._began

    @property
    def rate(self) -> float:
        """Candidates per second of the whole search."""
        return self.n_scored / max(self.seconds, 1e-9)

    @property
    def chosen(self) -> FrontEntry | None:
        """The current or final choice."""
        if self._best is not None:
            return self._best
        if not len(self.front):
            return None
        return self.front.most_accurate() if self.choose is None else self.choose(self.front)

    @property
    def shares(self) -> dict[str, float]:
        """Shares of the improvements by part of the search; empty if there are none."""
        total = sum(self.gains.values())
        return {source: gain / total for source, gain in self.gains.items()} if total > 0.0 else {}

    def headline(self) -> str:
        """Return time, epoch and speed in one line."""
        limit = "" if self.max_time in (None, inf) else f" of {self.max_time:g}"
        parts = [f"{self.seconds:.1f}{limit} s"]
        if self.epoch:
            parts += [f"epoch {self.epoch}", f"{self.n_scored:,} candidates"]
        if self.rate:
            parts.append(f"{self.rate:,.0f}/s")
        return " · ".join(parts)

    def finders(self) -> str:
        """Return the sources of improvements in one line; empty if there are none."""
        return ", ".join(f"{source} {share:.0%}" for source, share in self.shares.items())

    def write(self, entry: FrontEntry) -> str:
        """Write an entry as an equation for the target."""
        return f"{printable(self.target)} = {written(entry)}"

    def rows(self) -> list[FrontRow]:
        """Return the front as rows of a table."""
        chosen = self.chosen
        return merged(
            FrontRow(each.size, 1.0 - each.nrmse**2, None, written(each), each is chosen)
            for each in self.front
        )


@lru_cache(maxsize=256)
def written(entry: FrontEntry) -> str:
    """Write an equation with few digits; cached, since a terminal needs it at every refresh."""
    return printable(entry.short_text())
