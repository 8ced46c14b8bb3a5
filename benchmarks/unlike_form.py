"""Whether an answer has the form of a hard law: it becomes the law once its constants are fitted to it.

Constants such as 0.37 cannot be found to three decimals in noisy data, as the rules of `ddsr bench` demand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor

from benchmarks.corpus import read_formula
from benchmarks.realistic.shapes import (
    MOST_EXCESS_CONSTANTS,
    Shape,
    error_of_all,
    fit_freed,
    n_numbers,
)
from benchmarks.unlike_laws import Law
from ddsr import Expression
from ddsr.errors import ExpressionError
from ddsr_bench.runner.store import Row

MOST_ERROR = 1e-4  # of the spread of the law; smooth imitations with as many constants come close to 1e-3
LEAST_R2 = 0.5  # on the test data, as in SRBench's rule


def has_form(law: Law, text: str) -> bool:
    """Whether an answer fits the law without noise, with at most one constant more than the law.

    If it does not, integer exponents are fitted as well, and are then counted in both.
    """
    try:
        answer, _ = read_formula(text.replace("Abs(", "abs("), law.problem.variables, ())
    except ExpressionError:
        return False
    shape = Shape(law.parsed[0], law.rows)
    for is_every in (False, True):
        excess = n_numbers(answer, is_every) - n_numbers(shape.law, is_every)
        if excess <= MOST_EXCESS_CONSTANTS and _error(shape, answer, is_every) <= MOST_ERROR:
            return True
    return False


def _error(shape: Shape, answer: Expression, is_every: bool) -> float:
    return error_of_all(shape, answer) if is_every else fit_freed(shape.engine, answer)[1]


def forms_found(rows: Sequence[Row], laws: Mapping[str, Law], jobs: int | None = None) -> list[bool]:
    """Whether the answer of each run has the form of its law."""
    found = [bool(row.solved_paper) for row in rows]
    open_rows = [
        index
        for index, row in enumerate(rows)
        if not found[index] and row.expression and (row.r2_test or 0.0) > LEAST_R2
    ]
    if open_rows:
        with ProcessPoolExecutor(jobs) as pool:
            chosen = [laws[rows[index].problem] for index in open_rows]
            texts = [str(rows[index].expression) for index in open_rows]
            for index, is_form in zip(open_rows, pool.map(has_form, chosen, texts, chunksize=4), strict=True):
                found[index] = is_form
    return found
