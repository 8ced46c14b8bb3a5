"""What every view shows: how far a search is, who found what, the front and its current choice."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from ddsr.search import SearchState
from ddsr.selection import FrontEntry, ParetoFront

Choose = Callable[[ParetoFront], FrontEntry]
DIGITS = 4


@dataclass
class Board:
    """Follows a search from state to state."""

    target: str = "y"
    max_time: float | None = None
    choose: Choose | None = None
    """the equation that would be chosen now; None: the most accurate"""
    seconds_before: float = 0.0
    """that a run which goes on has used already"""
    epoch: int = 0
    """how many are done"""
    n_scored: int = 0
    front: ParetoFront = field(default_factory=ParetoFront)
    gains: dict[str, float] = field(default_factory=dict)
    """of each part of the search, over all epochs"""
    _began: float = field(default_factory=time.monotonic)
    _first_state: tuple[float, int] | None = None
    """seconds and candidates before the first state that was seen, which a resumed run did not spend now"""

    def take(self, state: SearchState) -> None:
        """One more epoch is done."""
        self.epoch, self.n_scored, self.front = state.epoch + 1, state.n_scored, state.front
        for source, gain in state.stats.gains.items():
            self.gains[source] = self.gains.get(source, 0.0) + gain
        if self._first_state is None:
            spent = sum(state.stats.seconds.values())
            self._first_state = (self.seconds - spent, state.n_scored if state.epoch else 0)

    @property
    def seconds(self) -> float:
        """Of the search so far."""
        return self.seconds_before + time.monotonic() - self._began

    @property
    def rate(self) -> float:
        """Candidates a second, as far as this board has seen them."""
        if self._first_state is None:
            return 0.0
        began, n_before = self._first_state
        return (self.n_scored - n_before) / max(self.seconds - began, 1e-9)

    @property
    def chosen(self) -> FrontEntry | None:
        """The equation that would be chosen now."""
        if not len(self.front):
            return None
        return self.front.most_accurate() if self.choose is None else self.choose(self.front)

    @property
    def shares(self) -> dict[str, float]:
        """Of the improvements, by who found them; empty where nobody has found any."""
        total = sum(self.gains.values())
        return {source: gain / total for source, gain in self.gains.items()} if total > 0.0 else {}

    def headline(self) -> str:
        """Time, epoch and speed in a line."""
        limit = "" if self.max_time is None else f" of {self.max_time:g}"
        parts = [f"{self.seconds:.1f}{limit} s"]
        if self.epoch:
            parts += [f"epoch {self.epoch}", f"{self.n_scored:,} candidates", f"{self.rate:,.0f}/s"]
        return " · ".join(parts)

    def finders(self) -> str:
        """Who found the improvements, in a line; empty where that is not known."""
        return ", ".join(f"{source} {share:.0%}" for source, share in self.shares.items())

    def write(self, entry: FrontEntry) -> str:
        """An entry as an equation for the target."""
        return f"{self.target} = {_written(entry)}"


@lru_cache(maxsize=256)
def _written(entry: FrontEntry) -> str:
    """Scale and offset are joined with the expression; the terminal asks again at every refresh."""
    return entry.equation.simplified().text(precision=DIGITS)


def r2_text(entry: FrontEntry) -> str:
    """R², with as many nines as there are, up to six."""
    return f"{1.0 - entry.nrmse**2:.6f}"
