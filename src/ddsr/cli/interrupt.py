"""Ctrl-C in two steps: the first ends the search and keeps the result so far, the second stops everything."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType, TracebackType

MOMENT = 0.01  # seconds until a lost interrupt is sent again


class StopNow(BaseException):
    """A second Ctrl-C: clean up and stop."""


class HeardInterrupts:
    """A context that resends interrupts which arrive within one of Python's own callbacks.

    Python drops these. An import makes hundreds of such callbacks, and torch and pandas take a second to
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
        """Raise a pending interrupt."""
        sys.unraisablehook = self._former
        if self.taken_back() and kind is None:
            raise KeyboardInterrupt

    def taken_back(self) -> bool:
        """Cancel a pending resend; return whether there was one."""
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
        # Use a timer: an interrupt raised here would be dropped again.
        self._timer = threading.Timer(MOMENT, _interrupt_main_thread)
        self._timer.daemon = True
        self._timer.start()


def _interrupt_main_thread() -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)  # also wakes a blocked main thread
    else:
        _thread.interrupt_main()


class TwoStepInterrupt:
    """A context in which the first SIGINT raises KeyboardInterrupt and the second raises `StopNow`."""

    def __init__(self, on_first: Callable[[], object] = lambda: None) -> None:
        self.count = 0
        self._on_first = on_first
        self._is_noted = False
        self._former: object = None
        self._heard = HeardInterrupts(self._forget)

    def __enter__(self) -> TwoStepInterrupt:
        if threading.current_thread() is threading.main_thread():  # other threads cannot set a handler
            self._heard.__enter__()
            self._former = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Restore the former handler."""
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
        """Undo the count of an interrupt that was lost and will be sent again."""
        self.count -= 1
