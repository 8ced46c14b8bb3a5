"""The file trust.json: figures of all campaigns, with commit, machine and seconds."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.hardware import describe_run
from benchmarks.trust.tally import Tally


@dataclass
class Results:
    """What was found so far."""

    path: Path
    written: dict[str, Any]

    @classmethod
    def begin(cls, path: Path, *, minutes: float | None, seed: int, keeps: bool) -> Results:
        """Without campaigns yet; `keeps` those in the file, for a run of some of them."""
        campaigns: dict[str, Any] = {}
        if keeps and path.exists():
            campaigns = json.loads(path.read_text())["campaigns"]
        return cls(path, {**describe_run(), "minutes": minutes, "seed": seed, "campaigns": campaigns})

    def add(self, name: str, tallies: dict[str, Tally], seconds: float) -> None:
        """Add a campaign that has ended."""
        parts = {part: tally.to_json() for part, tally in tallies.items()}
        self.written["campaigns"][name] = {
            "tried": sum(tally.tried for tally in tallies.values()),
            "failed": sum(tally.failed for tally in tallies.values()),
            "seconds": round(seconds, 1),
            "parts": parts,
        }

    @property
    def n_failed(self) -> int:
        """Failures of all campaigns."""
        return sum(campaign["failed"] for campaign in self.written["campaigns"].values())

    def write(self) -> None:
        """Replace the file, in one step."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        aside = self.path.with_suffix(".part")
        aside.write_text(json.dumps(self.written, indent=2) + "\n")
        os.replace(aside, self.path)
