"""How much memory a run holds, its own processes included."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

PROC = Path("/proc")


def resident_bytes(process: int) -> int:
    """Resident memory of a process and its descendants; 0 for one that has ended.

    Not their address space, which is many times larger where CUDA is used.
    """
    if not PROC.joinpath("self", "statm").exists():
        return _reported_by_ps(process)
    try:
        n_pages = int(PROC.joinpath(str(process), "statm").read_text().split()[1])
        children = PROC.joinpath(str(process), "task", str(process), "children").read_text().split()
    except (OSError, IndexError):
        return 0
    return n_pages * os.sysconf("SC_PAGE_SIZE") + sum(resident_bytes(int(child)) for child in children)


def _reported_by_ps(process: int) -> int:
    """The same of the process alone, where there is no /proc."""
    done = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, text=True)
    return int(done.stdout.strip() or 0) * 1024
