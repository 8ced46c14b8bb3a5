"""Every fact of the operator table agrees with the operator's values."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ddsr.expression import OPERATORS, Operator
from ddsr.expression.operators import numpy_function

UNARY = [row for row in OPERATORS.values() if row.arity == 1]
# Symmetric around 0, with the edges of every domain and points just beyond them.
GRID = np.unique(np.concatenate([np.linspace(-3.0, 3.0, 121), [0.0, -1.0, 1.0, -1.0 - 1e-9, 1.0 + 1e-9]]))
SETS = {
    "positive": lambda x: x > 0.0,
    "nonnegative": lambda x: x >= 0.0,
    "unit": lambda x: np.abs(x) <= 1.0,
    "nonzero": lambda x: x != 0.0,
    "not_pole": lambda x: (x > 0.0) | (x != np.floor(x)),
    "all": lambda x: x == x,
}
"""smaller sets before those that contain them"""
unary = pytest.mark.parametrize("row", UNARY, ids=lambda row: row.name)


def values(row: Operator, operands: NDArray[np.float64] = GRID) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        return np.asarray(numpy_function(row)(operands), dtype=np.float64)


def agree(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether both are undefined in the same places and equal elsewhere."""
    one, other = (np.where(np.isfinite(each), each, np.nan) for each in (one, other))
    return np.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True)


@unary
def test_parity(row: Operator) -> None:
    found = [
        name for name, sign in (("odd", -1.0), ("even", 1.0)) if agree(values(row, -GRID), sign * values(row))
    ]
    assert [row.parity] == (found or [""])


@unary
def test_trend(row: Operator) -> None:
    steps = np.diff(values(row)[np.isfinite(values(row))])
    assert row.trend == ("rising" if (steps > 0.0).all() else "falling" if (steps < 0.0).all() else "")


@unary
def test_domain(row: Operator) -> None:
    np.testing.assert_array_equal(np.isfinite(values(row)), SETS[row.domain](GRID))


@unary
def test_range(row: Operator) -> None:
    found = values(row)[np.isfinite(values(row))]
    assert row.range == next(name for name, holds in SETS.items() if holds(found).all())


@unary
def test_period(row: Operator) -> None:
    shifts = [np.pi / 2.0, np.pi, 1.5 * np.pi, 2.0 * np.pi]
    least = next((shift for shift in shifts if agree(values(row, GRID + shift), values(row))), 0.0)
    assert row.period == pytest.approx(least)


@unary
def test_degree(row: Operator) -> None:
    operands = np.linspace(0.05, 0.45, 9)  # twice each is in every domain too
    with np.errstate(all="ignore"):
        degrees = np.log(values(row, 2.0 * operands) / values(row, operands)) / np.log(2.0)
    is_homogeneous = np.isfinite(degrees).all() and np.ptp(degrees) < 1e-9
    assert row.degree == pytest.approx(degrees[0] if is_homogeneous else 0.0)


@unary
def test_inverses_of_monotone_operators_hold_on_their_domain(row: Operator) -> None:
    for inner in UNARY:
        if row.undoes == inner.name:
            operands = GRID[np.isfinite(values(inner))]
            is_undone = agree(values(row, values(inner, operands)), operands)
            # 1/x, which has no trend, is its own inverse; abs, which has none either, has no inverse
            assert is_undone or not inner.trend
            assert is_undone == bool(inner.trend or inner.name == "inverse")


@pytest.mark.parametrize(
    "row", [row for row in OPERATORS.values() if row.arity == 2], ids=lambda row: row.name
)
def test_facts_are_about_one_operand(row: Operator) -> None:
    assert (row.parity, row.trend, row.domain, row.range) == ("", "", "all", "all")
    assert (row.period, row.degree) == (0.0, 0.0)
