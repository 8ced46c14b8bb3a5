"""Inputs where two forms that explain the data predict different values, relative to the noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddsr.data.arrays import Floats
from ddsr.data.losses import SQUARED, Loss
from ddsr.engine import Engine, values
from ddsr.expression import Expression
from ddsr.price.noise import size_where_errors_are_measured

Stretch = tuple[float, float]
N_WITHIN, N_BEYOND = 201, 100  # points over the range of an input, and to either side of it
GEOMETRIC = 100.0  # inputs that span at least this factor are searched in equal ratios
MOST_FACTOR = 10.0  # factor by which the search extends beyond the range of such an input
LARGEST = 0.9 * float(np.finfo(np.float64).max)  # with room for rounding
FACTORS = (1.25, 1.5, 2.0)  # by which rows of several inputs are moved away from the middle of the data
MOST_TIMES = 1e6  # cap on differences over the noise: larger ones come from poles or fits without noise


@dataclass(frozen=True)
class Parting:
    """The place where a form differs from the chosen one, and the size of the difference."""

    where: dict[str, Stretch]
    """start and end for each input of the forms. They are equal for a point; outside the data, the end is
    farther away"""
    times_noise: float
    """largest difference there, in standard deviations of the noise"""
    is_beyond: bool
    """whether this is outside the measured range"""

    @property
    def is_seen(self) -> bool:
        """Whether the forms differ by more than the noise."""
        return self.times_noise >= 1.0


@dataclass(frozen=True, eq=False)
class Noise:
    """Standard deviation of a measurement."""

    error: float
    size_of_y: float | None = None
    """size of y that has this error, if errors are relative"""
    least_size: float = 0.0
    """least measured size of y, below which errors do not shrink further"""
    loss: Loss = SQUARED

    @classmethod
    def of(cls, engine: Engine, error: float, is_relative: bool) -> Noise:
        """Return the noise of an engine's data, given the `error` that a form leaves."""
        if not is_relative:
            return cls(error, loss=engine.dataset.loss)
        y = engine.target
        return cls(error, size_where_errors_are_measured(y), float(np.abs(y).min()))

    def at(self, predicted: Floats) -> Floats:
        """Return the standard deviation at these predictions."""
        least = np.finfo(np.float64).tiny
        if self.size_of_y is None:
            return np.asarray(np.maximum(self.error * self.loss.noise_of(predicted), least))
        size = np.maximum(np.abs(predicted), self.least_size)
        return np.asarray(np.maximum(self.error * size / self.size_of_y, least))


def parting(chosen: Expression, other: Expression, X: Floats, noise: Noise) -> Parting | None:
    """Return where `other` differs from `chosen`; None if neither has an input.

    The place is in the measured range if they differ there by more than the noise, otherwise outside.
    """
    names = chosen.vocabulary.inputs
    used = [
        column
        for column, name in enumerate(names)
        if name in chosen.variables_used or name in other.variables_used
    ]
    if not used:
        return None
    if len(used) == 1:
        return _along_one(chosen, other, X, used[0], noise)
    return _at_a_row(chosen, other, X, used, noise)


def _along_one(chosen: Expression, other: Expression, X: Floats, column: int, noise: Noise) -> Parting:
    name = chosen.vocabulary.variables[column]

    def times(points: Floats) -> Floats:
        rows = np.repeat(X[:1], len(points), axis=0)
        rows[:, column] = points
        return _times_noise(chosen, other, rows, noise)

    below, within, above = _points(X[:, column])
    found = times(within)
    peak = int(np.argmax(found))
    if found[peak] >= 1.0:
        first, last = _around(found >= 0.5 * found[peak], peak)
        stretch = float(within[first]), float(within[last])
        return Parting({name: stretch}, float(found[peak]), is_beyond=False)
    best = Parting({name: (float(within[peak]),) * 2}, float(found[peak]), is_beyond=False)
    nearest = N_BEYOND
    for points in (below, above):  # from the edge of the data outwards
        found = times(points)
        is_apart = found >= 1.0
        start = int(np.argmax(is_apart))
        if is_apart.any() and start < nearest:
            nearest = start
            outwards = float(points[start]), float(points[-1])
            best = Parting({name: outwards}, float(found.max()), is_beyond=True)
    return best


def _points(values_of_input: Floats) -> tuple[Floats, Floats, Floats]:
    """Return points below (downwards), within and above the data; inputs that are never negative stay so."""
    low, high = float(values_of_input.min()), float(values_of_input.max())
    if low > 0.0 and high >= GEOMETRIC * low:
        steps = np.linspace(0.0, 1.0, N_BEYOND + 1)[1:]
        return (
            low * MOST_FACTOR**-steps,
            np.geomspace(low, high, N_WITHIN),
            np.minimum(high, LARGEST / MOST_FACTOR) * MOST_FACTOR**steps,
        )
    wide = min(high - low or abs(low) or 1.0, max(LARGEST - max(high, -low), 0.0))
    least = low - wide
    if low >= 0.0:
        least = max(least, low / MOST_FACTOR)
    return (
        np.linspace(low, least, N_BEYOND + 1)[1:],
        np.linspace(low, high, N_WITHIN),
        np.linspace(high, high + wide, N_BEYOND + 1)[1:],
    )


def _around(is_so: NDArray[np.bool_], place: int) -> tuple[int, int]:
    """Return the first and last place of the run of True values around a place."""
    gaps = np.flatnonzero(~is_so)
    before, after = gaps[gaps < place], gaps[gaps > place]
    return int(before[-1]) + 1 if len(before) else 0, int(after[0]) - 1 if len(after) else len(is_so) - 1


def _at_a_row(chosen: Expression, other: Expression, X: Floats, used: list[int], noise: Noise) -> Parting:
    names = chosen.vocabulary.variables
    low, high = X[:, used].min(axis=0), X[:, used].max(axis=0)

    def is_outside(rows: Floats) -> NDArray[np.bool_]:
        return np.asarray(((rows < low) | (rows > high)).any(axis=1))

    best: Parting | None = None
    for factor in (1.0, *FACTORS):
        rows = _stretched(X, factor)
        found = _times_noise(chosen, other, rows, noise)
        if factor > 1.0:
            found[~is_outside(rows[:, used])] = 0.0
        row = int(np.argmax(found))
        where = {names[column]: (float(rows[row, column]),) * 2 for column in used}
        here = Parting(where, float(found[row]), is_beyond=factor > 1.0)
        if here.is_seen:
            return here
        best = best or here
    assert best is not None
    return best


def _stretched(X: Floats, factor: float) -> Floats:
    """Return the rows moved away from the middle of the data; inputs that are never negative stay so."""
    low, high = X.min(axis=0), X.max(axis=0)
    middle = 0.5 * (low + high)
    moved = middle + (X - middle) * factor
    return np.asarray(np.where(low >= 0.0, np.maximum(moved, low / factor), moved))


def _times_noise(chosen: Expression, other: Expression, rows: Floats, noise: Noise) -> Floats:
    """Return the differences over the noise; 0 where a form is undefined."""
    first, second = (values([each], rows)[0][0] for each in (chosen, other))  # operators may differ
    with np.errstate(invalid="ignore", over="ignore"):
        found = np.abs(first - second) / noise.at(first)
    return np.asarray(np.minimum(np.where(np.isfinite(found), found, 0.0), MOST_TIMES))
