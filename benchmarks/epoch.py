"""How long an epoch of the preset `paper` and its parts take: `make bench-epoch`.

All settings are the paper's, the data have 10,000 rows, and the first epochs are left out. Medians are
printed and written to benchmarks/results/epoch-<device>.json. `--together` measures the total epochs per
second of several searches on one device (`benchmarks.throughput`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median

import numpy as np
import torch

from benchmarks import throughput
from benchmarks.hardware import describe_run
from ddsr.config import PaperConfig
from ddsr.expression import Expression, Vocabulary
from ddsr.generators.device import find_device
from ddsr.search.loop import SearchState
from ddsr.search.presets import parse_method, pose, start

RESULTS = Path(__file__).parent / "results"
N_ROWS, WARM_UPS = 10_000, 3
PARTS = ("sample", "score", "update")
PROBLEMS = {
    "one variable": "x^3 + x^2 + x",
    "five variables": "a * sin(b * c) + d / (e + 2.5)",
}


def epochs(text: str, device: str, n_threads: int) -> Iterator[SearchState]:
    """Start the preset's search as a user would."""
    config, seed, method = PaperConfig(), 0, parse_method("paper")
    names = Expression.parse(text, Vocabulary(tuple("xabcde"))).variables_used
    vocabulary = config.vocabulary(names)
    X = np.random.default_rng(seed).uniform(0.5, 2.0, size=(N_ROWS, len(names)))
    y = Expression.parse(text, vocabulary).to_callable()(X)
    problem = pose(method, vocabulary, X, y, config=config, seed=seed, device=device, n_threads=n_threads)
    return start(method, problem)


def measure(states: Iterator[SearchState], n_epochs: int) -> dict[str, float]:
    """Return median seconds of an epoch and of its parts."""
    timed = [state.stats.seconds for state in islice(states, WARM_UPS, WARM_UPS + n_epochs)]
    parts = {part: median(seconds[part] for seconds in timed) for part in PARTS}
    return {"epoch": median(sum(seconds.values()) for seconds in timed), **parts}


def share(ways: list[str], device: str, seconds: float) -> int:
    """Measure searches that share the device, and write their epochs per second."""
    run = describe_run()
    if device == "cuda":
        run["gpu"] = torch.cuda.get_device_name()
    run |= {"torch": torch.__version__, "seconds": seconds}
    print(json.dumps(run))
    found = throughput.measure([throughput.Way.read(way) for way in ways], device, seconds)
    path = RESULTS / f"together-{device}.json"
    path.write_text(json.dumps({"epochs_a_second": found} | run, indent=2) + "\n")
    return 0


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--epochs", type=int, default=10, help="number of epochs to time")
    options.add_argument("--together", help="ways to share the device, as 16x1,16x1!,4x8")
    options.add_argument(
        "--seconds", type=float, default=30.0, help="seconds to measure each way of --together"
    )
    arguments = options.parse_args()
    device = find_device(arguments.device).type
    if arguments.together:
        return share(arguments.together.split(","), device, arguments.seconds)
    torch.set_num_threads(arguments.threads)

    run = describe_run()
    if device == "cuda":
        run["gpu"] = torch.cuda.get_device_name()
    run |= {"torch": torch.__version__, "threads": arguments.threads, "epochs": arguments.epochs}
    print(json.dumps(run))
    print(f"{'median seconds':<16}" + "".join(f"{name:>10}" for name in ("epoch", *PARTS)))
    found = {}
    for name, text in PROBLEMS.items():
        states = epochs(text, device, arguments.threads)
        found[name] = {part: round(seconds, 4) for part, seconds in measure(states, arguments.epochs).items()}
        print(f"{name:<16}" + "".join(f"{seconds:>10.3f}" for seconds in found[name].values()), flush=True)
    path = RESULTS / f"epoch-{device}.json"
    path.write_text(json.dumps({"seconds": found} | run, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
