"""Standard errors and confidence intervals of an equation's constants.

They are linearised, as in ordinary regression: near the fitted values, predictions count as linear in the
constants. With J the derivatives of the predictions and W the weights, the covariance of the free constants
is σ² (JᵀWJ)⁻¹, where σ² is the weighted sum of squared residuals over the degrees of freedom.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count

import numpy as np
import pandas as pd

from ddsr.data.arrays import Floats
from ddsr.errors import DataError
from ddsr.expression import Expression
from ddsr.price.description_length import LEAST_STRENGTH

MANY = 10**9  # degrees of freedom of a variance that is known


def intervals_table(
    equation: Expression,
    is_free: Sequence[bool],
    information: Floats,
    *,
    loss: float,
    n_observed: int,
    level: float,
    is_known: bool = False,
    units: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return one row per constant, named as in the text of the equation, which is in `attrs`.

    If `is_known`, `loss` is the variance of the errors rather than an estimate of it. `units` are those of
    the constants, if some may have one.
    """
    check_level(level)
    errors = standard_errors(is_free, information, loss, n_observed, is_known)
    order, names, text = named_constants(equation)
    values = np.array(equation.constants)[order]
    errors = errors[order]
    quantile = _quantile(level, MANY if is_known else n_observed - sum(is_free))
    reach = np.where(np.isfinite(errors), quantile * errors, np.inf)
    table = pd.DataFrame(
        {
            "value": values,
            "standard_error": errors,
            "low": values - reach,
            "high": values + reach,
            "is_exact": ~np.array(is_free, dtype=bool)[order],
        },
        index=pd.Index(names, name="constant"),
    )
    if units is not None:
        table["unit"] = [units[number] for number in order]
    table.attrs["equation"] = text
    return table


def check_level(level: object) -> None:
    """Refuse a level of confidence that is not a number between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0.0 < level < 1.0:
        raise DataError(f"level must be a number between 0 and 1, got {level!r}")


def standard_errors(
    is_free: Sequence[bool], information: Floats, loss: float, n_observed: int, is_known: bool = False
) -> Floats:
    """Return the standard error of each constant, all fitted jointly: 0 if fixed, infinite if undetermined.

    `information` is the mean, over all rows, of the products of derivatives, `loss` that of the squares, or
    the variance of the errors if it is known.
    """
    free = np.flatnonzero(is_free)
    errors = np.zeros(len(is_free))
    n_degrees = n_observed if is_known else n_observed - len(free)
    covariance = information[np.ix_(free, free)]
    if n_degrees <= 0 or not np.isfinite(covariance).all():
        errors[free] = np.inf
        return errors
    slopes = np.sqrt(np.diagonal(covariance))
    scale = np.where(slopes > 0.0, slopes, 1.0)
    strengths, directions = np.linalg.eigh(covariance / np.outer(scale, scale))
    is_known = strengths > LEAST_STRENGTH * max(1.0, strengths.max(initial=0.0))
    variance = (directions[:, is_known] ** 2 / strengths[is_known]).sum(axis=1)
    is_lost = (directions[:, ~is_known] ** 2).sum(axis=1) > np.sqrt(LEAST_STRENGTH)
    errors[free] = np.where(is_lost, np.inf, np.sqrt(loss / n_degrees * variance) / scale)
    return errors


def named_constants(equation: Expression) -> tuple[list[int], list[str], str]:
    """Return the order of the constants in the text, their names, and the text with the names.

    Constants of a template have their names there, the others are called c0, c1, ….
    """
    marked = equation.skeleton([f"\x00{number}\x00" for number in range(equation.n_constants)])
    order = list(dict.fromkeys(int(number) for number in re.findall("\x00([0-9]+)\x00", marked)))
    taken = {*equation.constant_names, *equation.vocabulary.variables}
    free = (name for name in (f"c{number}" for number in count()) if name not in taken)
    names = {number: equation.constant_names[number] or next(free) for number in order}
    text = re.sub("\x00([0-9]+)\x00", lambda match: names[int(match[1])], marked)
    return order, list(names.values()), text


def _quantile(level: float, n_degrees: int) -> float:
    """Return the two-sided quantile of Student's t; errors are infinite or 0 without degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(max(n_degrees, 1), 0.5 + level / 2))
