"""Units written as products of the units of a table."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from ddsr.data.units import PARTS, Units

MOST_NAMED = 8  # different units that are combined
MOST_FACTORS = 3
LARGEST_DENOMINATOR = 12
SMALLEST = 1e-6
# As bad as this much of an exponent: a factor such as (m/s), and an exponent such as 1/2.
COMPOUND, FRACTION = 1.5, 1.5


def text_of(parts: Sequence[int], units: Units) -> str:
    """Return the simplest product of powers of the table's units that has these exponents; "" for a number.

    `parts` are multiples of 1 / PARTS, as in `Units.parts`. If there is no simple one, the result is "?".
    """
    if not any(parts):
        return ""
    columns, target, _ = units.parts
    known: dict[tuple[int, ...], str] = {}
    for unit, each in zip((units.target, *units.columns), (target, *columns), strict=True):
        if any(each):
            known.setdefault(tuple(each), unit.text)
    if tuple(parts) in known:
        return known[tuple(parts)]
    named = list(known.items())[:MOST_NAMED]
    wanted = np.array(parts, dtype=np.float64) / PARTS
    best: tuple[float, str] | None = None
    for size in range(1, MOST_FACTORS + 1):
        for some in combinations(named, size):
            powers = _powers(np.array([each for each, _ in some], dtype=np.float64) / PARTS, wanted)
            if powers is not None:
                cost = float(sum(abs(power) + FRACTION * (power.denominator > 1) for power in powers))
                cost += COMPOUND * sum(not name.isalpha() for _, name in some)
                text = _product([(name, power) for (_, name), power in zip(some, powers, strict=True)])
                best = min(best or (cost, text), (cost, text), key=lambda pair: pair[0])
        if best is not None:
            return best[1]
    return "?"


def _powers(
    rows: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    wanted: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> list[Fraction] | None:
    found, _, rank, _ = np.linalg.lstsq(rows.T, wanted, rcond=None)
    if rank < len(rows) or np.abs(rows.T @ found - wanted).max() > SMALLEST:
        return None
    return [Fraction(float(each)).limit_denominator(LARGEST_DENOMINATOR) for each in found]


def _product(factors: Sequence[tuple[str, Fraction]]) -> str:
    above = [_power(name, power) for name, power in factors if power > 0]
    below = [_power(name, -power) for name, power in factors if power < 0]
    return "/".join(["*".join(above) or "1", *below])


def _power(name: str, power: Fraction) -> str:
    bare = name if name.isalpha() else f"({name})"
    if power == 1:
        return bare
    return f"{bare}^{power}" if power.denominator == 1 else f"{bare}^({power})"
