"""Writes the figures in docs/trust.md from trust.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.pages import with_tables
from benchmarks.trust.campaigns import CAMPAIGNS
from benchmarks.trust.child import ROOT

PAGE = ROOT / "docs" / "trust.md"
NAME, PROMISES = "trust", "promises"
NOTHING = "No campaign is kept yet.\n"


def figures(campaigns: dict[str, Any] | None) -> str:
    """Format a table of cases tried and failed."""
    if campaigns is None:
        return NOTHING
    known = {name: campaigns[name] for name in CAMPAIGNS if name in campaigns}
    lines = ["| campaign | part | tried | failed | commit |", "| --- | --- | ---: | ---: | --- |"]
    for name, campaign in known.items():
        for part, tally in campaign["parts"].items():
            tried = "skipped" if tally.get("skipped") else f"{tally['tried']:,}"
            lines.append(f"| {name} | {part} | {tried} | {tally['failed']:,} | {campaign['commit']} |")
    lines += ["", *sorted({machine(campaign) for campaign in known.values()})]
    short = [name for name, campaign in known.items() if campaign["minutes"] is not None]
    if short:
        lines.append(f"Ended by a limit of time, before their full counts: {', '.join(short)}.")
    growth = known.get("soak", {}).get("parts", {}).get("memory", {}).get("notes", {})
    if growth.get("MB a minute") is not None:
        lines.append(
            f"Memory grew by {growth['MB a minute']:g} MB a minute over {growth['minutes']:g} minutes."
        )
    return "\n".join(lines) + "\n"


def machine(campaign: dict[str, Any]) -> str:
    """Describe where a campaign was run."""
    hardware = campaign["hardware"]
    return f"Measured on {hardware['cpu']}, {hardware['cores']} cores, {hardware['instruction_set']}."


def promises() -> str:
    """Format one line for each campaign."""
    return "\n".join(f"- **{name}**: {campaign.promise}" for name, campaign in CAMPAIGNS.items()) + "\n"


def write(results: Path, page: Path = PAGE) -> None:
    """Put figures and promises between the marks of the page."""
    written = json.loads(results.read_text()) if results.exists() else None
    text = with_tables(page.read_text(), figures(written), NAME)
    page.write_text(with_tables(text, promises(), PROMISES))
