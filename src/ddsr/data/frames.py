"""Tables of pandas, polars or NumPy as arrays of doubles. Errors name the column.

Column names are kept and inputs are never altered. No table library is imported: the code only uses methods
that the table itself has.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import validate_data

from ddsr.data.arrays import Floats
from ddsr.data.checks import OR_PREPARE
from ddsr.data.times import check_no_times
from ddsr.errors import DataError, DataTypeError

MISSING = f"remove or fill such rows first{OR_PREPARE}"
# The beginning of NumPy's error message for text.
TEXT = "could not convert string to float"
ENCODE = (
    "encode text as numbers first, for example with pandas.get_dummies or scikit-learn's OrdinalEncoder, "
    "or drop the column"
)
ONE_HOT = "pass categories='one-hot' for one column of 0 and 1 per category, or drop the column"


@dataclass(frozen=True)
class Targets:
    """The targets, one column each."""

    columns: Floats
    """(n_rows, n_outputs)"""
    names: tuple[str, ...]
    """names in the table or series; without names, `y` for a single target, otherwise y0, y1, …"""
    is_one: bool
    """whether there is a single target, which may be a table of one column"""


def named_targets(names: Sequence[str | None]) -> tuple[str, ...]:
    """Return the names of targets, with default names where they are missing."""
    defaults = ["y"] if len(names) == 1 else [f"y{output}" for output in range(len(names))]
    return tuple(name or default for name, default in zip(names, defaults, strict=True))


@contextmanager
def naming(output: str | None) -> Iterator[None]:
    """Prefix errors with the name of the output, if one is given."""
    try:
        yield
    except DataError as error:
        if output is None:
            raise
        raise DataError(f"output {output!r}: {error}") from None


def read_rows(estimator: Any, X: ArrayLike, **options: Any) -> Floats:
    """Read X as scikit-learn does, which stores and checks the column names."""
    if X is None:
        raise DataError("X is None: pass a table with one row per observation")
    if hasattr(X, "to_frame") and not hasattr(X, "columns"):
        raise DataError("X must be a table, but is a single column: pass X.to_frame()")
    check_table(X, "X")
    check_no_times(X, "X")
    _check_has_columns(X)
    try:
        with _quiet_if_sparse(X):
            rows: Floats = validate_data(estimator, X, dtype=np.float64, ensure_all_finite=False, **options)
    except OverflowError as error:
        raise _too_large(X, "X") from error
    except (TypeError, ValueError) as error:
        raise _of_column(X, "X") or _of_text(error, "X") or _of_kind(error) from error
    return rows


def read_targets(y: ArrayLike) -> Targets:
    """Read y, one column or several."""
    if y is None:
        raise DataError("DDSRRegressor requires y to be passed, but the target y is None")
    check_table(y, "y")
    check_no_times(y, "y")
    try:
        found = np.asarray(y)
        if found.dtype.kind == "c":
            raise DataError("Complex data not supported: y must hold real numbers")
        columns = np.asarray(found, dtype=np.float64)
    except OverflowError as error:
        raise _too_large(y, "y") from error
    except (TypeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        known = _of_column(y, "y") or _of_text(error, "y")
        raise known or DataError(f"y cannot be read as numbers: {error}") from error
    if columns.ndim not in (1, 2) or (columns.ndim == 2 and columns.shape[1] == 0):
        raise DataError(
            "y should be a 1d array, or a table with one column per output, got an array of shape "
            f"{columns.shape} instead"
        )
    if columns.ndim == 1 or columns.shape[1] == 1:
        names = _column_names(y) or _column_names_of_series(y) or named_targets([None])
        return Targets(columns.reshape(-1, 1), names, is_one=True)
    names = _column_names(y) or named_targets([None] * columns.shape[1])
    return Targets(columns, names, is_one=False)


def check_table(table: Any, what: str) -> None:
    """Refuse lazy tables and duplicate names, for which scikit-learn has no clear message."""
    if hasattr(table, "collect") and hasattr(table, "collect_schema"):
        raise DataError(f"{what} is a lazy table: call its collect() first")
    if isinstance(table, np.ma.MaskedArray):
        _check_mask(table, what)
    names = _column_names(table)
    for column, name in enumerate(names):
        if not name:
            raise DataError(f"column {column} of {what} has an empty name: rename it")
        if not _is_text(name):
            raise DataError(f"the name of column {column} of {what}, {name!a}, is not valid text: rename it")
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(f"{what} has several columns named {repeated[0]!r}: rename all but one")


def _is_text(name: str) -> bool:
    """Return whether a name can be encoded; lone surrogates cannot."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def _quiet_if_sparse(table: Any) -> Iterator[None]:
    """Silence scikit-learn's warning about the conversion of sparse columns: it keeps their values."""
    if all(type(dtype).__name__ != "SparseDtype" for dtype in getattr(table, "dtypes", ())):
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "pandas.DataFrame with sparse columns")
        yield


