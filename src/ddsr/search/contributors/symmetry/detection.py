"""Finds symmetries in the slopes of an approximation: shifts of two inputs, and scalings of several.

A function that stays the same when x and y are shifted together depends on x - y alone: its slopes along
x and y cancel. A function that is multiplied by λ^p when each input is multiplied by its own power of λ, as
after a change of units, obeys Euler's equation: the sum of a x ∂f/∂x is p f. Both conditions are linear in
the slopes, so least squares finds all symmetries at once. The powers must be simple numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from ddsr.data.arrays import Floats
from ddsr.expression import Node
from ddsr.search.contributors.symmetry.reduction import Input, Reduction
from ddsr.search.contributors.symmetry.slopes import Slopes

MOST_PIVOTS = 400
"""maximum number of choices of units to compare"""
LARGEST_POWER = 4.0
NEAR_POWER = 0.12
"""maximum distance of a power from the simple number that replaces it"""
LEAST_INFLUENCE = 0.01
"""least influence of an input, relative to the spread of the target, for its slopes to count"""


@dataclass(frozen=True, eq=False)
class _Function:
    """An approximation as a function of inputs made from the columns, on rows."""

    reduction: Reduction
    inputs: Floats
    """(n, inputs)"""
    values: Floats
    slopes: Floats
    """(n, inputs): derivatives along each input"""
    is_positive: NDArray[np.bool_]
    """(inputs): whether each is positive on all rows of the data"""

    def influence(self) -> Floats:
        """Return the root mean square of the slope along each input, times the input's spread."""
        return np.asarray(_size(self.slopes) * self.inputs.std(axis=0))


def find_reduction(
    slopes: Slopes, names: Sequence[str], is_positive: Sequence[bool], tolerance: float
) -> Reduction | None:
    """Return the reduction by all symmetries that hold to this tolerance; None if there are none."""
    every = Reduction(tuple(Input(Node.variable(name)) for name in names))
    flags = np.array(is_positive, dtype=bool)
    function = _Function(every, slopes.rows, slopes.values, slopes.slopes, flags)
    with np.errstate(all="ignore"):  # an overflow is not a symmetry
        function = _shifted(_scaled(_shifted(function, tolerance), tolerance), tolerance)
    return None if len(function.reduction.inputs) == len(names) else function.reduction


def _shifted(function: _Function, tolerance: float) -> _Function:
    """Replace pairs of inputs by their difference or sum, the best symmetry first."""
    while len(function.reduction.inputs) > 1:
        influence = function.influence()
        is_known = influence > LEAST_INFLUENCE * function.values.std()
        best: tuple[float, int, int, float] | None = None
        for first, second in combinations(range(len(influence)), 2):
            if not (is_known[first] and is_known[second]):
                continue
            a, b = function.slopes[:, first], function.slopes[:, second]
            for sign in (1.0, -1.0):
                rest = float(_size(a - sign * b) / np.sqrt(_size(a) * _size(b)))
                if rest < tolerance and (best is None or rest < best[0]):
                    best = rest, first, second, sign
        if best is None:
            return function
        function = _joined(function, *best[1:])
    return function


def _joined(function: _Function, first: int, second: int, sign: float) -> _Function:
    reduction, inputs = function.reduction, function.inputs.copy()
    inputs[:, first] += sign * inputs[:, second]
    is_positive = function.is_positive.copy()
    is_positive[first] = sign > 0 and is_positive[first] and is_positive[second]
    joined = list(reduction.inputs)
    joined[first] = reduction.joined(first, second, sign)
    others = [place for place in range(len(joined)) if place != second]
    return _Function(
        replace(reduction, inputs=tuple(joined[place] for place in others)),
        inputs[:, others],
        function.values,
        function.slopes[:, others],
        is_positive[others],
    )


def _scaled(function: _Function, tolerance: float) -> _Function:
    """Remove the inputs that can serve as units."""
    is_known = function.influence() > LEAST_INFLUENCE * function.values.std()
    places = np.flatnonzero(function.is_positive & is_known)
    euler = np.column_stack([function.inputs[:, places] * function.slopes[:, places], -function.values])
    sizes = _size(euler)
    if len(places) == 0 or not ((sizes > 0.0) & np.isfinite(sizes)).all():
        return function
    _, singular, vectors = np.linalg.svd(euler / sizes, full_matrices=False)
    singular = singular / np.sqrt(len(euler))
    n_most = min(int((singular < tolerance).sum()), len(places))
    for n in range(n_most, 0, -1):
        powers = _simple_powers(vectors[-n:] / sizes, euler, tolerance)
        if powers is not None:
            return _without_units(function, places, *powers)
    return function


def _simple_powers(
    null: Floats, euler: Floats, tolerance: float
) -> tuple[tuple[int, ...], NDArray[np.float64]] | None:
    """Return the simplest choice of inputs as units, and for each the powers with which inputs scale."""
    n, n_inputs = len(null), null.shape[1] - 1
    best: tuple[float, tuple[int, ...], Floats] | None = None
    for pivots in islice(combinations(range(n_inputs), n), MOST_PIVOTS):
        square = null[:, pivots]
        if np.linalg.cond(square) > 1e3:
            continue
        powers = np.linalg.solve(square, null)
        simple = np.round(2.0 * powers) / 2.0
        is_near = np.abs(powers - simple).max() < NEAR_POWER and np.abs(simple).max() <= LARGEST_POWER
        if not is_near:
            continue
        complexity = float(np.abs(simple).sum() + 2.0 * (simple != np.round(simple)).sum())
        if best is not None and complexity >= best[0]:
            continue
        parts = np.abs(simple)[:, None, :] * np.abs(euler)  # (n, rows, inputs + 1)
        rest = _size(euler @ simple.T) / _size(parts.sum(axis=2).T)
        if (rest < tolerance).all():
            best = complexity, pivots, simple
    return None if best is None else best[1:]


def _without_units(
    function: _Function, places: NDArray[np.intp], pivots: tuple[int, ...], powers: Floats
) -> _Function:
    """Divide the inputs and the target by units made of the inputs at the pivots."""
    trees = [each.tree for each in function.reduction.inputs]
    at_units = places[list(pivots)]
    left = [place for place in range(len(trees)) if place not in at_units]
    measured = np.zeros((len(trees), len(pivots)))
    measured[places] = powers[:, :-1].T
    units = np.exp(np.log(function.inputs[:, at_units]) @ measured[left].T)  # (n, inputs left)
    reduction = Reduction(
        tuple(Input(trees[place], tuple(measured[place].tolist())) for place in left),
        tuple(trees[place] for place in at_units),
        tuple(powers[:, -1].tolist()),
    )
    return _Function(
        reduction,
        function.inputs[:, left] / units,
        function.values,
        function.slopes[:, left] * units,
        function.is_positive[left],
    )


def _size(columns: Floats) -> Floats:
    """Return the root mean square over rows."""
    return np.asarray(np.sqrt(np.mean(columns**2, axis=0)))
