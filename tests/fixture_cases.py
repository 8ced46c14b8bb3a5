"""Files that earlier versions wrote, packed."""

import tarfile
from pathlib import Path


def unpack(archive: Path, folder: Path) -> None:
    """Extract a fixture of tests/fixtures."""
    with tarfile.open(archive) as packed:
        # older Pythons have no filters, newer ones demand one
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        packed.extractall(folder, **safely)
