"""Compare the engine's speed with pyoperon and SciPy: `make bench-engine`.

Ratios are of times taken alternately in this process, so that a busy machine slows both sides alike. Each
figure is the best of several rounds. Prints a table and writes benchmarks/results/engine.json.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyoperon
from rich.console import Console
from rich.table import Table
from scipy.optimize import least_squares

from benchmarks.hardware import describe_run
from ddsr import _core
from ddsr.engine import Engine, FitOptions, FitStatus
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.grammar import Grammar

RESULTS = Path(__file__).parent / "results" / "engine.json"
ROUNDS = 5
TARGETS = {
    "fits_per_s_1": (">=", 25_000),
    "fits_per_s_2": (">=", 45_000),
    "two_threads_gain": (">=", 1.8),
    "vs_pyoperon": (">=", 2.0),
    "vs_scipy": (">=", 20.0),
    "rows_peak_mb": ("<=", 100.0),
    "fill_ms": ("<=", 10.0),
    "fill_half_kept_ms": ("<=", 7.0),
    "fill_half_kept_gain": (">=", 1.1),
}
MEANING = {
    "fits_per_s_1": "candidates/s, fitted on 200 rows and scored on 2,000, one thread",
    "fits_per_s_2": "the same on two threads",
    "two_threads_gain": "times faster on two threads than on one",
    "vs_pyoperon": "times faster than pyoperon's Levenberg–Marquardt: same trees, 1,000 rows, 10 steps",
    "vs_scipy": "times faster than SciPy's least_squares on the same",
    "rows_peak_mb": "MB beyond X and y to score 20 nodes on a million rows",
    "fill_ms": "ms to fill 3,000 sequences of 32 positions legally, one thread",
    "fill_half_kept_ms": "ms for the tokens alone where half of them are kept already",
    "fill_half_kept_gain": "times faster than with the log-probabilities of all tokens",
}


def best_time(run: Callable[[], object], rounds: int = ROUNDS) -> float:
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return min(times)


def random_candidates(vocabulary: Vocabulary, n: int, sizes: range, max_constants: int) -> Batch:
    """Draw distinct legal expressions, equally many of each size, with at most `max_constants` constants.

    Logits favour operators, because a uniform draw would hardly ever reach the larger sizes.
    """
    grammar = Grammar(vocabulary, max_length=sizes[-1], max_constants=max_constants)
    rng = np.random.default_rng(0)
    wanted = -(-n // len(sizes))
    chosen: dict[int, dict[bytes, np.ndarray]] = {size: {} for size in sizes}
    stream = 0
    while any(len(found) < wanted for found in chosen.values()):
        logits = rng.normal(size=(4000, sizes[-1], len(vocabulary))).astype(np.float32)
        logits[:, :, : len(vocabulary.operators)] += rng.uniform(-0.5, 1.5, size=(4000, 1, 1))
        free = np.full(logits.shape[:2], _core.MASK, dtype=np.int16)
        tokens = grammar.fill_tokens(logits, free, seed=0, stream=stream)
        stream += 1
        for row in tokens:
            found = chosen.get(int((row != _core.PAD).sum()))
            if found is not None and len(found) < wanted:
                found.setdefault(row.tobytes(), row)
    rows = [row for found in chosen.values() for row in found.values()]
    rng.shuffle(rows)
    return Batch.from_tokens(vocabulary, np.array(rows[:n]))


def throughput() -> dict[str, float]:
    """Measure candidates per second on one thread and on two."""
    vocabulary = Vocabulary(("x", "y", "z"))
    batch = random_candidates(vocabulary, 20_000, range(5, 26), max_constants=4)
    rng = np.random.default_rng(1)
    X = rng.uniform(1.0, 5.0, size=(2000, 3))
    y = 2.5 * X[:, 0] * np.sin(1.3 * X[:, 1]) + X[:, 2] ** 2 / 3
    times: dict[int, float] = {1: np.inf, 2: np.inf}
    engines = {n: Engine(vocabulary, X, y, fit_rows=200, n_threads=n) for n in times}
    for _ in range(ROUNDS):
        for n, engine in engines.items():
            times[n] = min(times[n], best_time(lambda engine=engine: engine.score(batch), 1))
    is_finite = engines[1].score(batch).status != FitStatus.NON_FINITE
    finite = Batch(vocabulary, batch.tokens[is_finite], batch.constants[is_finite])
    finite_time = best_time(lambda: engines[1].score(finite))
    return {
        "fits_per_s_1": len(batch) / times[1],
        "fits_per_s_2": len(batch) / times[2],
        "two_threads_gain": times[1] / times[2],
        "mean_size": float(batch.sizes.mean()),
        "share_finite": float(is_finite.mean()),
        "finite_fits_per_s_1": len(finite) / finite_time,
    }


# Skeletons of about ten nodes and three constants, with operators that all three programs have. X1 … are
# pyoperon's names. The second form is what a user of SciPy would write.
SKELETONS: dict[str, Callable[..., np.ndarray]] = {
    "? * X1 + ? * X2 / (? + X3)": lambda c, x, y, z: c[0] * x + c[1] * y / (c[2] + z),
    "? * sin(? * X1) + X2 * X3 * ?": lambda c, x, y, z: c[0] * np.sin(c[1] * x) + y * z * c[2],
    "? * exp(? / X1) - X2 / X3 + ?": lambda c, x, y, z: c[0] * np.exp(c[1] / x) - y / z + c[2],
    "sqrt(? * X1 + ? * X2) * X3 + ?": lambda c, x, y, z: np.sqrt(c[0] * x + c[1] * y) * z + c[2],
    "? * X1 * cos(? * X2) / (X3 + ?)": lambda c, x, y, z: c[0] * x * np.cos(c[1] * y) / (z + c[2]),
    "log(? * X1 + X2 * X3) * ? + ?": lambda c, x, y, z: np.log(c[0] * x + y * z) * c[1] + c[2],
    "(? * X1 + X2) / (? * X2 + X3) - ?": lambda c, x, y, z: (c[0] * x + y) / (c[1] * y + z) - c[2],
    "? * X1 * X2 / X3 + ? * exp(? / X2)": lambda c, x, y, z: c[0] * x * y / z + c[1] * np.exp(c[2] / y),
}
TRUTH = (1.7, 0.6, 2.3)
MAX_STEPS = 10


class Contest:
    """The same fits by ddsr, pyoperon and SciPy: every skeleton, from constants of 1, to every target.

    Each target is computed from one skeleton with TRUTH, so one fit in eight can be good.
    """

    def __init__(self) -> None:
        self.vocabulary = Vocabulary(("X1", "X2", "X3"))
        rng = np.random.default_rng(2)
        self.X = rng.uniform(1.0, 3.0, size=(1000, 3))
        self.expressions = [Expression.parse(text, self.vocabulary) for text in SKELETONS]
        self.targets = []
        for function in SKELETONS.values():
            clean = function(TRUTH, *self.X.T)
            self.targets.append(clean + rng.normal(scale=0.05 * clean.std(), size=len(clean)))
        self.n_fits = len(self.targets) * len(self.expressions)
        options = FitOptions(max_steps=MAX_STEPS)
        self.engines = [Engine(self.vocabulary, self.X, y, options=options) for y in self.targets]
        self.batch = Batch.of(self.expressions)
        self.peers = [[operon_fit(e, self.X, y) for e in self.expressions] for y in self.targets]

    def ours(self) -> np.ndarray:
        """Mean squared errors, one row per target."""
        scores = [engine.score(self.batch) for engine in self.engines]
        spreads = np.array([np.std(target) for target in self.targets])
        return (np.array([score.nrmse for score in scores]) * spreads[:, None]) ** 2

    def operons(self) -> np.ndarray:
        return np.array([[fit() for fit in row] for row in self.peers])

    def scipys(self) -> np.ndarray:
        columns = self.X.T

        def fit(function: Callable[..., np.ndarray], target: np.ndarray) -> float:
            # MINPACK evaluates one difference per constant and one value per step.
            try:
                found = least_squares(
                    lambda c: function(c, *columns) - target, np.ones(3), method="lm", max_nfev=4 * MAX_STEPS
                )
            except ValueError:  # SciPy gives up at values that are not finite
                return np.inf
            return float(2 * found.cost / len(target))

        return np.array([[fit(f, target) for f in SKELETONS.values()] for target in self.targets])


def operon_fit(expression: Expression, X: np.ndarray, y: np.ndarray) -> Callable[[], float]:
    """Return pyoperon's optimizer for the same tree, with constants as the only coefficients."""
    data = pyoperon.Dataset(np.asfortranarray(np.column_stack([X, y])))
    variables = {variable.Name: variable.Hash for variable in data.Variables}
    nodes = pyoperon.InfixParser.Parse(str(expression).replace("1.0", "1.000"), variables).Nodes
    for node in nodes:
        if node.IsVariable:
            node.Optimize = False
    tree = pyoperon.Tree(nodes)
    problem = pyoperon.Problem(data)
    problem.TrainingRange = problem.TestRange = pyoperon.Range(0, len(y))
    problem.Target = data.Variables[X.shape[1]]
    table = pyoperon.DispatchTable()
    search = pyoperon.LMOptimizer(table, problem, max_iter=10, batch_size=len(y))
    optimizer = pyoperon.CoefficientOptimizer(search)
    random = pyoperon.RandomGenerator(1)
    # The optimizer refers to these objects without owning them.
    keep = (data, problem, table, search)

    def fit() -> float:
        assert keep
        _, summary = optimizer(random, tree)
        return float(summary.FinalCost) / len(y)

    return fit


