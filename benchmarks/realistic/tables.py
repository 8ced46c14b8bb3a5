"""The noisy tables measured from a curve, and the noise-free values for comparing answers."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from benchmarks.realistic.curves import Curve, Input
from ddsr import Expression, Vocabulary

Floats = NDArray[np.float64]
N_DENSE = 400
BEYOND = 0.25  # of the range, on either side
MOST_BEYOND = 3.0  # times the largest value within the range; larger values belong to a pole
OPERATORS = tuple(
    "add sub mul div pow sqrt exp log sin cos tan asin acos atan sinh cosh tanh abs square cube".split()  # noqa: SIM905
)


@dataclass(frozen=True, eq=False)
class Table:
    """A few rows, as a scientist would have."""

    X: Floats
    y: Floats


def vocabulary_of(curve: Curve) -> Vocabulary:
    """The inputs, and all operators that a formula may have."""
    return Vocabulary([each.name for each in curve.inputs], OPERATORS)


def truth_of(curve: Curve) -> Expression:
    """The law with its constants."""
    return Expression.parse(curve.formula, vocabulary_of(curve))


def draw(curve: Curve, number: int) -> Table:
    """Draw table `number`: new noise, and new rows if there are several inputs."""
    rng = np.random.default_rng([crc32(curve.name.encode()), number])
    X = _measured_rows(curve, rng)
    clean = truth_of(curve).to_callable()(X)
    scale = np.abs(clean) if curve.kind == "relative" else np.std(clean)
    return Table(X, clean + curve.noise * scale * rng.normal(size=len(clean)))


def dense_rows(curve: Curve, beyond: float = 0.0) -> Floats:
    """Rows over the range and a share `beyond` of it outside, where the law is defined.

    One input is varied on a grid; several are drawn at random within their ranges.
    """
    rng = np.random.default_rng(crc32(curve.name.encode()))
    n_inputs = len(curve.inputs)
    shares = (
        np.linspace(0.0, 1.0, N_DENSE)[:, None] if n_inputs == 1 else rng.uniform(size=(N_DENSE, n_inputs))
    )
    within = _rows_at(curve, shares)
    largest = np.abs(truth_of(curve).to_callable()(within)).max()
    X = _rows_at(curve, shares * (1.0 + 2.0 * beyond) - beyond)
    with np.errstate(all="ignore"):
        is_defined = np.abs(truth_of(curve).to_callable()(X)) <= MOST_BEYOND * largest
    return X[is_defined & _keeps_signs(curve, X)]


def _measured_rows(curve: Curve, rng: np.random.Generator) -> Floats:
    if len(curve.inputs) == 1:
        return _at(curve.inputs[0], np.linspace(0.0, 1.0, curve.n_rows))[:, None]
    shares = rng.uniform(size=(curve.n_rows, len(curve.inputs)))
    return _rows_at(curve, shares)


def _rows_at(curve: Curve, shares: Floats) -> Floats:
    return np.column_stack([_at(each, shares[:, column]) for column, each in enumerate(curve.inputs)])


def _at(given: Input, share: Floats) -> Floats:
    if given.spacing == "geometric":
        return np.asarray(given.least * (given.largest / given.least) ** share)
    return given.least + (given.largest - given.least) * share


def _keeps_signs(curve: Curve, X: Floats) -> NDArray[np.bool_]:
    """Whether inputs that are never negative stay so: nobody measures at a negative concentration."""
    is_so = np.ones(len(X), dtype=bool)
    for column, each in enumerate(curve.inputs):
        if each.least >= 0.0:
            is_so &= X[:, column] >= 0.0
    return is_so
