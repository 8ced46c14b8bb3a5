"""Packed files that earlier versions wrote."""

import tarfile
from pathlib import Path


def unpack(archive: Path, folder: Path) -> None:
    """Extract a fixture of tests/fixtures."""
    with tarfile.open(archive) as packed:
        # older Pythons have no filters, newer ones require one
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        packed.extractall(folder, **safely)