def against_peers() -> dict[str, float]:
    """Measure the time for the same 64 fits, alternately."""
    contest = Contest()
    runs = {"ours": contest.ours, "pyoperon": contest.operons, "scipy": contest.scipys}
    times = dict.fromkeys(runs, np.inf)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for _ in range(ROUNDS):
            for name, run in runs.items():
                times[name] = min(times[name], best_time(run, 3 if name != "scipy" else 1))
        losses = {name: run() for name, run in runs.items()}
    well = {name: float(np.median(losses["ours"] / losses[name])) for name in ("pyoperon", "scipy")}
    return {
        "vs_pyoperon": times["pyoperon"] / times["ours"],
        "vs_scipy": times["scipy"] / times["ours"],
        **{f"us_per_fit_{name}": 1e6 * seconds / contest.n_fits for name, seconds in times.items()},
        **{f"median_loss_vs_{name}": ratio for name, ratio in well.items()},
    }


PEAK_SCRIPT = """
import re
from pathlib import Path
import numpy as np
from ddsr.engine import Engine, values
from ddsr.expression import Expression, Vocabulary
vocabulary = Vocabulary(("a", "b", "c", "d", "e"))
expression = Expression.parse(
    "2.5 * a * sin(1.3 * b) + c / (d + 0.5) - sqrt(exp(e / a))", vocabulary)
assert len(expression) == 20, len(expression)
def peak_mb():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
rng = np.random.default_rng(0)
X = rng.uniform(1.0, 5.0, size=(1_000_000, 5))
y = X.sum(axis=1)
Engine(vocabulary, X[:1000], y[:1000]).score([expression])
before = peak_mb()
engine = Engine(vocabulary, X, y)
scores = engine.score([expression])
found, is_finite = values([expression], X)
after = peak_mb()
assert is_finite.all() and np.isfinite(scores.nrmse).all()
print(after - before)
"""


