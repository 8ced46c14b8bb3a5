"""Checks of a folder, without the imports that reading a run takes."""

from __future__ import annotations

from pathlib import Path

from ddsr.errors import RunError


def check_run_folder(folder: Path) -> None:
    """Raise `RunError` if there is no folder."""
    if folder.is_file():
        raise RunError(f"{folder} is a file, not a run folder")
    if not folder.is_dir():
        raise RunError(f"there is no run folder at {folder}")
