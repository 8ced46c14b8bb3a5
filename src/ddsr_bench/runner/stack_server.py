"""The server process of a `StackSlot`: its runs are threads, whose searches draw and learn together.

Each line of the input starts a run. When a run ends, a line of output has its number and its result, or the
reason why there is none. The process ends with its input, even if runs are unfinished.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from dataclasses import asdict
from typing import IO, Any

from ddsr.search.paper import SHARED
from ddsr_bench.runner.one import Task, run_one
from ddsr_bench.runner.server import MAX_REASON, preload
from ddsr_bench.stacking.stacks import Stacks

OUT_OF_MEMORY = "the device is out of memory"


class StackServer:
    """The runs of this process."""

    def __init__(self, stacks: Stacks, answers: IO[str]) -> None:
        self._stacks, self._answers = stacks, answers
        self._writing = threading.Lock()

    def serve(self, requests: IO[str]) -> None:
        """Start a run for each line, until the input ends."""
        for line in requests:
            request = json.loads(line)
            preload(request["modules"])
            threading.Thread(target=self._run, args=(request["number"], request["task"]), daemon=True).start()

    def _run(self, number: int, task: dict[str, Any]) -> None:
        SHARED.set(self._stacks)
        try:
            answer: dict[str, Any] = {"outcome": asdict(run_one(Task.from_json(task))), "reason": None}
        except BaseException as error:
            if type(error).__name__ == "AcceleratorError":
                os._exit(1)  # the process's other runs cannot use the device any more
            answer = {"outcome": None, "reason": _reason(error)}
        with self._writing:
            print(json.dumps({"number": number, **answer}), file=self._answers, flush=True)


def _reason(error: BaseException) -> str:
    if type(error).__name__ == "OutOfMemoryError":  # torch's error, without importing torch
        return OUT_OF_MEMORY
    words = str(error).strip().splitlines()[:1] or [""]
    return f"{type(error).__name__}: {words[0]}"[:MAX_REASON].rstrip(": ")


def main(n_places: int, vocab_size: int) -> None:
    """Serve on standard input and output; what runs print goes to standard error."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    StackServer(Stacks(n_places, vocab_size), answers).serve(sys.stdin)
    os._exit(0)  # without waiting for unfinished runs


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
