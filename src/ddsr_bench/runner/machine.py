"""Where runs happen, and of which commit: no figure is worth much without it."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import NamedTuple

from ddsr import _core
from ddsr.storage.processor import processor_name


class Machine(NamedTuple):
    """A machine, by what its speed depends on."""

    host: str
    cpu: str
    cores: int
    instruction_set: str
    """that the native core uses there"""

    def __str__(self) -> str:
        """As a person reads it, without its name."""
        return f"{self.cpu}, {self.cores} cores, {self.instruction_set}"


def describe_machine() -> Machine:
    """This one."""
    return Machine(platform.node(), processor_name(), os.cpu_count() or 1, _core.instruction_set())


def describe_commit() -> str | None:
    """The commit that this ddsr is of; None where it is no checkout, but installed from elsewhere."""
    if _git("ls-files", "--error-unmatch", Path(__file__).name) is None:
        return None  # git may know the folder all the same, as part of somebody's own project
    return _git("describe", "--always", "--dirty")


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
