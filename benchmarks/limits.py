"""How many equations the refiner finds exactly with and without the rewriting of limits, by epochs, not time.

`python -m benchmarks.limits --epochs 12 --seeds 3` prints the runs that ended exact, and how many expressions
were scored until then, on equations of limits.csv; `--suite` names other ones.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ddsr.balance import LIMITS
from ddsr.bench.problems import Problem, load_suite
from ddsr.bench.trial import make_data
from ddsr.config import DefaultConfig
from ddsr.methods import assemble

PROBLEMS = Path(__file__).parent / "limits.csv"
EXACT = 1e-10
METHODS = {"with": "ddsr:generator=none", "without": "ddsr:generator=none:limits=false"}


@dataclass(frozen=True)
class Run:
    """What came of one problem."""

    is_exact: bool
    n_scored: int
    gain: float
    """of rewriting, in log(NRMSE) summed over sizes and epochs"""
    share: float
    """of the time that rewriting took"""


def run(problem: Problem, method: str, seed: int, n_epochs: int, n_evaluations: int, noise: float) -> Run:
    """Search until the fit is exact or the epochs are over."""
    data = make_data(problem, seed, noise)
    vocabulary = DefaultConfig().vocabulary(list(data.X_train.columns))
    config = {"evaluations_per_epoch": n_evaluations}
    states, _ = assemble(method, vocabulary, data.X_train, data.y_train, config=config, seed=seed)
    gain = rewriting = total = 0.0
    for state in islice(states, n_epochs):
        gain += state.stats.gains.get(LIMITS, 0.0)
        rewriting += state.stats.seconds.get("rewrite", 0.0)
        total += sum(state.stats.seconds.values())
    return Run(state.front.most_accurate().nrmse < EXACT, state.n_scored, gain, rewriting / total)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--epochs", type=int, default=12)
    options.add_argument("--evaluations", type=int, default=DefaultConfig().evaluations_per_epoch)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--noise", type=float, default=0.0)
    options.add_argument("--suite", default=str(PROBLEMS))
    options.add_argument("--every", type=int, default=1, help="take one problem of so many")
    arguments = options.parse_args()
    problems = load_suite(arguments.suite)[:: arguments.every]
    found: dict[str, list[Run]] = {name: [] for name in METHODS}
    budget = (arguments.epochs, arguments.evaluations, arguments.noise)
    for problem in problems:
        told = []
        for name, method in METHODS.items():
            runs = [run(problem, method, seed, *budget) for seed in range(arguments.seeds)]
            found[name] += runs
            each = " ".join(f"{'exact' if one.is_exact else '-':>5}{one.n_scored:8}" for one in runs)
            told.append(f"{name} {each}")
        print(f"{problem.name:24}", "   ".join(told), flush=True)
    for name, runs in found.items():
        n_exact, n_scored = sum(one.is_exact for one in runs), sum(one.n_scored for one in runs)
        gain, share = sum(one.gain for one in runs), sum(one.share for one in runs) / len(runs)
        print(f"{name}: {n_exact} of {len(runs)} exact, {n_scored} scored; rewriting:", end=" ")
        print(f"gain {gain:.1f}, {share:.1%} of the time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
