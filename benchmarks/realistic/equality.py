"""Equality of an answer and a law with free numbers, by SymPy in a process that can be killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.realistic.shapes import Shape, fit_freed
from ddsr import Expression

ROOT = Path(__file__).resolve().parents[2]
MOST_ERROR = 1e-5  # NRMSE of the answer against the law; a larger one refutes equality without algebra
SECONDS = 30.0  # for one comparison, including the start of the process
N_POINTS = 25


def is_equal(shape: Shape, answer: Expression, seconds: float = SECONDS) -> bool | None:
    """Whether the answer is the law once its numbers are fitted to it; None if SymPy cannot tell in time.

    Numbers that belong to a form, 1 and small integer exponents, are not freed: x^2 is not x^1.5. The law
    with its numbers fitted also has to equal the answer, because a law with one more term is another form.
    """
    freed, error = fit_freed(shape.engine, answer)
    if not error <= MOST_ERROR:
        return False
    of_answer = Shape(answer, shape.X)
    if not (of_answer.is_finite and fit_freed(of_answer.engine, shape.law)[1] <= MOST_ERROR):
        return False
    return ask_sympy(shape, freed, seconds)


def ask_sympy(shape: Shape, answer: Expression, seconds: float) -> bool | None:
    """Compare a law and an answer with their numbers, in a separate process; None if it takes too long."""
    rows = np.linspace(0, len(shape.X) - 1, N_POINTS).astype(int)
    question = {
        "truth": str(shape.law),
        "answer": str(answer),
        "variables": list(shape.law.vocabulary.variables),
        "points": shape.X[rows].tolist(),
    }
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.realistic.symbolic"],
            input=json.dumps(question),
            capture_output=True,
            text=True,
            timeout=seconds,
            cwd=ROOT,
            check=True,
        )
        return bool(json.loads(done.stdout))
    except (subprocess.SubprocessError, json.JSONDecodeError):
        return None
