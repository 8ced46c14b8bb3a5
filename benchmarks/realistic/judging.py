"""Whether an answer has the right form, is useful, and does not oscillate between the rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import isfinite

import numpy as np

from benchmarks.realistic.curves import Curve
from benchmarks.realistic.equality import is_equal
from benchmarks.realistic.shapes import Shape, fit_freed, has_form
from benchmarks.realistic.tables import BEYOND, Floats, Table, dense_rows, truth_of
from ddsr import Engine, Expression

MOST_ERROR_OF_USE = 2.0  # times that of the true form fitted to the same table
FINER = 10
LEAST_TURN = 0.01  # of the spread of the curve; smaller extrema are not counted


@dataclass(frozen=True)
class Verdict:
    """The criteria for an answer."""

    is_form_right: bool
    is_useful: bool
    swings: bool
    is_equal: bool | None = None
    """by SymPy; None if it cannot tell"""


def judge(curve: Curve, table: Table, answer: Expression) -> Verdict:
    """Compare an answer with the noise-free curve."""
    return Verdict(
        is_form_right(curve, answer),
        is_useful(curve, table, answer),
        swings(curve, answer),
        is_equal(shape_of(curve), answer),
    )


def is_form_right(curve: Curve, answer: Expression) -> bool:
    """Whether the answer, with few enough numbers, fits the noise-free curve once these are fitted to it."""
    return has_form(shape_of(curve), answer)


def is_useful(curve: Curve, table: Table, answer: Expression) -> bool:
    """Whether the error against the noise-free curve is at most twice that of the true form."""
    fitted = fit_truth(curve, table)
    X = rows_beyond(curve, fitted)
    error, error_of_truth = error_on(X, curve, answer), error_on(X, curve, fitted)
    return isfinite(error) and error <= MOST_ERROR_OF_USE * error_of_truth


def rows_beyond(curve: Curve, fitted: Expression) -> Floats:
    """Rows over the range and a quarter of it on either side.

    Rows where the true form has no value, with its own or with fitted constants, are left out: a root ends
    where it ends.
    """
    X = dense_rows(curve, BEYOND)
    with np.errstate(all="ignore"):
        values = truth_of(curve).to_callable()(X) + fitted.to_callable()(X)
    return np.asarray(X[np.isfinite(values)])


def error_on(X: Floats, curve: Curve, answer: Expression) -> float:
    """Root mean squared error against the noise-free curve."""
    with np.errstate(all="ignore"):
        error = answer.to_callable()(X) - truth_of(curve).to_callable()(X)
    return float(np.sqrt(np.mean(error**2))) if np.isfinite(error).all() else np.inf


def fit_truth(curve: Curve, table: Table) -> Expression:
    """The true form with its constants fitted to a table, under the actual kind of noise."""
    truth = truth_of(curve)
    weights = truth.to_callable()(table.X) ** -2.0 if curve.kind == "relative" else None
    return fit_freed(Engine(truth.vocabulary, table.X, table.y, weights), truth)[0]


def swings(curve: Curve, answer: Expression) -> bool:
    """Whether the answer has more extrema than the law, on a grid ten times finer than the rows."""
    return n_extrema(curve, answer) > n_extrema(curve, truth_of(curve))


def n_extrema(curve: Curve, expression: Expression) -> int:
    """Count the extrema along each input in turn, with the others at the middle of their ranges."""
    rows = _middle(curve)
    n = 0
    for column, given in enumerate(curve.inputs):
        shares = np.linspace(0.0, 1.0, FINER * curve.n_rows)
        X = np.repeat(rows[None, :], len(shares), axis=0)
        X[:, column] = _along(given.least, given.largest, given.spacing == "geometric", shares)
        with np.errstate(all="ignore"):
            n += _n_turns(expression.to_callable()(X))
    return n


@cache
def shape_of(curve: Curve) -> Shape:
    """The noise-free curve as a shape."""
    return Shape(truth_of(curve), dense_rows(curve))


def _middle(curve: Curve) -> Floats:
    return np.array(
        [_along(each.least, each.largest, each.spacing == "geometric", 0.5) for each in curve.inputs]
    )


def _along(least: float, largest: float, is_geometric: bool, share: Floats | float) -> Floats:
    if is_geometric:
        return np.asarray(least * (largest / least) ** np.asarray(share))
    return np.asarray(least + (largest - least) * np.asarray(share))


def _n_turns(values: Floats) -> int:
    """Count extrema of at least a hundredth of the spread, plus one for a value that is not finite."""
    if not np.isfinite(values).all():
        return len(values)
    least = LEAST_TURN * np.std(values)
    n, direction, edge = 0, 0, values[0]
    for value in values[1:]:
        if direction >= 0 and value > edge or direction <= 0 and value < edge:
            if direction == 0 and abs(value - edge) > least:
                direction = 1 if value > edge else -1
                edge = value
            elif direction != 0:
                edge = value
        elif direction != 0 and abs(value - edge) > least:
            n, direction, edge = n + 1, -direction, value
    return n
