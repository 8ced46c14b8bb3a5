"""Description length: nats to write down a model, its constants, and then y given its predictions.

docs/selection.md derives the formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import Engine
from ddsr.expression import Expression
from ddsr.price.code_in_use import code_in_use
from ddsr.price.enumeration import nats_of_few_rows
from ddsr.price.table_code import TableCode
from ddsr.selection.model import Model

# Up to so many rows, what a model does between them is looked at.
FEW_ROWS = 200
# Residuals under this share of the root mean square of y are rounding; better ones are not told apart.
ROUNDING = 1e-13


@dataclass(frozen=True)
class DescriptionLength:
    """How many nats a model takes on the data of one engine.

    The structure code prices the structure and its numbers (docs/price.md). Free constants cost the digits
    that the data give them, and a correction for few rows.
    """

    n_rows: int
    spread: float
    least_nrmse: float
    """what is below it is rounding"""

    @classmethod
    def on(cls, engine: Engine) -> DescriptionLength:
        """For the data of an engine."""
        return cls(engine.n_counted, engine.spread, rounding_of(engine))

    def __call__(self, model: Model, nrmse: float, information: NDArray[np.float64]) -> float:
        """N log(RMSE) + structure + constants, up to a term that all models share.

        `information` is that of `Engine.refit`.
        """
        nrmse = max(nrmse, self.least_nrmse)
        few_rows = nats_of_few_rows(len(model.free_constants), self.n_rows)
        constants = few_rows + digits(model, nrmse * self.spread, information, self.n_rows)
        structure = nats_of_structure(model.expression, tuple(model.is_fixed))
        return float(self.n_rows * np.log(nrmse) + structure + constants)


def digits(model: Model, rmse: float, information: NDArray[np.float64], n_rows: int) -> float:
    """log(|c| / δ) for each free constant c, δ being how well the data know it if the others are given.

    But at least log(N)/2, or a constant that is hardly told from 0 would cost less than the noise that it
    fits. Where the derivative's square overflows, the digits are many and not infinitely many.
    """
    is_free = ~np.array(model.is_fixed, dtype=bool)
    slopes = np.sqrt(np.diagonal(information)[: len(is_free)][is_free])
    with np.errstate(all="ignore"):  # what overflows is replaced below
        sizes = np.abs(model.free_constants) * slopes * np.sqrt(n_rows) / rmse
    finite_sizes = np.nan_to_num(sizes, nan=np.finfo(np.float64).max)
    return float(np.log(np.maximum(finite_sizes, np.sqrt(n_rows))).sum())


def nats_of_structure(expression: Expression, is_fixed: tuple[bool, ...]) -> float:
    """Nats of an equation without the digits of its fitted constants."""
    return _nats_of_structure(code_in_use(), expression, is_fixed)


@lru_cache(maxsize=20_000)
def _nats_of_structure(code: TableCode, expression: Expression, is_fixed: tuple[bool, ...]) -> float:
    is_free = [not each for each in is_fixed]
    return float(code.prices([expression], [is_free])[0])


def rounding_of(engine: Engine) -> float:
    """The NRMSE that the rounding of y and of the predictions explains."""
    return ROUNDING * engine.root_mean_square / engine.spread
