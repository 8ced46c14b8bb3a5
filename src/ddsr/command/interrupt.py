"""Ctrl-C in two steps: the first ends the search and keeps what it found, the second ends everything."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

MOMENT = 0.01  # seconds, after which an interrupt that was lost is raised again


class StopNow(BaseException):
    """A second Ctrl-C: nothing more is done than to clean up."""


@contextmanager
def heard_interrupts(on_lost: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Raise an interrupt again that came within a callback of Python's own, where it is dropped.

    An import makes hundreds of such callbacks, and torch and pandas take a second to import.
    """
    former = sys.unraisablehook

    def hook(dropped: sys.UnraisableHookArgs) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            on_lost()
            # later, and not from here, where it would be dropped again
            threading.Timer(MOMENT, _thread.interrupt_main).start()
        else:
            former(dropped)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = former


class TwoStepInterrupt:
    """While it is entered, a first SIGINT is a KeyboardInterrupt, as always, and a second is a `StopNow`."""

    def __init__(self, on_first: Callable[[], object] = lambda: None) -> None:
        self.count = 0
        self._on_first = on_first
        self._former: object = None
        self._hearing = heard_interrupts(self._forget)

    def __enter__(self) -> TwoStepInterrupt:
        if threading.current_thread() is threading.main_thread():  # elsewhere no handler can be set
            self._hearing.__enter__()
            self._former = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Handle interrupts as before."""
        if self._former is not None:
            signal.signal(signal.SIGINT, self._former)  # type: ignore[arg-type]
            self._hearing.__exit__(kind, error, trace)

    def _forget(self) -> None:
        """One that was lost, and will come again."""
        self.count -= 1

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if self.count > 1:
            raise StopNow
        self._on_first()
        raise KeyboardInterrupt
