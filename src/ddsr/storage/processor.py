"""Name of the processor."""

from __future__ import annotations

import platform
from pathlib import Path

_LISTING = Path("/proc/cpuinfo")


def processor_name(listing: Path = _LISTING) -> str:
    """Return the processor's model name if the system lists it, otherwise the architecture."""
    try:
        lines = listing.read_text().splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
