"""Which processor this is."""

from __future__ import annotations

import platform
from pathlib import Path

_LISTING = Path("/proc/cpuinfo")


def processor_name(listing: Path = _LISTING) -> str:
    """As its maker calls it, where the system lists that; else its architecture."""
    try:
        lines = listing.read_text().splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
