"""Version of ddsr."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

UNKNOWN = "0+unknown"


@cache
def ddsr_version() -> str:
    """Return the installed version, or `UNKNOWN` for a source tree that was never installed."""
    try:
        return version("ddsr")
    except PackageNotFoundError:
        return UNKNOWN
