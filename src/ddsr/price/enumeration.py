"""All structures up to a price, fitted to the data, so that plain forms are never missed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log

import numpy as np

from ddsr import _core
from ddsr.deadline import NEVER, Deadline
from ddsr.engine import Engine, Floats
from ddsr.expression import Batch, Expression
from ddsr.price.costs import cost_of
from ddsr.price.structure_code import StructureCode
from ddsr.price.table_code import TableCode

MOST_NATS_OF_NUMBER = 6.0
STRUCTURAL = ("number", "constant", "variable", "power", "sum", "product")
LEAST_MEAN_SQUARE = 1e-300
# Nats of the size of a fitted constant, which lies within a few e-folds: log(7), minus log(2 pi)/2 from the
# posterior. Also defined in core/evolution/problem.cpp.
NATS_OF_SIZE = 1.0
AT_A_TIME = 200  # structures fitted between checks of the clock
TOLERANCE = 1e-8


@dataclass(frozen=True)
class FittedForm:
    """A structure with its constants fitted."""

    expression: Expression
    is_free: tuple[bool, ...]
    """whether each constant is fitted, instead of being a number of the structure"""
    nats: float
    """nats of the structure, and what users charge for its tokens"""
    mean_square: float
    """weighted mean square of the residuals"""

    @property
    def n_free(self) -> int:
        """Number of fitted constants."""
        return sum(self.is_free)

    def nats_of_form(self, n_rows: int) -> float:
        """Return the nats of the structure plus the least nats of its constants; precise ones cost more."""
        return self.nats + least_nats_of_constants(self.n_free, n_rows)

    def length(self, n_rows: int) -> float:
        """Return the nats of structure, constants and data, up to a term that all forms share."""
        return self.nats_of_form(n_rows) + 0.5 * n_rows * log(max(self.mean_square, LEAST_MEAN_SQUARE))


def least_nats_of_constants(n_free: int, n_rows: int) -> float:
    """Return k (log(N)/2 + 1) nats for k constants, plus the correction for few rows."""
    return n_free * (0.5 * log(n_rows) + NATS_OF_SIZE) + nats_of_few_rows(n_free, n_rows)


def nats_of_few_rows(n_free: int, n_rows: int) -> float:
    """Return the nats that k constants gain by fitting the noise of few rows (Hurvich and Tsai 1989)."""
    return n_free * (n_free + 1) / max(n_rows - n_free - 1, 1)


@lru_cache(maxsize=16)
def _cheapest(
    code: TableCode, n_variables: int, symbols: tuple[str, ...], most_nats: float, most: int
) -> _core.Structures:
    """Return the cheapest structures, each priced by whichever code of the table is shorter."""
    of_fitted, of_columns = code.nats_of_reading(n_variables)
    fitted = _cheapest_of(code.fitted, n_variables, symbols, most_nats - of_fitted, most)
    columns = _cheapest_of(code.columns, n_variables, symbols, most_nats - of_columns, most)
    return _core.merged_structures(fitted, of_fitted, columns, of_columns, most)


def _cheapest_of(
    code: StructureCode, n_variables: int, symbols: tuple[str, ...], most_nats: float, most: int
) -> _core.Structures:
    numbers = code.numbers.tables(MOST_NATS_OF_NUMBER)
    return _core.cheapest_structures(code.core, n_variables, list(symbols), numbers, most_nats, most)


class CheapForms:
    """At most `most` structures, the cheapest that the engine's vocabulary can express."""

    def __init__(self, engine: Engine, code: TableCode, most_nats: float, most: int) -> None:
        self.engine = engine
        names = set(engine.vocabulary.operators)
        symbols = tuple(name for name in _core.SYMBOLS if name in names or name in STRUCTURAL)
        n_variables = len(engine.vocabulary.variables)
        self._structures = _cheapest(code, n_variables, symbols, most_nats, most)

    def __len__(self) -> int:
        return len(self._structures)

    @cached_property
    def nats(self) -> Floats:
        """Price of each structure, in ascending order."""
        return self._structures.nats()

    def fit(
        self,
        *,
        n_starts: int,
        max_steps: int,
        deadline: Deadline = NEVER,
        fewest: int = AT_A_TIME,
        is_enough: Callable[[FittedForm], bool] = lambda form: False,
    ) -> list[FittedForm]:
        """Return the structures with a finite fit, cheapest first; `fewest` even after the deadline.

        Once a form `is_enough`, the fits stop after its group of structures.
        """
        found: list[FittedForm] = []
        for begin in range(0, len(self), AT_A_TIME):
            if begin >= fewest and deadline.has_passed:
                break
            fitted = self._fit(begin, min(begin + AT_A_TIME, len(self)), n_starts, max_steps)
            found += fitted
            if any(map(is_enough, fitted)):
                break
        return found

    def _fit(self, begin: int, end: int, n_starts: int, max_steps: int) -> list[FittedForm]:
        vocabulary, data = self.engine.vocabulary, self.engine.data
        tokens, constants, is_fixed, mean_squares, _ = self._structures.fit(
            vocabulary.core,
            data,
            begin,
            end,
            n_starts,
            max_steps,
            TOLERANCE,
            self.engine.seed,
            self.engine.n_threads,
            self.engine.units,
        )
        rows = np.flatnonzero(np.isfinite(mean_squares)).tolist()
        if not rows:
            return []
        batch = Batch(vocabulary, tokens[rows], constants[rows])
        return [
            FittedForm(
                expression,
                tuple(not flag for flag in is_fixed[row, : expression.n_constants].tolist()),
                float(self.nats[begin + row]) + cost_of(expression, self.engine.costs),
                float(mean_squares[row]),
            )
            for row, expression in zip(rows, batch, strict=True)
        ]
