"""Shares of time: a part of the search gets more time if it found more per second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ddsr.search.contributors.contract import TimeShare
from ddsr.storage.saved import Saved

# Factor on earlier gains after each epoch, since old gains predict little.
KEPT = 0.9


@dataclass
class Balance:
    """Shares time between evolution, which works in every epoch, and contributors that earn their turns."""

    evolution: str
    """name of evolution"""
    shares: Mapping[str, TimeShare]
    """limits of the contributors that earn their turns, by name"""
    is_timed: bool = True
    """if False, turns depend only on the number of epochs, at the least share, so that runs are repeatable"""
    gains: dict[str, float] = field(init=False)
    seconds: dict[str, float] = field(init=False)
    totals: dict[str, float] = field(init=False)
    """total seconds of each part"""
    n_epochs: int = 0

    def __post_init__(self) -> None:
        self.gains, self.seconds, self.totals = (
            dict.fromkeys((self.evolution, *self.shares), 0.0) for _ in range(3)
        )

    def credit(self, part: str, gain: float, seconds: float) -> None:
        """Record gain and seconds of a turn, if the part shares time."""
        if part not in self.gains:
            return
        self.gains[part] = KEPT * self.gains[part] + gain
        self.seconds[part] = KEPT * self.seconds[part] + seconds
        self.totals[part] += seconds
        self.n_epochs += part == self.evolution

    def saved(self) -> Saved:
        """Return the recorded gains and seconds."""
        counted = {name: dict(getattr(self, name)) for name in ("gains", "seconds", "totals")}
        return {**counted, "n_epochs": self.n_epochs}

    def restore(self, saved: Saved) -> None:
        """Restore the recorded gains and seconds; a contributor that was not there has none."""
        self.gains, self.seconds, self.totals = (
            {part: float(saved[name].get(part, 0.0)) for part in self.gains}
            for name in ("gains", "seconds", "totals")
        )
        self.n_epochs = int(saved["n_epochs"])

    def share(self, part: str) -> float:
        """Return the share of time that a part has earned by gains per second; the least share at first."""
        limits = self.shares[part]
        if not self.seconds[part]:
            return limits.least
        rates = {each: self.gains[each] / max(self.seconds[each], 1e-9) for each in self.gains}
        total = sum(rates.values())
        earned = rates[part] / total if total > 0.0 else limits.least
        return min(max(earned, limits.least), limits.most)

    def is_turn_of(self, part: str) -> bool:
        """Return whether a part has used less than its share."""
        limits = self.shares[part]
        if limits.least == 0.0:
            return False
        if not self.is_timed:
            return self.n_epochs % max(round(1.0 / limits.least), 1) == 0
        if self.totals[self.evolution] < limits.head_start:
            return False
        return self.totals[part] < self.share(part) * sum(self.totals.values())
