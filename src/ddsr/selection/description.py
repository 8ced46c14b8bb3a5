"""Description length: nats to write down a model, its constants, and then y given its predictions.

docs/selection.md derives the formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import Engine
from ddsr.expression import Expression
from ddsr.price.code_in_use import code_in_use
from ddsr.price.enumeration import nats_of_few_rows
from ddsr.price.simple_numbers import FREE, is_exact, nats_of
from ddsr.price.structure_code import StructureCode
from ddsr.selection.model import Model

# Up to so many rows the structure is priced by the code that was learned from formulas.
FEW_ROWS = 200
# However few the rows are: of eight planets' periods nothing but the shortest law is to be learned.
LEAST_NATS_PER_TOKEN = 2.0
# Residuals under this share of the root mean square of y are rounding; better ones are not told apart.
ROUNDING = 1e-13


class DescriptionLength(Protocol):
    """How many nats a model takes on the data of one engine."""

    @property
    def is_of_functions(self) -> bool:
        """Whether it is meant for models as `ddsr.selection.canonical` writes them."""
        ...

    def __call__(self, model: Model, nrmse: float, information: NDArray[np.float64]) -> float:
        """Nats, up to a term that all models share; `information` is that of `Engine.refit`."""
        ...


@dataclass(frozen=True)
class PreciseLength:
    """Free constants cost the digits that the data give them; settled ones what it takes to write them."""

    n_rows: int
    spread: float
    least_nrmse: float
    """what is below it is rounding"""

    is_of_functions: ClassVar[bool] = False

    @classmethod
    def on(cls, engine: Engine) -> PreciseLength:
        """For the data of an engine."""
        return cls(engine.n_counted, engine.spread, rounding_of(engine))

    def __call__(self, model: Model, nrmse: float, information: NDArray[np.float64]) -> float:
        """N log(RMSE) + log(vocabulary) a token, ½ log(N) at most, + the constants.

        A token cannot say more than the rows can tell: √N values of anything apart. On few rows and with many
        columns the vocabulary alone would leave nothing but a variable.
        """
        nrmse = max(nrmse, self.least_nrmse)
        told_by_rows = max(0.5 * np.log(self.n_rows), LEAST_NATS_PER_TOKEN)
        nats_per_token = min(np.log(len(model.expression.vocabulary)), told_by_rows)
        structure = len(model.expression) * nats_per_token
        settled = sum(map(nats_of, model.fixed_constants))
        free = FREE * len(model.free_constants) + digits(model, nrmse * self.spread, information, self.n_rows)
        return float(self.n_rows * np.log(nrmse) + structure + settled + free)


@dataclass(frozen=True)
class FewRowsLength:
    """Description length for small tables: the structure code prices the structure (docs/price.md).

    Few rows leave the choice to the prices. Constants cost their digits and a correction for few rows.
    """

    n_rows: int
    spread: float
    least_nrmse: float
    """what is below it is rounding"""

    is_of_functions: ClassVar[bool] = True

    @classmethod
    def on(cls, engine: Engine) -> FewRowsLength:
        """For the data of an engine."""
        return cls(engine.n_counted, engine.spread, rounding_of(engine))

    def __call__(self, model: Model, nrmse: float, information: NDArray[np.float64]) -> float:
        """N log(RMSE) + structure + constants."""
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


def length_on(engine: Engine) -> DescriptionLength:
    """The description length for the data of an engine."""
    return FewRowsLength.on(engine) if engine.n_rows <= FEW_ROWS else PreciseLength.on(engine)


def nats_of_structure(expression: Expression, is_fixed: tuple[bool, ...]) -> float:
    """Nats of an equation without the digits of its fitted constants."""
    return _nats_of_structure(code_in_use(), expression, is_fixed)


@lru_cache(maxsize=20_000)
def _nats_of_structure(code: StructureCode, expression: Expression, is_fixed: tuple[bool, ...]) -> float:
    is_free = [not each for each in is_fixed]
    return float(code.prices([expression], [is_free])[0])


@dataclass(frozen=True)
class PlainLength:
    """log(N)/2 a free constant or cut decimal, and `nats_per_token` a token; other constants cost no more."""

    n_rows: int
    least_nrmse: float
    """what is below it is rounding"""
    nats_per_token: float = 2.7

    is_of_functions: ClassVar[bool] = False

    @classmethod
    def on(cls, engine: Engine) -> PlainLength:
        """For the data of an engine."""
        return cls(engine.n_counted, rounding_of(engine))

    def __call__(self, model: Model, nrmse: float, information: NDArray[np.float64]) -> float:
        """N log(RMSE) + log(N)/2 a free constant + nats a token."""
        n_free = len(model.is_fixed) - sum(map(is_exact, model.fixed_constants))
        constants = 0.5 * np.log(self.n_rows) * n_free
        tokens = self.nats_per_token * len(model.expression)
        return float(self.n_rows * np.log(max(nrmse, self.least_nrmse)) + constants + tokens)


def rounding_of(engine: Engine) -> float:
    """The NRMSE that the rounding of y and of the predictions explains."""
    return ROUNDING * engine.root_mean_square / engine.spread
