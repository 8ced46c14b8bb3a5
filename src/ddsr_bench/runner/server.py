"""The process behind a `RunSlot`: it has imported what runs need, and forks for each of them.

Importing takes longer than many a run. A line of JSON comes in, the run happens in a forked process, and a
line with its outcome or the reason why it has none goes out. The run is watched from here: for its time,
its memory, and for the runner's end, which the end of this process's input tells. No GPU is touched here:
a process forked after that could not use it.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from select import select
from tempfile import TemporaryFile
from typing import IO, Any, NoReturn

from ddsr_bench.runner.memory import resident_bytes
from ddsr_bench.runner.one import read_task, run_one

POLL_S = 0.01
MEMORY_POLL_S = 0.05
GIB = 2**30
TERMINATED = 128 + signal.SIGTERM
"""exit status of a server that was asked to end"""
TERMINATED_RUN = f"killed by signal {int(signal.SIGTERM)}"
"""reason of a run that was"""
LONGEST_REASON = 500


@dataclass(frozen=True)
class Watch:
    """When a run is killed."""

    seconds: float | None
    gib: float | None


def serve(answers: IO[str]) -> None:
    """Run what comes in, line by line, until nothing comes any more."""
    for line in sys.stdin:
        request = json.loads(line)
        preload(request["modules"])
        gc.freeze()  # what is shared with the forked processes is not written to by their collectors
        answer = run_forked(request["task"], Watch(**request["watch"]), answers)
        print(json.dumps(answer), file=answers, flush=True)


def preload(modules: Sequence[str]) -> None:
    """Import them here, so that no run has to. One that fails will fail in the run, which can say so."""
    for module in modules:
        with suppress(Exception):
            import_module(module)


def run_forked(task: dict[str, Any], watch: Watch, answers: IO[str]) -> dict[str, Any]:
    """Fork, run, and say what came of it: `outcome` or `reason`. The run does not get hold of `answers`."""
    with TemporaryFile("w+") as result, TemporaryFile("w+", errors="replace") as words:
        process = os.fork()
        if process == 0:
            os.close(answers.fileno())  # or its reader would not see the server's end
            _run_and_exit(task, result, words)
        with suppress(OSError):  # the run does the same; whichever comes first
            os.setpgid(process, process)
        try:
            status, reason = _watched(process, watch)
        finally:
            _kill(process)  # what it started may outlive it
        result.seek(0)
        outcome = result.read()
        if reason is None and outcome:
            return {"outcome": json.loads(outcome), "reason": None}
        return {"outcome": None, "reason": reason or _reason(status, words)}


def _run_and_exit(task: dict[str, Any], result: IO[str], words: IO[str]) -> NoReturn:
    """In the forked process, which never returns into the server's code."""
    status = 1
    try:
        os.setpgid(0, 0)
        _end_with_parent()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)
        for stream in (1, 2):
            os.dup2(words.fileno(), stream)
        outcome = run_one(read_task(json.dumps(task)))
        json.dump(asdict(outcome), result)
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
    """Have the kernel end this process if the server is killed, where the kernel can (Linux)."""
    if sys.platform == "linux":
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def _watched(process: int, watch: Watch) -> tuple[int, str | None]:
    """Its exit status, negative for a signal, and why it was killed if it was."""
    began = time.monotonic()
    next_look = began
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), None
        now = time.monotonic()
        reason = None
        if watch.seconds is not None and now - began > watch.seconds:
            reason = f"timeout: killed after {watch.seconds:g} s"
        elif watch.gib is not None and now >= next_look:
            next_look = now + MEMORY_POLL_S
            used = resident_bytes(process) / GIB
            reason = (
                f"memory: killed at {used:.2f} GiB, {watch.gib:g} are allowed" if used > watch.gib else None
            )
        if reason is not None:
            _kill(process)
            os.waitpid(process, 0)
            return -signal.SIGKILL, reason
        if select([0], [], [], POLL_S)[0]:  # nothing is asked during a run: the runner is gone
            sys.exit(1)


def _kill(process: int) -> None:
    """End a run and all that it started."""
    with suppress(ProcessLookupError, PermissionError):  # all have ended
        os.killpg(process, signal.SIGKILL)


def _reason(status: int, words: IO[str]) -> str:
    words.seek(0)
    last_words = words.read().strip().splitlines()[-1:] or [""]
    end = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
    return f"{end}: {last_words[0]}"[:LONGEST_REASON].rstrip(": ")


def main() -> None:
    """Serve on standard input and output; what imports print does not get between the answers."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    serve(answers)


if __name__ == "__main__":
    main()
