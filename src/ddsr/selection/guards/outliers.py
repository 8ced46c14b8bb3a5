"""Outliers: the nats saved by listing them separately, so that they do not favour another equation."""

from __future__ import annotations

from collections.abc import Sequence
from math import e, lgamma, log, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddsr.data.arrays import Floats
from ddsr.data.row_samples import MOST_AUDITED_ROWS
from ddsr.engine import values
from ddsr.expression import Batch, Expression
from ddsr.price.rounding import SHARE_OF_Y
from ddsr.selection.samples import Samples

ROWS_PER_OUTLIER = 50  # at most one outlier per this many rows, and one in smaller tables
FEWEST_ROWS = 20
LEAST_SHARE_LEFT = 0.5  # share of y's variance that the other rows must have: large values are for the law
# Floor for the spread of the other residuals, relative to all: below it, the equation lacks something.
LEAST_SPREAD_LEFT = 0.01

Rows = NDArray[np.intp]
NONE: Rows = np.zeros(0, dtype=np.intp)


class Outliers(NamedTuple):
    """The outliers of an expression."""

    saved: float = 0.0
    """nats saved by naming the outliers instead of counting all residuals as noise of one size"""
    rows: Rows = NONE
    """indices into the audited rows"""
    share_left: float = 1.0
    """share of the residuals' mean square that remains without them"""


def outliers_of(expressions: Sequence[Expression], samples: Samples, least_nrmse: float) -> list[Outliers]:
    """Return the outliers of each expression.

    There are none for losses other than squared, which treat large errors in their own way. There are none in
    large tables, since a sample has too many or too few of the rare large errors, and none if weights give
    the error of each row.
    """
    engine = samples.engine
    rows, target, weights, counts, _ = samples.audited
    is_squared = engine.dataset.loss.is_squared
    if (
        not is_squared
        or len(expressions) == 0
        or engine.n_counted >= MOST_AUDITED_ROWS
        or (counts != weights).any()
    ):
        return [Outliers()] * len(expressions)
    predicted, _ = values(Batch.of(expressions), rows, engine.n_threads)
    each = np.repeat(np.arange(len(rows)), counts.astype(np.intp))
    least = (least_nrmse * engine.spread) ** 2
    saved, n_named = _named(predicted[:, each], target[each], least, LEAST_SHARE_LEFT)
    found = [Outliers()] * len(expressions)
    for row in map(int, np.flatnonzero(n_named)):
        squares = ((target - predicted[row]) ** 2)[each]
        farthest = np.argsort(-squares, kind="stable")
        named = np.unique(each[farthest[: n_named[row]]])
        share_left = float(squares[~np.isin(each, named)].mean() / squares.mean())
        found[row] = Outliers(float(saved[row]), named, share_left)
    return found


def outlying_rows(predicted: Floats, target: Floats) -> NDArray[np.intp]:
    """Return the rows without a finite prediction, then the outliers, largest error first.

    Outliers may carry any share of the variance here, because the choice does not depend on them.
    """
    is_finite = np.isfinite(predicted)
    defined = np.flatnonzero(is_finite)
    reach = float(np.ptp(target[defined])) if len(defined) else 0.0
    if reach == 0.0:
        return np.flatnonzero(~is_finite)
    with np.errstate(over="ignore"):  # an explosion is also a large error
        predicted, target = predicted[defined] / reach, target[defined] / reach
    _, n_named = _named(predicted[None], target, SHARE_OF_Y**2 * float(np.mean(target**2)), 0.0)
    farthest = np.argsort(-np.abs(target - predicted), kind="stable")
    return np.concatenate([np.flatnonzero(~is_finite), defined[farthest[: n_named[0]]]])


def _named(
    predicted: Floats, target: Floats, least: float, least_share_left: float
) -> tuple[Floats, NDArray[np.intp]]:
    """Return the nats that outliers save for each of (B, n) predictions, and their number.

    The y of an outlier is sent as it is, anywhere in the range of y, and left out of the spread of the
    residuals. It takes log C(n, k) nats to name k rows and log(range) for each, in place of ½ log(2πe MSE).
    """
    n_rows, reach = len(target), float(np.ptp(target))
    if n_rows < FEWEST_ROWS or reach == 0.0:
        return np.zeros(len(predicted)), np.zeros(len(predicted), dtype=np.intp)
    with np.errstate(all="ignore"):
        errors = target - predicted
        left, left_of_y = _left(errors**2, (target - target.mean()) ** 2)
        n_named = np.arange(left.shape[1])
        mean_squares = left / (n_rows - n_named)
        mean_squares = np.maximum(mean_squares, np.maximum(least, LEAST_SPREAD_LEFT**2 * mean_squares[:, :1]))
        nats = 0.5 * (n_rows - n_named) * np.log(2.0 * pi * e * mean_squares)
        nats = nats + n_named * log(reach) + _nats_of_which(n_rows, n_named)
        gains = np.where(left_of_y < least_share_left * left_of_y[:, :1], 0.0, nats[:, :1] - nats)
        # an equation with an error larger than the range of y is wrong itself
        is_within = np.abs(errors).max(axis=1) <= reach
        gains = np.where(is_within[:, None] & np.isfinite(gains), gains, 0.0)
    return gains.max(axis=1), gains.argmax(axis=1)


def _left(squares: Floats, of_rows: Floats) -> tuple[Floats, Floats]:
    """Return (B, k + 1) sums of (B, n) squares: of all, without the largest, the two largest, and so on.

    Also return the sums of `of_rows` without the same entries. Sums are built up without subtractions, since
    the largest square may be so large that the others are lost in rounding.
    """
    n_others = squares.shape[1] - max(1, squares.shape[1] // ROWS_PER_OUTLIER)
    order = np.argpartition(squares, n_others, axis=1)
    ascending = np.argsort(np.take_along_axis(squares, order[:, n_others:], axis=1), axis=1)
    order[:, n_others:] = np.take_along_axis(order[:, n_others:], ascending, axis=1)

    def sums(sorted_values: Floats) -> Floats:
        others = sorted_values[:, :n_others].sum(axis=1, keepdims=True)
        parts = np.concatenate([others, sorted_values[:, n_others:]], axis=1)
        return np.asarray(np.cumsum(parts, axis=1)[:, ::-1])

    return sums(np.take_along_axis(squares, order, axis=1)), sums(of_rows[order])


def _nats_of_which(n_rows: int, n_named: NDArray[np.int64]) -> Floats:
    """Return the nats to name k rows: log C(n, k), plus the nats of k among all possible numbers."""
    which = [lgamma(n_rows + 1) - lgamma(k + 1) - lgamma(n_rows - k + 1) for k in n_named.tolist()]
    return np.array(which) + np.where(n_named > 0, log(len(n_named)), 0.0)
