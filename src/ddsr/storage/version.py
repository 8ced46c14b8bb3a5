"""Which ddsr this is."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

UNKNOWN = "0+unknown"


@cache
def ddsr_version() -> str:
    """The installed version; of a source tree that was never installed, that it is not known."""
    try:
        return version("ddsr")
    except PackageNotFoundError:
        return UNKNOWN
