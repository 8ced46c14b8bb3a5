"""The file trust.json: figures of all campaigns, each with its commit, machine and seconds."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.hardware import describe_run
from benchmarks.trust.tally import Tally


@dataclass
class Results:
    """The results so far."""

    path: Path
    run: dict[str, Any]
    """commit, machine, minutes and seed of the campaigns that are added"""
    keeps: bool
    """whether the file's other campaigns are kept"""
    campaigns: dict[str, Any] = field(default_factory=dict)
    """campaigns that were added"""

    @classmethod
    def begin(cls, path: Path, *, minutes: float | None, seed: int, keeps: bool) -> Results:
        """Start without campaigns. `keeps` is for a run of only some of them."""
        return cls(path, {**describe_run(), "minutes": minutes, "seed": seed}, keeps)

    def add(self, name: str, tallies: dict[str, Tally], seconds: float) -> None:
        """Add a finished campaign."""
        parts = {part: tally.to_json() for part, tally in tallies.items()}
        self.campaigns[name] = {
            **self.run,
            "tried": sum(tally.tried for tally in tallies.values()),
            "failed": sum(tally.failed for tally in tallies.values()),
            "seconds": round(seconds, 1),
            "parts": parts,
        }

    @property
    def n_failed(self) -> int:
        """Number of failures of the campaigns that were added."""
        return sum(campaign["failed"] for campaign in self.campaigns.values())

    def write(self) -> None:
        """Replace the file atomically."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        others = json.loads(self.path.read_text()) if self.keeps and self.path.exists() else {}
        aside = self.path.with_suffix(".part")
        aside.write_text(json.dumps(others | self.campaigns, indent=2) + "\n")
        os.replace(aside, self.path)
