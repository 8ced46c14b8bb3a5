"""Counts of tried and failed cases of a campaign."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MOST_EXAMPLES = 12
LONGEST_EXAMPLE = 600


@dataclass
class Tally:
    """Counts of one part of a campaign."""

    tried: int = 0
    failed: int = 0
    skipped: str | None = None
    """why the part was not run on this machine"""
    examples: list[str] = field(default_factory=list)
    """the first distinct failures, each with how to reproduce it"""
    notes: dict[str, Any] = field(default_factory=dict)
    """further figures"""

    def add(self, failures: list[str], tried: int = 1) -> None:
        """Count cases and the failures among them."""
        self.tried += tried
        self.failed += len(failures)
        for failure in failures:
            text = failure if len(failure) <= LONGEST_EXAMPLE else failure[:LONGEST_EXAMPLE] + " …"
            if len(self.examples) < MOST_EXAMPLES and text not in self.examples:
                self.examples.append(text)

    def to_json(self) -> dict[str, Any]:
        """Return the entry of trust.json, without empty fields."""
        written: dict[str, Any] = {"tried": self.tried, "failed": self.failed}
        for name in ("skipped", "examples", "notes"):
            if value := getattr(self, name):
                written[name] = value
        return written
