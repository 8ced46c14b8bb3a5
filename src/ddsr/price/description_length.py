"""Description length: nats to encode a model, its constants, and y given its predictions.

docs/selection.md derives the formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import NO_COSTS, Engine
from ddsr.expression import Expression
from ddsr.price.code_in_use import code_in_use
from ddsr.price.costs import cost_of
from ddsr.price.enumeration import NATS_OF_SIZE, nats_of_few_rows
from ddsr.price.exponents import nats_of_exponents
from ddsr.price.model import Model
from ddsr.price.rounding import rounding_of
from ddsr.price.table_code import TableCode

# Largest number of rows for which a model's behaviour between the rows is checked.
FEW_ROWS = 200
NATS_OF_REDUNDANT = 12.0  # like a number that is rare in formulas
# Relative strength below which the data do not determine a direction of the scaled constants.
LEAST_STRENGTH = 1e-12


@dataclass(frozen=True)
class DescriptionLength:
    """Description length of models on the data of one engine, in nats.

    The structure code prices the structure and its numbers (docs/price.md). Free constants cost the digits
    that the data determine, and a correction for few rows.
    """

    n_rows: int
    spread: float
    least_nrmse: float
    """NRMSE below which errors are rounding"""
    costs: Mapping[str, float] = field(default_factory=lambda: NO_COSTS)
    """nats that users charge for each use of an operator or a variable, by name"""

    @classmethod
    def on(cls, engine: Engine) -> DescriptionLength:
        """Return the description length for the data of an engine."""
        return cls(engine.n_counted, engine.spread, rounding_of(engine), engine.costs)

    def __call__(self, model: Model, nrmse: float, information: NDArray[np.float64]) -> float:
        """Return N log(RMSE) + structure + constants, up to a term that all models share.

        `information` comes from `Engine.refit`.
        """
        nrmse = max(nrmse, self.least_nrmse)
        few_rows = nats_of_few_rows(len(model.free_constants), self.n_rows)
        constants = few_rows + digits(model, nrmse * self.spread, information, self.n_rows)
        structure = nats_of_structure(model.expression, tuple(model.is_fixed))
        structure += cost_of(model.expression, self.costs)
        structure += NATS_OF_REDUNDANT * n_redundant(model, information)
        constants += nats_of_exponents(model)
        return float(self.n_rows * np.log(nrmse) + structure + constants)


def digits(model: Model, rmse: float, information: NDArray[np.float64], n_rows: int) -> float:
    """Return the nats of the free constants, to the precision with which the data determine them jointly.

    This is half the log determinant of the information on log |c|, plus `NATS_OF_SIZE` per constant.
    Constants that are determined only together, such as slope and intercept of a line far from the origin,
    cost no more than elsewhere. No direction costs less than log(N)/2: otherwise a constant that hardly
    differs from 0 would pay for itself by fitting noise.
    """
    rows = np.flatnonzero(~np.array(model.is_fixed, dtype=bool))
    with np.errstate(all="ignore"):  # overflows are replaced below
        sizes = np.abs(model.free_constants) * np.sqrt(n_rows) / rmse
        joint = information[np.ix_(rows, rows)] * sizes * sizes[:, None]
    if np.isfinite(joint).all():
        directions = np.linalg.eigvalsh(joint)
    else:  # slopes are infinite: price many digits, but not infinitely many
        directions = np.nan_to_num(np.diagonal(joint), nan=np.finfo(np.float64).max)
    return float(0.5 * np.log(np.maximum(directions, n_rows)).sum()) + NATS_OF_SIZE * len(rows)


def n_redundant(model: Model, information: NDArray[np.float64]) -> int:
    """Count the constants of a filled template that others make redundant, such as c in A * (c * x).

    Without a template there are none: expressions are simplified, but not across a template's edge.
    """
    if not model.expression.is_filled:
        return 0
    rows = np.flatnonzero(~np.array(model.is_fixed, dtype=bool))
    joint = information[np.ix_(rows, rows)]
    slopes = np.sqrt(np.diagonal(joint))
    is_measured = np.isfinite(slopes) & (slopes > 0.0)
    if not is_measured.all() or not np.isfinite(joint).all():
        return 0
    return int((np.linalg.eigvalsh(joint / np.outer(slopes, slopes)) < LEAST_STRENGTH).sum())


def nats_of_structure(expression: Expression, is_fixed: tuple[bool, ...]) -> float:
    """Return the nats of an equation without the digits of its fitted constants."""
    return _nats_of_structure(code_in_use(), expression, is_fixed)


@lru_cache(maxsize=20_000)
def _nats_of_structure(code: TableCode, expression: Expression, is_fixed: tuple[bool, ...]) -> float:
    is_free = [not each for each in is_fixed]
    return float(code.prices([expression], [is_free])[0])
