"""How the time is shared: what a part of the search has found for its time decides how much more it gets."""

from __future__ import annotations

from dataclasses import dataclass, field

from ddsr.storage.saved import Saved

REFINER, GENERATOR, PRIOR, SYMMETRIES = "refiner", "generator", "prior", "symmetries"
TIMED_AS = {REFINER: "refine", GENERATOR: "propose", PRIOR: "prime", SYMMETRIES: "reduce"}
"""names of their times in learning curves; others are timed under their own"""
# What was found long ago says little of what will be: its weight after each epoch.
KEPT = 0.9


@dataclass
class Balance:
    """Between a refiner that works in every epoch and a generator that works when its turn has come."""

    least_share: float
    """of the time, which the generator has however little it finds; 0: it has none"""
    most_share: float
    head_start: float
    """seconds that the refiner has alone: an easy problem is solved by then, and torch never imported"""
    is_timed: bool = True
    """False: turns by the number of epochs, at the least share, so that a seed gives the same run"""
    gains: dict[str, float] = field(default_factory=lambda: {REFINER: 0.0, GENERATOR: 0.0})
    seconds: dict[str, float] = field(default_factory=lambda: {REFINER: 0.0, GENERATOR: 0.0})
    totals: dict[str, float] = field(default_factory=lambda: {REFINER: 0.0, GENERATOR: 0.0})
    """seconds of each, none forgotten"""
    n_epochs: int = 0

    def credit(self, part: str, gain: float, seconds: float) -> None:
        """Note what a part found in its last turn, and how long that took, if it shares the time by that."""
        if part not in self.gains:
            return
        self.gains[part] = KEPT * self.gains[part] + gain
        self.seconds[part] = KEPT * self.seconds[part] + seconds
        self.totals[part] += seconds
        self.n_epochs += part == REFINER

    def saved(self) -> Saved:
        """What was credited so far; the shares are settings."""
        counted = {name: dict(getattr(self, name)) for name in ("gains", "seconds", "totals")}
        return {**counted, "n_epochs": self.n_epochs}

    def restore(self, saved: Saved) -> None:
        """Go on from what was credited."""
        self.gains, self.seconds, self.totals = (
            {part: float(saved[name][part]) for part in self.gains} for name in ("gains", "seconds", "totals")
        )
        self.n_epochs = int(saved["n_epochs"])

    @property
    def share(self) -> float:
        """Of the time that the generator is to have, by gains a second; the least until it has had a turn."""
        if not self.seconds[GENERATOR]:
            return self.least_share
        rates = {part: self.gains[part] / max(self.seconds[part], 1e-9) for part in self.gains}
        both = sum(rates.values())
        earned = rates[GENERATOR] / both if both > 0.0 else self.least_share
        return min(max(earned, self.least_share), self.most_share)

    @property
    def is_generators_turn(self) -> bool:
        """Whether it has had less than its share."""
        if self.least_share == 0.0:
            return False
        if not self.is_timed:
            return self.n_epochs % max(round(1.0 / self.least_share), 1) == 0
        if self.totals[REFINER] < self.head_start:
            return False
        return self.totals[GENERATOR] < self.share * sum(self.totals.values())
