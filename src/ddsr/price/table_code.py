"""Structure code for tables, in which few or all symbols of a law may be columns.

In a table of one column, nearly everything else in a law is a fitted constant. In a table of six columns, a
law often has no fitted constant. So there are two codes, learned from the same formulas: one reads only their
variables as columns, the other all their symbols. The number of columns gives the probability of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log

import numpy as np

from ddsr import _core
from ddsr.engine import Floats
from ddsr.expression import Expression
from ddsr.price.structure_code import (
    CHOICES,
    FORMS,
    NUMBERS,
    Description,
    StructureCode,
    read_counts,
)

OF_COLUMNS = "column_"
WIDTHS = "widths.tsv"
MOST_NATS_OF_CANDIDATES = 12.0  # maximum nats of a number in a structure that the search prices
MOST_COLUMNS = 8  # tables with more columns are priced as if they had this many


@dataclass(frozen=True)
class Reading:
    """Formulas in which some or all symbols are read as columns."""

    described: Sequence[Description]
    widths: Counter[int]
    """number of formulas by their number of columns"""

    @classmethod
    def of(cls, described: Iterable[Description]) -> Reading:
        """Return a reading of encoded formulas."""
        every = list(described)
        return cls(every, Counter(min(max(len(set(each.variables)), 1), MOST_COLUMNS) for each in every))


class TableCode:
    """The nats of structures by the shorter of two codes, including the choice between them."""

    def __init__(
        self,
        fitted: StructureCode,
        columns: StructureCode,
        widths: tuple[Mapping[int, int], Mapping[int, int]],
    ) -> None:
        self.fitted = fitted
        """code for laws in which some symbols are columns and the others fitted constants"""
        self.columns = columns
        """code for laws in which all symbols are columns"""
        self._widths = widths

    @classmethod
    def learned(cls, fitted: Reading, columns: Reading) -> TableCode:
        """Learn the codes from formulas that people use, read in both ways."""
        codes = StructureCode.learned(fitted.described), StructureCode.learned(columns.described)
        return cls(*codes, (fitted.widths, columns.widths))

    @classmethod
    def shipped(cls) -> TableCode:
        """Return the package's own code."""
        return _shipped()

    def nats_of_reading(self, n_columns: int) -> tuple[float, float]:
        """Return the nats of each reading of a law in a table: with fitted constants, with columns only."""
        fitted, columns = (widths.get(min(n_columns, MOST_COLUMNS), 0) + 1.0 for widths in self._widths)
        return log((fitted + columns) / fitted), log((fitted + columns) / columns)

    def price_of_candidates(self, n_columns: int) -> _core.TablePrice:
        """Return the price for the search, in which all constants are fitted."""
        of_fitted, of_columns = self.nats_of_reading(n_columns)
        numbers_of_fitted, numbers_of_columns = (
            code.numbers.tables(MOST_NATS_OF_CANDIDATES) for code in (self.fitted, self.columns)
        )
        return _core.TablePrice(
            self.fitted.core, of_fitted, numbers_of_fitted, self.columns.core, of_columns, numbers_of_columns
        )

    def prices(self, expressions: Sequence[Expression], is_free: Sequence[Sequence[bool]]) -> Floats:
        """Return the nats of expressions without their free constants' digits; see `StructureCode.prices`."""
        n_columns = len(expressions[0].vocabulary.variables)
        of_fitted, of_columns = self.nats_of_reading(n_columns)
        return np.minimum(
            self.fitted.prices(expressions, is_free) + of_fitted,
            self.columns.prices(expressions, is_free) + of_columns,
        )


@cache
def _shipped() -> TableCode:
    folder = files("ddsr.price")
    lines = [[int(each) for each in line.split("\t")] for line in (folder / WIDTHS).read_text().splitlines()]
    widths = {n: fitted for n, fitted, _ in lines}, {n: columns for n, _, columns in lines}
    fitted, columns = (StructureCode(read_counts(*_texts(prefix))) for prefix in ("", OF_COLUMNS))
    return TableCode(fitted, columns, widths)


def _texts(prefix: str) -> Iterator[str]:
    folder = files("ddsr.price")
    for name in (CHOICES, NUMBERS, FORMS):
        yield (folder / f"{prefix}{name}").read_text()
