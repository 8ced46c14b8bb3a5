"""Handle SIGTERM, which job schedulers send before they kill a process, like Ctrl-C."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class Termination:
    """A context that handles SIGTERM like SIGINT; `is_heard` says whether a SIGTERM came.

    Repeated signals are ignored: `timeout` and some schedulers send two at once, and a second interrupt
    would end the command without its result.
    """

    def __init__(self) -> None:
        self.is_heard = False
        self._former: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Termination:
        if threading.current_thread() is threading.main_thread():  # other threads cannot set a handler
            self._former[signal.SIGTERM] = signal.signal(signal.SIGTERM, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the former handlers."""
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.is_heard:
            return
        self.is_heard = True
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # SIGINT is ignored in jobs that a script starts in the background
            interrupt = signal.default_int_handler
            self._former[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
        interrupt(signal.SIGINT, frame)
