"""A clock that moves only when a test moves it, so that behaviour in time is tested without waiting."""

import sys
import time
from importlib import import_module

PATIENT = 3600.0  # longer than any test, for deadlines that the core compares with the machine's clock


class Clock:
    """Replaces the module `time` in ddsr. Starts at the machine's time, which the core reads as well."""

    def __init__(self, tick: float = 0.0) -> None:
        self.tick = tick
        """seconds that pass at every reading, so that work is measured by how often it reads the clock"""
        self.began = self.now = time.monotonic()

    def monotonic(self) -> float:
        self.now += self.tick
        return self.now

    perf_counter = monotonic

    @property
    def elapsed(self) -> float:
        return self.now - self.began

    def advance(self, seconds: float) -> None:
        self.now += seconds

    def __getattr__(self, name: str) -> object:
        return getattr(time, name)

    def install(self, monkeypatch) -> "Clock":
        """Install this clock in all loaded modules of ddsr and of the packages beside it."""
        for name in ("ddsr.runs", "ddsr.live", "ddsr.cli.fitting", "ddsr.cli.resume"):
            import_module(name)
        for name, module in list(sys.modules.items()):
            if name.startswith(("ddsr.", "ddsr_bench.", "ddsr_pretraining.")) and (
                getattr(module, "time", None) is time
            ):
                monkeypatch.setattr(module, "time", self)
        return self
