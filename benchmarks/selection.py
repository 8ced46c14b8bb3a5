"""How often selection picks the true equation with the right constants: `python -m benchmarks.selection`.

The candidates are constructed, not searched for: the truth with free constants and an offset, the truth with
superfluous terms and factors, and simpler wrong equations. So this measures selection alone. Every equation
is tried at each noise level and number of rows.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.hardware import describe_run
from ddsr.engine import Engine, values
from ddsr.expression import Expression, Kind, Node, Vocabulary
from ddsr.selection.judged import Selected
from ddsr.selection.select import select

VOCABULARY = Vocabulary(("x", "y", "z"))
NOISES = (0.0, 0.001, 0.01, 0.1)
ROWS = (200, 1000, 7500)

# Equations whose constants must all be fixed exactly.
SIMPLE = (
    "2 * x * y",
    "x / (1 + y^2)",
    "0.5 * x * y^2",
    "sin(2 * x) + y",
    "x * y - z",
    "3 * x^1.5",
    "x^2 + y^2 - 2 * x * y * cos(z)",
    "sqrt(x^2 + y^2)",
    "x * exp(-y) + z",
    "x / 3 + y",
    "4 * x / (y + 5)",
    "x * y / (x + y)",
    "log(x) - log(y)",
    "6.283185307179586 * sqrt(x / y)",
    "x * (1 - y / 7)",
    "cos(3.141592653589793 * x) * y",
    "1 / (1 + exp(-x))",
    "x^3 - 3 * x * y",
    "0.75 * x * y / z^2",
    "x * (y - 2)",
    "exp(-x^2 / 2) * y",
    "sqrt(2 * x * y)",
    "x / (4 * y - z / 2)",
    "1 / x + 1 / y",
    "x * y * sin(z)",
)
# Equations with constants that are not simple and must stay free, and no others may.
FREE = (
    "3.7182 * x^1.5",
    "exp(-1.3179 * x) * y",
    "x / (0.6173 + y)",
    "2.2361847 * sin(1.8377 * x) + z",
    "x * y + 0.4271",
    "8.3145 * x * y / z",
)
# -f and f, with a superfluous small constant in each place where a search leaves one.
SMALL_CONSTANTS = {
    "-1 * x * y * cos(z)": (
        "(-1.01 * x * y + ?) * cos(z)",
        "-1 * x * y * cos(z) + ?",
        "? * x * y * cos(z) + ?",
    ),
    "-1 * x / y": ("(? - x) / y", "-1.01 * x / y + ?", "? - x / y"),
    "-1 * x * exp(-y)": ("(? - x) * exp(-1.01 * y)", "-0.99 * x * exp(-1.01 * y) + ?"),
    "-1 * x * y^2 * z": ("(? - x * y^2) * z", "? - x * y^2 * z"),
    "-1 * sin(x) * y / z": ("(? - sin(x) * y) / z", "(? - sin(x)) * y / z", "? - sin(x) * y / z"),
    "-1 * log(x) * y": ("(? - log(x)) * y", "? - log(x) * y"),
    "-2 * x * y": ("(? - 2 * x) * y", "? - 2 * x * y", "(? - x * y) * 2"),
    "x * y * cos(z)": ("(1.01 * x * y + ?) * cos(z)", "x * y * cos(z) + ?"),
    "x / (y + z)": ("(x + ?) / (y + z)", "x / (y + z + ?)", "x / (y + z) + ?"),
}
EXTRA = (
    "{} + ? * sin(? * z + ?)",
    "({}) * (1 + ? * x) + ?",
    "{} + ? * x * y + ? * z",
    "({}) / (1 + ? * y^?)",
)
WRONG = (
    "? * x + ?",
    "? * x + ? * y + ? * z + ?",
    "? * x^? * y^? * z^?",
    "? * exp(? * x) + ?",
    "? * x * y + ?",
)


@dataclass(frozen=True)
class Case:
    """Data made by one equation."""

    truth: Expression
    is_free: bool
    noise: float
    X: np.ndarray
    y: np.ndarray
    candidates: list[Expression]


def make_case(text: str, noise: float, n_rows: int, seed: int) -> Case:
    """Make data with noise relative to the root mean square of y, and the candidates."""
    rng = np.random.default_rng([seed, n_rows, round(1000 * noise)])
    truth = Expression.parse(text, VOCABULARY)
    X = rng.uniform(0.5, 4.0, size=(n_rows, 3))
    clean = truth.to_callable()(X)
    y = clean + noise * np.sqrt(np.mean(clean**2)) * rng.normal(size=n_rows)
    if text in SMALL_CONSTANTS:
        texts = (candidate.replace("?", "0.01") for candidate in SMALL_CONSTANTS[text])
        return Case(truth, False, noise, X, y, [Expression.parse(text, VOCABULARY) for text in texts])
    return Case(truth, text in FREE, noise, X, y, make_candidates(truth, rng))


def make_candidates(truth: Expression, rng: np.random.Generator) -> list[Expression]:
    """Candidates as a search leaves them: close to the truth, with superfluous parts, or wrong."""
    loose = Expression.from_tree(VOCABULARY, loosened(truth.tree, rng)).text()
    texts = [f"{rng.normal(1, 0.02)} * ({loose}) + {rng.normal(0, 0.02)}", f"{loose} + ?"]
    texts += [extra.format(loose).replace("?", str(rng.normal(0, 0.1))) for extra in EXTRA]
    return [Expression.parse(text, VOCABULARY) for text in (*texts, *WRONG)]


def loosened(node: Node, rng: np.random.Generator) -> Node:
    """The tree with every constant and literal 1 replaced by a free constant that is slightly off."""
    if node.kind in (Kind.CONSTANT, Kind.ONE):
        return Node.constant(node.value * rng.normal(1, 0.01))
    if node.kind is Kind.VARIABLE:
        return node
    return Node.operator(node.name, *(loosened(child, rng) for child in node.children))


def is_right(case: Case, chosen: Selected) -> bool:
    """Whether the choice equals the truth, is no longer, and is exact wherever possible."""
    X = np.random.default_rng(1).uniform(0.5, 4.0, size=(500, 3))
    (expected, found), is_finite = values([case.truth, _over(chosen.expression)], X)
    if not is_finite.all() or len(chosen.expression) > len(case.truth) + 2:
        return False
    scale = np.sqrt(np.mean(expected**2))
    error = np.sqrt(np.mean((found - expected) ** 2)) / scale
    if not case.is_free:
        return bool(error < 1e-9)
    n_constants = max(case.truth.n_constants, 1)
    return bool(error < 1e-9 + 4 * case.noise * np.sqrt(n_constants / len(case.y)))


def _over(expression: Expression) -> Expression:
    return Expression.from_tree(VOCABULARY, expression.tree)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=1, help="number of data sets per case")
    options.add_argument("--rows", type=int, nargs="+", default=ROWS, help="numbers of rows")
    options.add_argument("--every", type=int, default=1, help="use only every n-th equation")
    options.add_argument(
        "--small-constants", action="store_true", help="add a superfluous small constant to the equations"
    )
    options.add_argument("--misses", action="store_true", help="show every wrong choice")
    arguments = options.parse_args()
    console = Console()
    right: Counter[tuple[float, int]] = Counter()
    seconds = 0.0
    equations = (tuple(SMALL_CONSTANTS) if arguments.small_constants else SIMPLE + FREE)[:: arguments.every]
    for text in equations:
        for noise in NOISES:
            for n_rows in arguments.rows:
                for seed in range(arguments.seeds):
                    case = make_case(text, noise, n_rows, seed)
                    engine = Engine(VOCABULARY, case.X, case.y)
                    began = time.perf_counter()
                    chosen = select(case.candidates, engine)[0]
                    seconds += time.perf_counter() - began
                    right[noise, n_rows] += is_right(case, chosen)
                    if arguments.misses and not is_right(case, chosen):
                        console.print(f"{noise} {n_rows}: {text}  →  {chosen.expression.text(6)}")
    n_each = len(equations) * arguments.seeds
    table = Table(title=f"right choices of {n_each}")
    for heading in ("rows", *(f"noise {noise:g}" for noise in NOISES)):
        table.add_column(heading)
    for n_rows in arguments.rows:
        table.add_row(str(n_rows), *(str(right[noise, n_rows]) for noise in NOISES))
    console.print(table)
    n_all = n_each * len(NOISES) * len(arguments.rows)
    console.print(f"{right.total()} of {n_all}, {seconds / n_all:.2f} s each")
    console.print(describe_run())
    return 0


if __name__ == "__main__":
    sys.exit(main())
