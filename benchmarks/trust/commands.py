"""The command `ddsr` in processes of its own, and how they may end."""

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
# Bits of torch depend on its threads.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int | None
    """negative: the signal that ended it; None: it ran for `LIMIT_S` seconds and was killed"""
    stdout: str
    stderr: str

    @property
    def tail(self) -> str:
        """The end of what it said, for an example."""
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
    """Run it in a folder. `watch` is called with the running process, for example to send it a signal."""
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
    """Kill whatever is left of the session of a process; how many processes there were."""
    left = session_of(leader)
    for process in left:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    return len(left)


def session_of(leader: int) -> list[int]:
    """The processes of a session that are alive, itself among them."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found.append(int(entry.name))
    return found


def wait_for_session(leader: int, seconds: float) -> list[int]:
    """What is left of a session after so many seconds at most."""
    until = time.monotonic() + seconds
    while (left := session_of(leader)) and time.monotonic() < until:
        time.sleep(0.05)
    return left


def flaw_of_error(ended: Ended) -> str | None:
    """What is wrong with the end of a command that may fail: it must be done, or say why in one line."""
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
    """What has to be the same in two runs of a model: everything in model.json but seconds."""
    written = json.loads((path / "model.json").read_text())
    for output in written["outputs"]:
        output["curves"].pop("seconds", None)
    return written["outputs"]


def difference(found: Any, wanted: Any) -> str | None:
    """In which respect two fronts differ, if they do."""
    if found == wanted:
        return None
    for a, b in zip(found, wanted, strict=False):
        for key in b:
            if a.get(key) != b[key]:
                return f"{key} differs: {str(a.get(key))[:120]} is not {str(b[key])[:120]}"
    return "they differ"
