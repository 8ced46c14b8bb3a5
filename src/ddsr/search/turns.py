"""Shares of time: a part of the search gets more time if it found more in the time that it had."""

from __future__ import annotations

from dataclasses import dataclass, field

from ddsr.storage.saved import Saved

REFINER, GENERATOR, PRIOR, SYMMETRIES = "refiner", "generator", "prior", "symmetries"
TIMED_AS = {REFINER: "refine", GENERATOR: "propose", PRIOR: "prime", SYMMETRIES: "reduce"}
"""names of their times in learning curves; other contributors have their own name there"""
# Weight of earlier gains after each epoch: old gains predict little.
KEPT = 0.9


@dataclass
class Balance:
    """Shares time between evolution, which works in every epoch, and the generator, which has turns."""

    least_share: float
    """least share of the generator, however little it finds; 0: it has no turns"""
    most_share: float
    head_start: float
    """seconds that evolution has alone; easy problems are solved by then, without importing torch"""
    is_timed: bool = True
    """False: turns depend on the number of epochs alone, at the least share, so that runs are repeatable"""
    gains: dict[str, float] = field(default_factory=lambda: {REFINER: 0.0, GENERATOR: 0.0})
    seconds: dict[str, float] = field(default_factory=lambda: {REFINER: 0.0, GENERATOR: 0.0})
    totals: dict[str, float] = field(default_factory=lambda: {REFINER: 0.0, GENERATOR: 0.0})
    """all seconds of each"""
    n_epochs: int = 0

    def credit(self, part: str, gain: float, seconds: float) -> None:
        """Record gain and seconds of a turn, for the parts that share time."""
        if part not in self.gains:
            return
        self.gains[part] = KEPT * self.gains[part] + gain
        self.seconds[part] = KEPT * self.seconds[part] + seconds
        self.totals[part] += seconds
        self.n_epochs += part == REFINER

    def saved(self) -> Saved:
        """Return the recorded gains and seconds."""
        counted = {name: dict(getattr(self, name)) for name in ("gains", "seconds", "totals")}
        return {**counted, "n_epochs": self.n_epochs}

    def restore(self, saved: Saved) -> None:
        """Restore the recorded gains and seconds."""
        self.gains, self.seconds, self.totals = (
            {part: float(saved[name][part]) for part in self.gains} for name in ("gains", "seconds", "totals")
        )
        self.n_epochs = int(saved["n_epochs"])

    @property
    def share(self) -> float:
        """Share of time that the generator has earned by its gains per second; at first the least share."""
        if not self.seconds[GENERATOR]:
            return self.least_share
        rates = {part: self.gains[part] / max(self.seconds[part], 1e-9) for part in self.gains}
        both = sum(rates.values())
        earned = rates[GENERATOR] / both if both > 0.0 else self.least_share
        return min(max(earned, self.least_share), self.most_share)

    @property
    def is_generators_turn(self) -> bool:
        """Whether the generator has had less than its share."""
        if self.least_share == 0.0:
            return False
        if not self.is_timed:
            return self.n_epochs % max(round(1.0 / self.least_share), 1) == 0
        if self.totals[REFINER] < self.head_start:
            return False
        return self.totals[GENERATOR] < self.share * sum(self.totals.values())
