"""Where a figure was measured: no figure is kept without it."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from ddsr import _core


def describe_run() -> dict[str, object]:
    """Commit and hardware of this run."""
    hardware = {"cpu": _cpu_name(), "cores": os.cpu_count(), "instruction_set": _core.instruction_set()}
    return {"commit": _commit(), "hardware": hardware}


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:  # no git
        return ""


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()