def peak_memory() -> dict[str, float]:
    """Measure in a separate process, since a peak never falls. Linux reports it in /proc."""
    done = subprocess.run([sys.executable, "-c", PEAK_SCRIPT], capture_output=True, text=True, check=True)
    return {"rows_peak_mb": float(done.stdout)}


def fill_time() -> dict[str, float]:
    """Measure the fill of 3,000 sequences with the default operators and seven variables.

    Binary operators are made likely, so that the trees fill their 32 positions.
    """
    vocabulary = Vocabulary.of_size(7)
    grammar = Grammar(vocabulary, max_length=32)
    rng = np.random.default_rng(3)
    logits = rng.normal(size=(3000, 32, len(vocabulary))).astype(np.float32)
    logits[:, :, :5] += 3.0
    free = np.full((3000, 32), _core.MASK, dtype=np.int16)
    tokens, _ = grammar.fill(logits, free, seed=0)
    is_kept = (rng.random(tokens.shape) < 0.5) & (tokens != _core.PAD)
    half_kept = np.where(is_kept, tokens, free)
    runs: dict[str, Callable[[], object]] = {
        "all": lambda: grammar.fill(logits, free, seed=0),
        "half": lambda: grammar.fill(logits, half_kept, seed=1),
        "half, tokens alone": lambda: grammar.fill_tokens(logits, half_kept, seed=1),
    }
    times = dict.fromkeys(runs, np.inf)
    for _ in range(20):
        for name, run in runs.items():
            times[name] = min(times[name], best_time(run, 1))
    return {
        "fill_ms": 1000 * times["all"],
        "fill_half_kept_ms": 1000 * times["half, tokens alone"],
        "fill_half_kept_gain": times["half"] / times["half, tokens alone"],
        "fill_mean_size": float((tokens != _core.PAD).sum(1).mean()),
    }


def main() -> int:
    figures = throughput() | against_peers() | peak_memory() | fill_time()
    record = {key: round(value, 3) for key, value in figures.items()}
    table = Table(title=f"engine · {_core.instruction_set()} · {os.cpu_count()} cores")
    for heading in ("figure", "reached", "wanted", "meaning"):
        table.add_column(heading)
    missed = 0
    for key, (sign, wanted) in TARGETS.items():
        reached = figures[key] >= wanted if sign == ">=" else figures[key] <= wanted
        missed += not reached
        style = "" if reached else "bold red"
        table.add_row(key, f"{figures[key]:,.1f}", f"{sign} {wanted:,}", MEANING[key], style=style)
    Console().print(table)
    if missed:
        Console().print("not kept: a figure is missed (is the machine busy?)")
        return 1
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(record | describe_run(), indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
