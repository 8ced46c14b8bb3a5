"""Runs the command `ddsr` in separate processes and checks how they end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.trust.child import ROOT

DDSR = (sys.executable, "-m", "ddsr")
EAGER = (sys.executable, "-m", "benchmarks.trust.eager")
"""the same command, saving after every epoch"""
LIMIT_S = 300.0
# The last bits of torch's results depend on its threads.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int | None
    """negative: the signal that ended it; None: it was killed after `LIMIT_S` seconds"""
    stdout: str
    stderr: str

    @property
    def tail(self) -> str:
        """The end of the output, for an example."""
        return f"exit code {self.code}: {self.stderr.strip()[-300:]}"


Watcher = Callable[[subprocess.Popen[str]], None]


def run(
    command: Sequence[str],
    folder: Path,
    watch: Watcher | None = None,
    *,
    program: Sequence[str] = DDSR,
    limit_s: float = LIMIT_S,
) -> Ended:
    """Run a command in a folder. `watch` gets the running process, for example to send it a signal."""
    output, errors = folder / ".stdout", folder / ".stderr"
    with output.open("w+") as stdout, errors.open("w+") as stderr:
        process = subprocess.Popen(
            [*program, *command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            text=True,
            env=os.environ | ENVIRONMENT,
            start_new_session=True,
        )
        try:
            if watch is not None:
                watch(process)
            process.wait(limit_s)
            code: int | None = process.returncode
        except subprocess.TimeoutExpired:
            code = None
        finally:
            kill_session(process.pid)
            process.wait()
    return Ended(code, output.read_text(errors="replace"), errors.read_text(errors="replace"))


def kill_session(leader: int) -> int:
    """Kill all processes left in the session of a process, and return their number."""
    left = session_of(leader)
    for process in left:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    return len(left)


def session_of(leader: int) -> list[int]:
    """List the living processes of a session, including its leader."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found.append(int(entry.name))
    return found


def wait_for_session(leader: int, seconds: float) -> list[int]:
    """List what is left of a session after waiting up to `seconds`."""
    until = time.monotonic() + seconds
    while (left := session_of(leader)) and time.monotonic() < until:
        time.sleep(0.05)
    return left


def flaw_of_error(ended: Ended) -> str | None:
    """Describe how the end of a command is wrong: it must succeed, or give the reason in one line."""
    if ended.code is None:
        return "it hangs"
    if "Traceback" in ended.stderr:
        return f"traceback, {ended.tail}"
    if ended.code == 0:
        return None
    if ended.code != 1:
        return ended.tail
    lines = [line for line in ended.stderr.splitlines() if line.strip()]
    if not lines or not lines[-1].startswith("Error: "):
        return f"no line that begins with Error, {ended.tail}"
    n_errors = sum(line.startswith("Error: ") for line in lines)
    return None if n_errors == 1 else f"{n_errors} errors, {ended.tail}"


def front_of(path: Path) -> Any:
    """What two runs of a model must agree in: everything in model.json except times."""
    written = json.loads((path / "model.json").read_text())
    for output in written["outputs"]:
        output["curves"].pop("seconds", None)
    return written["outputs"]


def difference(found: Any, wanted: Any) -> str | None:
    """Describe how two fronts differ, if they do."""
    if found == wanted:
        return None
    for a, b in zip(found, wanted, strict=False):
        for key in b:
            if a.get(key) != b[key]:
                return f"{key} differs: {str(a.get(key))[:120]} is not {str(b[key])[:120]}"
    return "they differ"
