"""Values of an expression over rows of data, in NumPy: the reference for the native engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ddsr.errors import DataError
from ddsr.expression.operators import numpy_function

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ddsr.expression.folded import Folded


def evaluate(expression: Folded, X: ArrayLike) -> NDArray[np.float64]:
    """Return f(X) of shape (n_rows,) as a new array; nan or ±inf where the expression is undefined."""
    vocabulary = expression.vocabulary
    data = _checked(X, len(vocabulary.inputs))
    known = [np.asarray(each.value) for each in vocabulary.known_constants]
    with np.errstate(all="ignore"):
        values = expression.fold(
            variable=lambda column: (
                data[:, column] if column < data.shape[1] else known[column - data.shape[1]]
            ),
            # constants become arrays: with Python floats, 1 / 0 raises and (-1)^0.5 is complex
            constant=np.asarray,
            one=np.asarray(1.0),
            apply=lambda row, operands: numpy_function(row)(*operands),
        )
    return np.array(np.broadcast_to(values, len(data)), dtype=np.float64)


def _checked(X: ArrayLike, n_variables: int) -> NDArray[np.float64]:
    try:
        data = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"X must contain only numbers: {error}") from None
    if data.ndim != 2 or data.shape[1] != n_variables:
        raise DataError(
            f"X must have the shape (n_rows, {n_variables}), one column per variable, not {data.shape}"
        )
    return data