def _check_has_columns(X: Any) -> None:
    """Refuse a table without columns; the message is the same for all kinds of tables."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) == 2 and shape[1] == 0:
        raise DataError(
            f"X has 0 feature(s) (shape=({shape[0]}, 0)) while a minimum of 1 is required: "
            "select at least one column"
        )


def _too_large(table: Any, what: str) -> DataError:
    """Return an error that names the first integer beyond double precision."""
    values = np.asarray(table, dtype=object)
    for place in np.ndindex(values.shape):
        value = values[place]
        if isinstance(value, int) and abs(value) > float(np.finfo(np.float64).max):
            names = getattr(table, "columns", None)
            name = f"x{place[-1]}" if names is None else names[place[-1]]
            column = f", column {name!r}" if len(place) == 2 else ""
            where = f"row {place[0]}{column}"
            return DataError(
                f"{what} has a number above 1.8e308 in {where}: rescale the column or remove such rows"
            )
    return DataError(f"{what} has numbers above 1.8e308, the limit of double precision: rescale them")


def _check_mask(table: np.ma.MaskedArray[Any, Any], what: str) -> None:
    """Refuse masked values: otherwise their underlying numbers would be read."""
    masked = np.argwhere(np.ma.getmaskarray(table))
    if len(masked):
        column = f", column 'x{masked[0][1]}'" if what == "X" and table.ndim == 2 else ""
        where = f"row {masked[0][0]}{column}"
        raise DataError(f"{what} has a missing (masked) value in {where}: {MISSING}")


def _column_names(table: Any) -> tuple[str, ...]:
    """Return the column names if all of them are text."""
    names = tuple(getattr(table, "columns", ()))
    return tuple(map(str, names)) if all(isinstance(name, str) for name in names) else ()


def _column_names_of_series(series: Any) -> tuple[str, ...]:
    """Return the name of a series, if it has one that is text."""
    name = getattr(series, "name", None)
    return (str(name),) if isinstance(name, str) and name and _is_text(name) else ()


def _of_column(table: Any, what: str) -> DataError | None:
    """Return the error of the first column that cannot be read, or None."""
    for name in getattr(table, "columns", ()):
        column = np.asarray(table[name])
        try:
            if column.dtype.kind not in "biufOSU":
                raise TypeError(f"it has the type {column.dtype}")
            np.asarray(column, dtype=np.float64)
        except (TypeError, ValueError) as error:
            missing = [row for row, value in enumerate(column) if _is_missing(value)]
            if missing:
                where = f"row {missing[0]}, column {name!r}"
                return DataError(f"{what} has a missing value in {where}: {MISSING}")
            reason = f"column {name!r} of {what} cannot be read as numbers: {error}"
            remedy = ONE_HOT if what == "X" else ENCODE
            return DataError(f"{reason}; {remedy}" if str(error).startswith(TEXT) else reason)
    return None


def _of_text(error: Exception, what: str) -> DataError | None:
    """Return an error that explains how to encode text, or None if the error is another one."""
    if not str(error).startswith(TEXT):
        return None
    remedy = ENCODE
    if what == "y":
        remedy = (
            f"use DDSRClassifier for classes, {ENCODE.replace('drop the column', 'choose another target')}"
        )
    return DataError(f"{what} contains text, such as {_quoted(error)}: {remedy}")


def _quoted(error: Exception) -> str:
    """Return the text that NumPy could not read as a number, in quotes."""
    given = str(error).removeprefix(TEXT).removeprefix(":").strip()
    return given.removeprefix("np.str_(").removesuffix(")")


def _of_kind(error: Exception) -> DataError:
    """Return scikit-learn's message about X, without the array that it prints."""
    text = str(error)
    first = text.split("\n")[0]
    if first.startswith("Complex data"):
        return DataError(f"{first}: X must hold real numbers")
    if first.startswith("Expected 2D array"):
        found = "one dimension" if "1D array" in first else "no dimensions"
        text = (
            f"X must be a table with one row per observation, but has {found}. Reshape your data: "
            "X.reshape(-1, 1) for a single column, X.reshape(1, -1) for a single row"
        )
    if "inhomogeneous shape" in text:
        text = f"X has rows of different lengths: {text}"
    return DataTypeError(text) if isinstance(error, TypeError) else DataError(text)


def _is_missing(value: object) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType")
