"""A check of units that knows nothing of the rules: other base units change no law."""

import numpy as np

from ddsr import Expression
from ddsr.data.units import Units
from ddsr.engine import values

NEARLY_ZERO = 1e-3
ROWS = np.random.default_rng(3).uniform(0.6, 2.4, size=(40, 12))


def in_other_units(units: Units, rows: np.ndarray, seed: int = 0) -> tuple[np.ndarray, float]:
    """The rows in units of other sizes, and the size of the target's old unit in the new one."""
    sizes = np.random.default_rng(seed).uniform(-0.7, 0.7, size=units.matrix.shape[1])
    factors = np.exp(units.matrix @ sizes)
    return rows * factors[:-1], float(factors[-1])


def holds_in_all_units(equation: Expression, units: Units) -> bool:
    """Whether values in other units are the same quantities, where they are defined."""
    rows = ROWS[:, : len(units.names)]
    before = values([equation], rows)[0][0]
    for seed in range(3):
        scaled, factor = in_other_units(units, rows, seed)
        after = values([equation], scaled)[0][0]
        # what is nearly 0 may be the rounding of a difference
        both = np.isfinite(before) & np.isfinite(after) & (np.abs(before) > NEARLY_ZERO)
        if not np.allclose(after[both], factor * before[both], rtol=1e-6):
            return False
    return True
