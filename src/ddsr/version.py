"""Which ddsr this is."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def ddsr_version() -> str:
    """The installed version; of a source tree that was never installed, that it is not known."""
    try:
        return version("ddsr")
    except PackageNotFoundError:
        return "0+unknown"
