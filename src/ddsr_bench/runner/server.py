"""The server process of a `Slot`: it imports what runs need, and forks for each of them.

Importing takes longer than many runs. The server reads one line of JSON per run and answers with a line: the
result, or the reason why there is none. It watches the time and memory of the run, and ends with its runner,
which closes its input. It does not use a GPU, since forked processes could not use it any more.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from select import select
from tempfile import TemporaryFile
from typing import IO, Any, NoReturn

from ddsr_bench.runner.one import Limits, Task, run_one

POLL_S = 0.01
MEMORY_POLL_S = 0.05
GIB = 2**30
TERMINATED = 128 + signal.SIGTERM
"""exit status of a server that was terminated"""
TERMINATED_RUN = f"killed by signal {int(signal.SIGTERM)}"
"""reason of a run that was terminated"""
MAX_REASON = 500
"""maximum number of characters of a reason"""
PROC = Path("/proc")


def serve(answers: IO[str]) -> None:
    """Do a run for each line of the input, until the input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        preload(request["modules"])
        gc.freeze()  # so that garbage collection in forked processes does not copy shared memory
        answer = run_forked(request["task"], Limits(**request["limits"]), answers)
        print(json.dumps(answer), file=answers, flush=True)


def preload(modules: Sequence[str]) -> None:
    """Import modules before the runs. Ignore failures: the run fails at the same import, and reports it."""
    for module in modules:
        with suppress(Exception):
            import_module(module)


def run_forked(task: dict[str, Any], limits: Limits, answers: IO[str]) -> dict[str, Any]:
    """Do a run in a forked process, and return its `outcome` or a `reason`."""
    with TemporaryFile("w+") as result, TemporaryFile("w+", errors="replace") as words:
        process = os.fork()
        if process == 0:
            os.close(answers.fileno())  # otherwise the reader would not notice the end of the server
            _run_and_exit(task, result, words)
        with suppress(OSError):  # the run does the same; the first call counts
            os.setpgid(process, process)
        try:
            status, reason = _watched(process, limits)
        finally:
            _kill(process)  # its child processes may still run
        result.seek(0)
        outcome = result.read()
        if reason is None and outcome:
            return {"outcome": json.loads(outcome), "reason": None}
        return {"outcome": None, "reason": reason or _reason(status, words)}


def _run_and_exit(task: dict[str, Any], result: IO[str], words: IO[str]) -> NoReturn:
    """Do the run in the forked process, which never returns to the server's code."""
    status = 1
    try:
        os.setpgid(0, 0)
        _end_with_parent()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)
        for stream in (1, 2):
            os.dup2(words.fileno(), stream)
        json.dump(asdict(run_one(Task.from_json(task))), result)
        result.flush()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        for output in (sys.stdout, sys.stderr):
            with suppress(Exception):
                output.flush()
        os._exit(status)


def _end_with_parent() -> None:
    """Let the kernel end this process when the server is killed (on Linux)."""
    if sys.platform == "linux":
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def _watched(process: int, limits: Limits) -> tuple[int, str | None]:
    """Return the exit status of a run, negative for a signal, and the reason if it was killed here."""
    began = next_look = time.monotonic()
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), None
        now = time.monotonic()
        reason = None
        if limits.seconds is not None and now - began > limits.seconds:
            reason = f"timeout: killed after {limits.seconds:g} s"
        elif limits.gib is not None and now >= next_look:
            next_look = now + MEMORY_POLL_S
            used = resident_bytes(process) / GIB
            if used > limits.gib:
                reason = f"memory: killed at {used:.2f} GiB, {limits.gib:g} are allowed"
        if reason is not None:
            _kill(process)
            os.waitpid(process, 0)
            return -signal.SIGKILL, reason
        if select([0], [], [], POLL_S)[0]:  # no requests come during a run: the runner ended
            sys.exit(1)


def _kill(process: int) -> None:
    """End a run and its child processes."""
    with suppress(ProcessLookupError, PermissionError):  # all have ended
        os.killpg(process, signal.SIGKILL)


def _reason(status: int, words: IO[str]) -> str:
    words.seek(0)
    last_words = words.read().strip().splitlines()[-1:] or [""]
    end = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
    return f"{end}: {last_words[0]}"[:MAX_REASON].rstrip(": ")


def resident_bytes(process: int) -> int:
    """Return the resident memory of a process and its descendants; 0 if it has ended.

    The address space would be much larger with CUDA.
    """
    if not PROC.joinpath("self", "statm").exists():  # without /proc, only the process itself
        done = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, text=True)
        return int(done.stdout.strip() or 0) * 1024
    try:
        n_pages = int(PROC.joinpath(str(process), "statm").read_text().split()[1])
        children = PROC.joinpath(str(process), "task", str(process), "children").read_text().split()
    except (OSError, IndexError):
        return 0
    return n_pages * os.sysconf("SC_PAGE_SIZE") + sum(resident_bytes(int(child)) for child in children)


def main() -> None:
    """Serve on standard input and output; what imports print goes to standard error."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    serve(answers)


if __name__ == "__main__":
    main()
