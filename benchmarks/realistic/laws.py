"""Real measurements with an accepted law: PMLB's sets `first_principles_*`, which are not in the repository.

An answer is compared with the law as fitted to the data, on the rows and between them. These sets are never
used for tuning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
from scipy.optimize import least_squares

from benchmarks.realistic.shapes import Shape
from benchmarks.realistic.tables import OPERATORS, Floats, Table
from ddsr import Expression, Vocabulary

PREFIX, SUFFIX, TARGET = "first_principles_", ".tsv.gz", "target"
N_DENSE = 400
LETTER = re.compile(r"\b[a-d]\b")
LARGE = 1e6  # residual where a law has no value
WIDE = 100.0  # columns whose largest and smallest values have a larger ratio are spaced geometrically


@dataclass(frozen=True)
class Law:
    """A form whose letters are constants, with starting values for their fit."""

    form: str
    """in v1, v2, ...: the columns in order"""
    starts: Mapping[str, float]


SUPERNOVA = Law("a / (b * exp(c * v1) + exp(-d * v1))", {"a": 1.1, "b": 0.6, "c": 0.04, "d": 0.2})
LAWS: Mapping[str, Law] = {
    "hubble": Law("c * v1", {"c": 475.0}),
    "kepler": Law("c * v1^1.5", {"c": 365.0}),
    "newton": Law("log(c * v2 * v3 / v1^2)", {"c": 6.67e-11}),
    "ideal_gas": Law("log(c * v1 * v2 / v3)", {"c": 8.31}),
    "planck": Law("3 * log(v1) - c - d * v1 / v2 - log(1 - exp(-d * v1 / v2))", {"c": 114.7, "d": 4.8e-11}),
    "rydberg": Law("-log(c * (1 / v1^2 - 1 / v2^2))", {"c": 1.097e7}),
    "leavitt": Law("b - a * v1", {"a": 2.0, "b": 15.6}),
    "schechter": Law("-a - b * log(v1) - c * v1", {"a": 2.0, "b": 1.2, "c": 4e-9}),
    "bode": Law("a + b * exp(c * v1)", {"a": 0.4, "b": 0.15, "c": 0.69}),
    "tully_fisher": Law("-a - b * log(v1)", {"a": 4.0, "b": 2.6}),
    "absorption": Law("log(1 / (a + exp(-b * v1)))", {"a": 0.03, "b": 0.2}),
    "supernovae_zg": SUPERNOVA,
    "supernovae_zr": SUPERNOVA,
}


@dataclass(frozen=True, eq=False)
class RealSet:
    """A table with an accepted law."""

    name: str
    table: Table
    shape: Shape
    """the law fitted to the table, and rows between those of the table"""


def why_absent(folder: Path) -> str | None:
    """Return why the sets cannot be read; None if they can."""
    missing = [name for name in LAWS if not path_of(folder, name).is_file()]
    return f"{folder} lacks the real sets {', '.join(missing)}" if missing else None


def path_of(folder: Path, name: str) -> Path:
    """The file of a set in PMLB's layout."""
    return folder / f"{PREFIX}{name}{SUFFIX}"


@cache
def read_set(folder: Path, name: str) -> RealSet:
    """Read one of the sets."""
    import pandas

    frame = pandas.read_csv(path_of(folder, name), sep="\t").astype(np.float64)
    table = Table(frame.drop(columns=TARGET).to_numpy(), frame[TARGET].to_numpy())
    return RealSet(name, table, shape_of_law(LAWS[name], table))


def shape_of_law(law: Law, table: Table) -> Shape:
    """Fit the constants of a law to a table. A letter has the same value everywhere."""
    vocabulary = Vocabulary([f"v{column + 1}" for column in range(table.X.shape[1])], OPERATORS)
    starts = np.array(list(law.starts.values()))

    def with_values(shares: Floats) -> Expression:
        values = dict(zip(law.starts, shares * starts, strict=True))
        text = LETTER.sub(lambda found: f"({float(values[found[0]])!r})", law.form)
        return Expression.parse(text, vocabulary)

    def residuals(shares: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.nan_to_num(with_values(shares).to_callable()(table.X) - table.y, nan=LARGE)

    fitted = least_squares(residuals, np.ones(len(starts)), x_scale="jac", xtol=1e-12, ftol=1e-12)
    return Shape(with_values(fitted.x), rows_between(table.X))


def rows_between(X: Floats) -> Floats:
    """The rows of a table, and rows between them.

    With one column, each gap between neighbours gets equally many. With several, they lie between random
    pairs of rows, which preserves relations such as v1 < v2.
    """
    is_wide = (X.min(axis=0) > 0.0) & (X.max(axis=0) > WIDE * X.min(axis=0))
    scaled = np.where(is_wide, np.log(np.where(is_wide, X, 1.0)), X)
    if X.shape[1] == 1:
        known = np.unique(scaled)
        places = np.linspace(0.0, len(known) - 1.0, max(N_DENSE, len(known)))
        between = np.interp(places, np.arange(len(known)), known)[:, None]
    else:
        rng = np.random.default_rng(crc32(X.tobytes()))
        pairs = rng.integers(len(X), size=(N_DENSE, 2))
        shares = rng.uniform(size=(N_DENSE, 1))
        between = shares * scaled[pairs[:, 0]] + (1.0 - shares) * scaled[pairs[:, 1]]
    rows = np.vstack([scaled, between])
    return np.where(is_wide, np.exp(np.where(is_wide, rows, 0.0)), rows)
