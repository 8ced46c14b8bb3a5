"""Ctrl-C in two steps: the first ends the search and keeps what it found, the second ends everything."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType

from ddsr.command.failure import StopNow


class TwoStepInterrupt:
    """While it is entered, a first SIGINT is a KeyboardInterrupt, as always, and a second is a `StopNow`."""

    def __init__(self, on_first: Callable[[], object] = lambda: None) -> None:
        self.count = 0
        self._on_first = on_first
        self._former: object = None

    def __enter__(self) -> TwoStepInterrupt:
        if threading.current_thread() is threading.main_thread():  # elsewhere no handler can be set
            self._former = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Handle interrupts as before."""
        if self._former is not None:
            signal.signal(signal.SIGINT, self._former)  # type: ignore[arg-type]

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if self.count > 1:
            raise StopNow
        self._on_first()
        raise KeyboardInterrupt
