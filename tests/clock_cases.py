"""A clock that moves only when a test moves it: what depends on time is tested without waiting."""

import sys
import time
from importlib import import_module

PATIENT = 3600.0  # seconds that no test takes, for deadlines that the core compares with the machine's clock


class Clock:
    """Stands for the module `time` in ddsr. It begins at the machine's time, which the core reads as well."""

    def __init__(self, tick: float = 0.0) -> None:
        self.tick = tick
        """seconds that every look at the clock takes: work that looks at it is counted in looks"""
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
        """Every module of ddsr and the packages beside it that is loaded by now reads this clock."""
        for name in ("ddsr.runs", "ddsr.live", "ddsr.cli.fitting", "ddsr.cli.resume"):
            import_module(name)
        for name, module in list(sys.modules.items()):
            if name.startswith(("ddsr.", "ddsr_bench.", "ddsr_pretraining.")) and (
                getattr(module, "time", None) is time
            ):
                monkeypatch.setattr(module, "time", self)
        return self
