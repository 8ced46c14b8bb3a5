"""The process behind a `StackSlot`: its runs are threads, whose searches draw and learn together.

A line of JSON comes in for each run and starts it. When the run ends, a line goes out with its number and its
outcome, or the reason why it has none. The end of the input ends the process, whatever its runs are at.
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
from ddsr_bench.runner.one import read_task, run_one
from ddsr_bench.runner.server import LONGEST_REASON, preload
from ddsr_bench.stacking.stacks import Stacks

OUT_OF_MEMORY = "the device is out of memory"


class StackServer:
    """The runs of this process."""

    def __init__(self, stacks: Stacks, answers: IO[str]) -> None:
        self._stacks, self._answers = stacks, answers
        self._writing = threading.Lock()

    def serve(self, requests: IO[str]) -> None:
        """Start what comes in, line by line, until nothing comes any more."""
        for line in requests:
            request = json.loads(line)
            preload(request["modules"])
            threading.Thread(target=self._run, args=(request["number"], request["task"]), daemon=True).start()

    def _run(self, number: int, task: dict[str, Any]) -> None:
        SHARED.set(self._stacks)
        try:
            answer: dict[str, Any] = {"outcome": asdict(run_one(read_task(json.dumps(task)))), "reason": None}
        except BaseException as error:
            if type(error).__name__ == "AcceleratorError":
                os._exit(1)  # no other run of this process can use the device any more
            answer = {"outcome": None, "reason": reason_of(error)}
        with self._writing:
            print(json.dumps({"number": number, **answer}), file=self._answers, flush=True)


def reason_of(error: BaseException) -> str:
    """Why a run has no outcome, in a line."""
    if type(error).__name__ == "OutOfMemoryError":  # torch's, which need not be imported for it
        return OUT_OF_MEMORY
    words = str(error).strip().splitlines()[:1] or [""]
    return f"{type(error).__name__}: {words[0]}"[:LONGEST_REASON].rstrip(": ")


def main(n_places: int, vocab_size: int) -> None:
    """Serve on standard input and output; what runs print does not get between the answers."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    StackServer(Stacks(n_places, vocab_size), answers).serve(sys.stdin)
    os._exit(0)  # without waiting for runs that nobody waits for


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
