"""Speed of the prior's draws in the core and in torch, on one thread and in single precision.

Both take turns in the same run, and rates are per second of processor time, so that other work on the machine
slows down both alike. Torch draws as the
search does, a small batch and then larger ones, each a sample without repetition of its own; the core draws
the same number in one sample. So torch may draw an expression again, and distinct expressions are counted as
well. `python -m benchmarks.prior_speed`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.hardware import describe_run
from ddsr.config import DefaultConfig
from ddsr.data.arrays import Floats
from ddsr.expression import Tokens
from ddsr.generators.prior.native import NativeDraws, NativePrior
from ddsr.generators.prior.weights import DEFAULT, find_weights
from ddsr.grammar import Grammar

FIRST_BATCH, LATER_BATCH = 32, 256
FEW = 8
"""number of first draws that are timed from a fresh process on"""
Draw = Callable[[int, int], Tokens]
"""(number, number of the batch) → expressions"""


@dataclass(frozen=True)
class Case:
    """A data set."""

    name: str
    X: Floats
    y: Floats

    @property
    def grammar(self) -> Grammar:
        config = DefaultConfig()
        vocabulary = config.vocabulary([f"x{i}" for i in range(self.X.shape[1])])
        return Grammar(vocabulary, config.max_length, config.max_constants)


def make_cases() -> list[Case]:
    rng = np.random.default_rng(0)
    two, four, nine = (rng.uniform(0.5, 4.0, size=(200, n)) for n in (2, 4, 9))
    return [
        Case("2 inputs", two, two[:, 0] * np.exp(-two[:, 1])),
        Case("4 inputs", four, four[:, 0] * np.sin(four[:, 1]) + 0.3 * four[:, 2] / four[:, 3]),
        Case("9 inputs", nine, nine[:, 0] * nine[:, 3] / ((nine[:, 1] - nine[:, 2]) ** 2 + 1.0)),
    ]


def start_native(case: Case, seed: int) -> Draw:
    draws = NativeDraws(
        NativePrior.read(find_weights(DEFAULT)), case.X, case.y, case.grammar, seed, n_threads=1
    )
    return lambda n, batch: draws.draw(n)


def start_torch(case: Case, seed: int) -> Draw:
    import torch

    from ddsr.generators.prior import next_token
    from ddsr.generators.prior.distinct_diffusion import DistinctDiffusion
    from ddsr.generators.prior.weights import load_weights

    torch.set_num_threads(1)
    next_token.has_matrix_units = lambda: False  # single precision also where there are units for half
    network, _ = load_weights(find_weights(DEFAULT))
    generator = DistinctDiffusion(
        network, case.X, case.y, case.grammar, DefaultConfig(), seed, torch.device("cpu")
    )
    return generator.draw_distinct


WAYS = {"core": start_native, "torch": start_torch}


def batches(n: int) -> list[int]:
    """Sizes of the batches in which the search draws `n` expressions."""
    sizes = [min(FIRST_BATCH, n)]
    while sum(sizes) < n:
        sizes.append(min(LATER_BATCH, n - sum(sizes)))
    return sizes


def rates(draw: Draw, n: int) -> tuple[float, float]:
    """Return draws and distinct draws per second."""
    began = time.process_time()
    drawn: NDArray[np.int16] = np.concatenate([draw(size, batch) for batch, size in enumerate(batches(n))])
    seconds = time.process_time() - began
    return len(drawn) / seconds, len(np.unique(drawn, axis=0)) / seconds


def measure(case: Case, n: int, n_rounds: int) -> None:
    """Let both draw in turns, and print the medians."""
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for seed in range(n_rounds):
        for way, start in WAYS.items():
            found[way].append(rates(start(case, seed), n))
    core, torch = (np.array(found[way]) for way in ("core", "torch"))
    ratios = np.median(core / torch, axis=0)
    for kind, name in enumerate(("draws", "distinct draws")):
        print(
            f"{case.name}: {name} per second: core {np.median(core[:, kind]):.0f}, "
            f"torch {np.median(torch[:, kind]):.0f}, median ratio {ratios[kind]:.2f}"
        )


def time_first(way: str) -> None:
    """Print the seconds from the start of reading weights to the first draws, in this fresh process."""
    case = make_cases()[1]
    began, began_work = time.perf_counter(), time.process_time()
    drawn = WAYS[way](case, 0)(FEW, 0)
    seconds, of_processor = time.perf_counter() - began, time.process_time() - began_work
    print(f"{way}: {seconds:.3f} s to the first {len(drawn)} draws, {of_processor:.3f} s of processor time")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--draws", type=int, default=FIRST_BATCH + 3 * LATER_BATCH, help="draws per round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--first", choices=tuple(WAYS), help="time only the first draws of this process")
    options = parser.parse_args()
    if options.first:
        time_first(options.first)
        return
    print(describe_run())
    for way in ("core", "torch") * 3:
        subprocess.run([sys.executable, "-m", "benchmarks.prior_speed", "--first", way], check=True)
    for case in make_cases():
        measure(case, options.draws, options.rounds)


if __name__ == "__main__":
    main()
