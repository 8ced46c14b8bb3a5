"""Checks of the user's data. They do not change inputs, but may return the user's own array.

Every message names the column or row at fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsInt

import numpy as np
from numpy.typing import ArrayLike

from ddsr.data.arrays import Floats
from ddsr.data.times import check_no_times
from ddsr.errors import DataError

# Maximum number of observations: doubles can represent every whole number up to here.
MOST_COUNTED = 2**53
OR_PREPARE = ", or pass missing='drop' or missing='impute' to the estimator"


def as_rows(X: ArrayLike, variables: Sequence[str]) -> Floats:
    """Return X as doubles of shape (n_rows, n_variables)."""
    rows = _as_floats(X, "X")
    if rows.ndim != 2:
        raise DataError(f"X must be a table of rows and columns, got {rows.ndim} dimension(s)")
    if rows.shape[0] == 0 or rows.shape[1] == 0:
        raise DataError(f"X is empty: {rows.shape[0]} rows, {rows.shape[1]} columns")
    if rows.shape[1] != len(variables):
        raise DataError(f"X has {rows.shape[1]} columns, but the vocabulary has {len(variables)} variables")
    _check_names(X, variables)
    return rows


def check_finite(rows: Floats, variables: Sequence[str]) -> None:
    """Refuse rows with NaN or infinite values."""
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        is_missing = np.isnan(rows[row, column])
        raise DataError(
            f"X has {_describe(rows[row, column])} in row {row}, column {variables[column]!r}: "
            f"remove or fill such rows first{OR_PREPARE if is_missing else ''}"
        )


def check_rows(X: ArrayLike, variables: Sequence[str]) -> Floats:
    """Return X as finite doubles of shape (n_rows, n_variables)."""
    rows = as_rows(X, variables)
    check_finite(rows, variables)
    return rows


def check_target(y: ArrayLike, n_rows: int) -> Floats:
    """Return y as finite doubles of shape (n_rows,); refuse a constant y."""
    target = _as_column(y, "y", n_rows)
    if n_rows < 2:
        raise DataError("there is only one row; at least two are needed")
    if (target == target[0]).all():
        raise DataError(f"y is constant ({target[0]:g} in every row): there is nothing to predict")
    return target


def check_weights(
    weights: ArrayLike | None, n_rows: int, name: str = "sample_weight", what: str = "weights"
) -> Floats | None:
    """Return weights as doubles of shape (n_rows,), none negative and not all zero."""
    if weights is None:
        return None
    checked = _as_column(weights, name, n_rows)
    if (checked < 0).any():
        raise DataError(f"{name} is negative in row {int(np.argmax(checked < 0))}: {what} must be at least 0")
    if not checked.any():
        raise DataError(f"{name} is zero in every row: give at least one row a value above 0")
    return checked


def check_counts(counts: ArrayLike | None, n_rows: int) -> Floats | None:
    """Return counts as doubles of shape (n_rows,): whole numbers of at least 0, not all zero."""
    if counts is None:
        return None
    checked = _as_column(counts, "counts", n_rows)
    is_count = (checked >= 0) & (checked == np.round(checked))
    if not is_count.all():
        row = int(np.argmin(is_count))
        raise DataError(
            f"counts has {checked[row]:g} in row {row}, but counts must be whole numbers of at least 0: "
            "pass relative weights as sample_weight"
        )
    if not checked.any():
        raise DataError("counts is zero in every row: give at least one row a count above 0")
    if checked.sum() > MOST_COUNTED:
        raise DataError(
            f"counts sum to {checked.sum():g}, more than {MOST_COUNTED:g}: "
            "pass relative weights as sample_weight"
        )
    return checked


def _as_column(values: ArrayLike, name: str, n_rows: int) -> Floats:
    column = _as_floats(values, name)
    if column.ndim != 1:
        raise DataError(f"{name} must be one column, got shape {column.shape}")
    if len(column) != n_rows:
        raise DataError(f"{name} has {len(column)} rows, but X has {n_rows}")
    if not np.isfinite(column).all():
        row = int(np.argmin(np.isfinite(column)))
        raise DataError(f"{name} has {_describe(column[row])} in row {row}: remove or fill such rows first")
    return column


def _as_floats(values: ArrayLike, name: str) -> Floats:
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise DataError(f"{name} has masked values: remove or fill such rows first")
    try:
        found = np.asarray(values)
        if found.dtype.kind not in "biufO":
            check_no_times(found, name)
            raise DataError(f"{name} cannot be read as numbers: it has the type {found.dtype}")
        if found.dtype == object:
            check_no_times(found, name)
        with np.errstate(over="ignore"):  # overflow becomes infinite and is reported below
            return np.ascontiguousarray(found, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{name} cannot be read as a table of numbers: {error}") from error


def _check_names(X: object, variables: Sequence[str]) -> None:
    """Check that column names, if there are any, match the vocabulary's variables in order."""
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return
    for column, (given, expected) in enumerate(zip(columns, variables, strict=False)):
        if given != expected:
            raise DataError(
                f"column {column} of X is named {given!r}, but the vocabulary has {expected!r} there: "
                "pass the columns in the order of the vocabulary's variables"
            )


def check_whole(value: object, name: str, least: int, most: int = 2**31 - 1) -> int:
    """Return a whole number within limits."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    number = int(value) if is_whole and isinstance(value, SupportsInt) else least - 1
    if not least <= number <= most:
        raise DataError(f"{name} must be a whole number from {least} to {most}, got {value!r}")
    return number


def _describe(value: float) -> str:
    return "NaN" if np.isnan(value) else "an infinite value"
