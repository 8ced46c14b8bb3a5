"""The figures in docs/trust.md, written from trust.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.kept import with_tables
from benchmarks.trust.campaigns import CAMPAIGNS
from benchmarks.trust.child import ROOT

PAGE = ROOT / "docs" / "trust.md"
NAME, PROMISES = "trust", "promises"
NOTHING = "No campaign is kept yet.\n"


def figures(written: dict[str, Any] | None) -> str:
    """A table of tried and failed."""
    if written is None:
        return NOTHING
    hardware = written["hardware"]
    length = (
        "Full counts" if written["minutes"] is None else f"A short version of {written['minutes']:g} minutes"
    )
    lines = [
        f"{length}, commit {written['commit']}, {hardware['cpu']}, {hardware['cores']} cores, "
        f"{hardware['instruction_set']}.",
        "",
        "| campaign | part | tried | failed |",
        "| --- | --- | ---: | ---: |",
    ]
    for name in CAMPAIGNS:
        for part, tally in written["campaigns"].get(name, {}).get("parts", {}).items():
            tried = "skipped" if tally.get("skipped") else f"{tally['tried']:,}"
            lines.append(f"| {name} | {part} | {tried} | {tally['failed']:,} |")
    growth = written["campaigns"].get("soak", {}).get("parts", {}).get("memory", {}).get("notes", {})
    if growth.get("MB a minute") is not None:
        lines += [
            "",
            f"Memory grew by {growth['MB a minute']:g} MB a minute over {growth['minutes']:g} minutes.",
        ]
    return "\n".join(lines) + "\n"


def promises() -> str:
    """One line for each campaign."""
    return "\n".join(f"- **{name}**: {campaign.promise}" for name, campaign in CAMPAIGNS.items()) + "\n"


def write(results: Path, page: Path = PAGE) -> None:
    """Put figures and promises between the marks of the page."""
    written = json.loads(results.read_text()) if results.exists() else None
    text = with_tables(page.read_text(), figures(written), NAME)
    page.write_text(with_tables(text, promises(), PROMISES))
