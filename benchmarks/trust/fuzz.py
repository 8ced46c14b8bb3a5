"""Random tokens and texts on a core with AddressSanitizer and UBSan."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.trust.child import ROOT, Result, run_part
from benchmarks.trust.plan import Plan
from benchmarks.trust.tally import Tally
from ddsr.engine import Engine, FitOptions, gradients, values
from ddsr.errors import DDSRError
from ddsr.expression import OPERATORS, Batch, Expression, Vocabulary
from ddsr.grammar import Grammar

N_ROWS, N_TEXTS = 1_000_000, 100_000
BATCH = 250
"""rows or texts per case"""
N_BAD = 25
"""number of rows with arbitrary numbers, which must be refused"""
SANITIZED = ROOT / "build" / "sanitize" / "python"
DEEP_SHARE = 0.01
"""for texts, which take long to parse"""
HERE = "benchmarks.trust.fuzz"

WORDS = (
    *(
        "x",
        "y",
        "`a b`",
        "`",
        "1",
        "2.5",
        "1e308",
        "1e999",
        ".",
        "0x1",
        "?",
        "C",
        "+",
        "-",
        "*",
        "/",
        "^",
        "**",
    ),
    *(
        "(",
        ")",
        ",",
        "sin",
        "exp",
        "pow",
        "log",
        "max",
        " ",
        "\n",
        "\x00",
        "é",
        "\ud800",
        "__import__",
        "1e-320",
    ),
)


def run_campaign(plan: Plan) -> dict[str, Tally]:
    """Run rows and texts; mutated files are a separate campaign."""
    rows, texts = Tally(), Tally()
    reason = build(plan)
    if reason is not None:
        rows.skipped = texts.skipped = reason
        return {"token rows": rows, "texts": texts}
    run_part(plan.part(0.7), rows, f"{HERE}:token_rows", N_ROWS // BATCH, python=str(SANITIZED))
    run_part(plan.part(1.0), texts, f"{HERE}:texts", N_TEXTS // BATCH, python=str(SANITIZED))
    return {"token rows": rows, "texts": texts}


def build(plan: Plan) -> str | None:
    """Build the sanitized core; return the reason if that fails."""
    plan.show("building the sanitized core")
    python = os.path.relpath(sys.executable, ROOT)
    try:
        done = subprocess.run(
            ["scripts/build_sanitized", python, "0"], cwd=ROOT, capture_output=True, text=True
        )
    except OSError as error:
        return f"the sanitized core cannot be built: {error}"
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        return f"the sanitized core cannot be built: {last[0]}"
    return None


def token_rows(seed: int, folder: Path):  # type: ignore[no-untyped-def]
    """Pass legal and illegal rows to the engine, the simplifier and the grammar."""

    def case(number: int) -> Result:
        rng = np.random.default_rng([seed, number])
        vocabulary, engine = _random_engine(rng)
        tokens = _legal_rows(rng, vocabulary, BATCH - N_BAD)
        n_constants = int((tokens == vocabulary.constant).sum(axis=1).max(initial=0))
        constants = _random_numbers(rng, (len(tokens), n_constants))
        batch = Batch(vocabulary, tokens, constants)
        failures: list[str] = []
        scores = engine.score(batch, options=FitOptions(max_steps=3, n_starts=1))
        if np.isnan(scores.nrmse).any():
            failures.append(f"token rows case {number} (seed {seed}): an NRMSE is not a number")
        X = engine.audited.rows
        values(batch, X)
        gradients(batch, X)
        batch.keys()
        batch.simplified()
        for _ in range(N_BAD):
            failures += _try_bad_row(rng, vocabulary, engine, number)
        return Result(failures, tried=BATCH)

    return case


def _random_engine(rng: np.random.Generator) -> tuple[Vocabulary, Engine]:
    operators = rng.choice(sorted(OPERATORS), size=rng.integers(2, len(OPERATORS) + 1), replace=False)
    vocabulary = Vocabulary.of_size(int(rng.integers(1, 5)), [str(each) for each in operators])
    n_rows = int(rng.choice([2, 3, 7, 8, 9, 31, 64, 65, 130]))
    X = _random_numbers(rng, (n_rows, len(vocabulary.variables)))
    y = rng.normal(size=n_rows)
    return vocabulary, Engine(vocabulary, X, y, fit_rows=int(rng.integers(1, 100)))


def _random_numbers(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Mostly ordinary numbers, and some at the limits of double precision."""
    numbers = rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4, size=shape)
    extremes = np.array([0.0, -0.0, 1.0, -1.0, 1e300, -1e300, 5e-324, 1.7e308, 2.0**53, 1e-300])
    return np.where(rng.random(shape) < 0.1, rng.choice(extremes, size=shape), numbers)


def _legal_rows(rng: np.random.Generator, vocabulary: Vocabulary, n: int) -> np.ndarray:
    grammar = Grammar(vocabulary, max_length=int(rng.integers(1, 33)))
    return grammar.sample(n, seed=int(rng.integers(1 << 31)))


def _try_bad_row(rng: np.random.Generator, vocabulary: Vocabulary, engine: Engine, number: int) -> list[str]:
    length = int(rng.integers(1, 12))
    high = len(vocabulary) + 3 if rng.random() < 0.8 else 32767
    row = rng.integers(-3, high, size=(1, length)).astype(np.int16)
    constants = np.ones((1, int(rng.integers(0, 4))))
    try:
        engine.score(Batch(vocabulary, row, constants), options=FitOptions(max_steps=1))
        Expression(vocabulary, row[0].tolist())
    except DDSRError:
        return []
    except Exception as error:
        return [f"token rows case {number}: {row.tolist()} raises {type(error).__name__}: {error}"]
    return []


def texts(seed: int, folder: Path):  # type: ignore[no-untyped-def]
    """Pass texts to the parser; an accepted text must print and parse back to the same expression."""
    vocabulary = Vocabulary(("x", "y", "a b"), tuple(OPERATORS))

    def case(number: int) -> Result:
        rng = np.random.default_rng([seed, number])
        failures = [flaw for _ in range(BATCH) if (flaw := flaw_of_text(random_text(rng), vocabulary))]
        return Result(failures, tried=BATCH)

    return case


def random_text(rng: np.random.Generator) -> str:
    """Random words, a legal text with a typo, deep nesting, or arbitrary characters."""
    kind = rng.integers(3) * 2 if rng.random() > DEEP_SHARE else 1
    if kind == 0:
        return "".join(rng.choice(WORDS, size=rng.integers(0, 30)))
    if kind == 1:
        depth = int(rng.choice([1, 10, 100, 1000, 5000]))
        return "sin(" * depth + "x" + ")" * (depth - int(rng.integers(0, 2)))
    if kind == 2:
        return "".join(chr(code) for code in rng.integers(0, 0x2FF, size=rng.integers(0, 60)))
    legal = "2.5 * sin(x)^2 - 1 / (y + `a b`) * exp(-x)"
    place = int(rng.integers(len(legal)))
    return legal[:place] + str(rng.choice(WORDS)) + legal[place + int(rng.integers(0, 3)) :]


def flaw_of_text(text: str, vocabulary: Vocabulary) -> str | None:
    """Describe any outcome but an error of ddsr or an expression that prints and parses back."""
    try:
        parsed = Expression.parse(text, vocabulary)
        if Expression.parse(parsed.text(), vocabulary) != parsed:
            return f"{text!r} is printed as {parsed.text()!r}, which is read as something else"
    except DDSRError:
        return None
    except Exception as error:
        return f"{text[:100]!r} raises {type(error).__name__}: {error}"
    return None
