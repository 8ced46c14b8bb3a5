"""A slot for several runs at once, whose searches draw and learn together in one process."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

from ddsr_bench.runner.one import Limits, RunResult, Task
from ddsr_bench.runner.slot import RunPlace, Stopped, modules_for, start_server
from ddsr_bench.runner.stack_server import OUT_OF_MEMORY

Answer: TypeAlias = dict[str, Any] | None


class StackSlot(RunPlace):
    """Performs up to `n_places` tasks at a time.

    If their process ends, hangs or runs out of memory because of one run, the others resume in a new one.
    `say` prints a line if the device has too little memory for all places.
    """

    def __init__(self, n_places: int, vocab_size: int, say: Callable[[str], None] = print) -> None:
        super().__init__()
        self.n_places, self.vocab_size, self._say = n_places, vocab_size, say
        self._shared: StackProcess | None = None
        self._processes: set[StackProcess] = set()
        self._changing = threading.Lock()

    def run(self, task: Task, limits: Limits) -> tuple[RunResult | None, str | None]:
        """Return the result of a run, or the reason why it has none."""
        is_alone = False
        while True:
            process = self._process_for(task, is_alone)
            try:
                answer = process.ask(task, limits.seconds)
            except Empty:
                self._end(process)
                return None, f"timeout: killed after {limits.seconds:g} s"
            finally:
                if is_alone:
                    self._end(process)
            if self._stopped.is_set():
                raise Stopped
            if answer is None and is_alone:
                return None, "its process ended, out of memory perhaps"
            if answer is None:
                is_alone = process.has_died  # one of its runs was the cause; alone, it cannot end others
                self._end(process)
            elif answer["reason"] == OUT_OF_MEMORY and process.n_places > 1:
                self._use_fewer_places(process)
            elif answer["outcome"] is None:
                return None, answer["reason"]
            else:
                return RunResult(**answer["outcome"]), None

    def _end_runs(self) -> None:
        with self._changing:
            for process in self._processes:
                process.end()

    _end_processes = _end_runs

    def _process_for(self, task: Task, is_alone: bool) -> StackProcess:
        with self._changing:
            if self._stopped.is_set():
                raise Stopped
            if self._shared is not None and not is_alone:
                return self._shared
            made = StackProcess(1 if is_alone else self.n_places, self.vocab_size, task.threads)
            self._processes.add(made)
            if not is_alone:
                self._shared = made
            return made

    def _end(self, process: StackProcess) -> None:
        """End a process, unless another thread has done so; its other runs resume in the next one."""
        with self._changing:
            process.end()
            self._processes.discard(process)
            if self._shared is process:
                self._shared = None

    def _use_fewer_places(self, process: StackProcess) -> None:
        with self._changing:
            if self._shared is process:
                self.n_places = process.n_places // 2
                self._say(
                    f"the device has too little memory for {process.n_places} searches in a stack: "
                    f"continuing with {self.n_places}"
                )
        self._end(process)


class StackProcess:
    """The server process whose threads are the runs."""

    def __init__(self, n_places: int, vocab_size: int, threads: int) -> None:
        self.n_places = n_places
        self.has_died = False
        """whether the process ended by itself during its runs"""
        self._is_ended = self._is_over = False
        self._numbers = count()
        self._waiting: dict[int, SimpleQueue[Answer]] = {}
        self._asking = threading.Lock()
        module = "ddsr_bench.runner.stack_server"
        self._server = start_server(threads, module, str(n_places), str(vocab_size))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, task: Task, seconds: float | None) -> Answer:
        """Run a task; return None if the process ends first, and raise `Empty` after the time limit."""
        answer: SimpleQueue[Answer] = SimpleQueue()
        with self._asking:
            if self._is_over:
                return None
            number = next(self._numbers)
            self._waiting[number] = answer
            request = {"number": number, "task": asdict(task), "modules": modules_for(task)}
            assert self._server.stdin is not None
            with suppress(BrokenPipeError):  # the reader notices the end and answers all
                print(json.dumps(request), file=self._server.stdin, flush=True)
        return answer.get(timeout=seconds)

    def end(self) -> None:
        """End the process and its runs."""
        if self._is_ended:
            return
        self._is_ended = True
        self._server.kill()
        self._reader.join()
        self._server.wait()
        assert self._server.stdin is not None and self._server.stdout is not None
        with suppress(BrokenPipeError):
            self._server.stdin.close()
        self._server.stdout.close()

    def _read(self) -> None:
        """Deliver answers as they come; at the end, deliver None to all runs that still wait."""
        assert self._server.stdout is not None
        for line in self._server.stdout:
            answer = json.loads(line)
            self._waiting.pop(answer["number"]).put(answer)
        with self._asking:
            self._is_over, self.has_died = True, not self._is_ended
            for waiting in self._waiting.values():
                waiting.put(None)
