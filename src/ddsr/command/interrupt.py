"""Ctrl-C in two steps: the first ends the search and keeps what it found, the second ends everything."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType, TracebackType

MOMENT = 0.01  # seconds, after which an interrupt that was lost is sent again


class StopNow(BaseException):
    """A second Ctrl-C: nothing more is done than to clean up."""


class HeardInterrupts:
    """While it is entered, an interrupt that came within a callback of Python's own is sent again.

    There it is dropped. An import makes hundreds of such callbacks, and torch and pandas take a second to
    import.
    """

    def __init__(self, on_lost: Callable[[], object] = lambda: None) -> None:
        self._on_lost = on_lost
        self._timer: threading.Timer | None = None

    def __enter__(self) -> HeardInterrupts:
        self._former = sys.unraisablehook
        sys.unraisablehook = self._take
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raise here what was still to be sent."""
        sys.unraisablehook = self._former
        if self.taken_back() and kind is None:
            raise KeyboardInterrupt

    def taken_back(self) -> bool:
        """Whether one was still to be sent, which it is not any more."""
        timer, self._timer = self._timer, None
        if timer is None or not timer.is_alive():
            return False
        timer.cancel()
        return True

    def _take(self, dropped: sys.UnraisableHookArgs) -> None:
        if not issubclass(dropped.exc_type, (KeyboardInterrupt, StopNow)):
            self._former(dropped)
            return
        self._on_lost()
        # later, and not from here, where it would be dropped again
        self._timer = threading.Timer(MOMENT, _interrupt_main_thread)
        self._timer.daemon = True
        self._timer.start()


def _interrupt_main_thread() -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)  # wakes it where it waits, too
    else:
        _thread.interrupt_main()


class TwoStepInterrupt:
    """While it is entered, a first SIGINT is a KeyboardInterrupt, as always, and a second is a `StopNow`."""

    def __init__(self, on_first: Callable[[], object] = lambda: None) -> None:
        self.count = 0
        self._on_first = on_first
        self._is_noted = False
        self._former: object = None
        self._heard = HeardInterrupts(self._forget)

    def __enter__(self) -> TwoStepInterrupt:
        if threading.current_thread() is threading.main_thread():  # elsewhere no handler can be set
            self._heard.__enter__()
            self._former = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Handle interrupts as before."""
        if self._former is not None:
            signal.signal(signal.SIGINT, self._former)  # type: ignore[arg-type]
            self.count += self._heard.taken_back()
            self._heard.__exit__(kind, error, trace)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if self.count > 1:
            raise StopNow
        if not self._is_noted:
            self._is_noted = True
            self._on_first()
        raise KeyboardInterrupt

    def _forget(self) -> None:
        """One that was lost, and will come again."""
        self.count -= 1
