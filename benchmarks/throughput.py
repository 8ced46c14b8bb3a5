"""Total epochs per second of several searches of the preset `paper` on one device.

Each way to run them is given as JxN: J processes with N searches each. N = 1 means a single search per
process, larger N a stack. The searches are on Feynman's problems. After some warm-up epochs all processes
count their epochs over the same period. `make bench-epoch ARGS="--together 8x1,16x1,4x8"`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import count, islice
from pathlib import Path

from ddsr_bench.problems.suites import BenchmarkProblem, load_suites
from ddsr_bench.problems.trial import make_data
from ddsr_bench.runner.slot import THREAD_VARIABLES

ROOT = Path(__file__).resolve().parents[1]
WARM_UPS = 5


@dataclass(frozen=True)
class Way:
    """How searches share a device."""

    n_processes: int
    n_searches: int
    """per process"""
    fits_again: bool = False
    """whether expressions of earlier epochs are fitted again, as before scores were kept"""

    @classmethod
    def read(cls, text: str) -> Way:
        """Parse `4x8`; `16x1!` fits expressions again."""
        n_processes, _, n_searches = text.removesuffix("!").partition("x")
        return cls(int(n_processes), int(n_searches), text.endswith("!"))

    def __str__(self) -> str:
        searches = "a search each" if self.n_searches == 1 else f"stacks of {self.n_searches}"
        again = ", all expressions fitted" if self.fits_again else ""
        return f"{self.n_processes} processes, {searches}{again}"


def problems() -> list[BenchmarkProblem]:
    """Problems that need no data files."""
    return [problem for problem in load_suites(["feynman"]) if problem.source == "uniform"]


def epochs_a_second(way: Way, device: str, seconds: float) -> float:
    """Epochs per second of all processes together."""
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, "1")
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.throughput", json.dumps(asdict(way)), device, str(first)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for first in range(0, way.n_processes * way.n_searches, way.n_searches)
    ]
    try:
        for worker in workers:
            assert worker.stdout is not None
            if worker.stdout.readline() != "warm\n":
                raise RuntimeError(f"a process of {way} ended before it was measured")
        for worker in workers:
            assert worker.stdin is not None
            print(seconds, file=worker.stdin, flush=True)
        return sum(float(worker.stdout.readline()) for worker in workers if worker.stdout) / seconds
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()


def measure(ways: Sequence[Way], device: str, seconds: float) -> dict[str, float]:
    """Print a line for each way, compared with the best one without stacks."""
    found: dict[str, float] = {}
    alone = 0.0
    for way in ways:
        rate = epochs_a_second(way, device, seconds)
        if way.n_searches == 1:
            alone = max(alone, rate)
        found[str(way)] = round(rate, 2)
        ratio = f"{rate / alone:>8.2f}" if alone else ""
        print(f"{way!s:<56}{rate:>8.1f} epochs/s{ratio}", flush=True)
    return found


class Worker:
    """The searches of one process."""

    def __init__(self, way: Way, device: str, first: int) -> None:
        self.way, self.device, self.first = way, device, first
        self.n_epochs = [0] * way.n_searches
        self.problems = problems()

    def run(self) -> None:
        """Warm up, wait for the start, count, and print the number of epochs."""
        for place in range(self.way.n_searches):
            threading.Thread(target=self._search, args=(place, self._stacks()), daemon=True).start()
        while min(self.n_epochs) < WARM_UPS:
            time.sleep(0.05)
        print("warm", flush=True)
        seconds = float(sys.stdin.readline())
        before = sum(self.n_epochs)
        time.sleep(seconds)
        print(sum(self.n_epochs) - before, flush=True)
        os._exit(0)

    def _stacks(self) -> object:
        if self.way.n_searches == 1:
            return None
        if not hasattr(self, "_shared"):
            from ddsr.config import PaperConfig
            from ddsr_bench.stacking.stacks import Stacks

            sizes = [len(PaperConfig().vocabulary(problem.variables)) for problem in self.problems]
            self._shared = Stacks(self.way.n_searches, max(sizes))
        return self._shared

    def _search(self, place: int, stacks: object) -> None:
        from ddsr.search.paper import SHARED

        SHARED.set(stacks)  # type: ignore[arg-type]
        for number in islice(count(self.first + place), 0, None, 997):  # another one if one is solved
            for _ in self._epochs(self.problems[number % len(self.problems)], number):
                self.n_epochs[place] += 1

    def _epochs(self, problem: BenchmarkProblem, seed: int) -> Iterator[object]:
        from ddsr.config import PaperConfig
        from ddsr.search.presets import parse_method, pose, start

        config, method = PaperConfig(), parse_method("paper")
        data = make_data(problem, seed % 1000, 0.1)  # noise keeps all from being solved at once
        vocabulary = config.vocabulary(problem.variables)
        posed = pose(
            method,
            vocabulary,
            data.X_train.to_numpy(),
            data.y_train,
            config=config,
            seed=seed,
            device=self.device,
        )
        return start(method, posed)


def work(text: str, device: str, first: str) -> None:
    """Run one process of a way."""
    way = Way(**json.loads(text))
    if way.fits_again:
        import ddsr.search.loop

        ddsr.search.loop.KnownScores = lambda: None  # type: ignore[assignment,misc]
    Worker(way, device, int(first)).run()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    for name in ("way", "device", "first"):
        arguments.add_argument(name)
    work(*vars(arguments.parse_args()).values())
