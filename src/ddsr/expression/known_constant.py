"""Variables whose value is known and the same in every row, such as the gravitational constant G."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class KnownConstant(str):
    """The name of such a variable, with its value.

    A vocabulary has these names behind those of the inputs. Expressions print the name. The user's tables
    have no column for it: the value is filled in.
    """

    value: float

    def __new__(cls, name: str, value: float) -> KnownConstant:
        """Return the name with its value."""
        self = super().__new__(cls, name)
        self.value = float(value)
        return self

    def __getnewargs__(self) -> tuple[str, float]:  # type: ignore[override]
        return str(self), self.value


def known_among(names: Sequence[str]) -> tuple[KnownConstant, ...]:
    """Return the known constants among the names of variables."""
    return tuple(name for name in names if isinstance(name, KnownConstant))


def inputs_among(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of variables that are columns of the user's table."""
    return tuple(name for name in names if not isinstance(name, KnownConstant))


def with_known_constants(
    rows: NDArray[np.float64], known: Sequence[KnownConstant]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return rows with one more column for each known constant; the same array if there is none."""
    if not known:
        return rows
    added = np.broadcast_to([each.value for each in known], (len(rows), len(known)))
    return np.hstack([rows, added])
