"""Tables that users hand in, pandas, polars or NumPy, as arrays of doubles; what is wrong is said by column.

Names are kept as they are. Nothing is altered, and no library of tables is imported: what a table can do is
asked of the table itself.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from ddsr.errors import DataError, DataTypeError
from ddsr.times import check_no_times

Floats = NDArray[np.float64]
# How NumPy's error for text begins.
TEXT = "could not convert string to float"
ENCODE = (
    "encode text as numbers first, for example with pandas.get_dummies or scikit-learn's OrdinalEncoder, "
    "or drop it"
)


@dataclass(frozen=True)
class Targets:
    """What is to be explained, a column each."""

    columns: Floats
    """(n_rows, n_outputs)"""
    names: tuple[str, ...]
    """`y`, where there is one, and else the table's own, or y0, y1, …"""
    is_one: bool
    """whether there is a single one; a table of one column is that too"""


def read_rows(estimator: Any, X: ArrayLike, **options: Any) -> Floats:
    """X in scikit-learn's manner, which keeps and checks the names of its columns."""
    if X is None:
        raise DataError("X is None: pass a table with a row for each observation")
    _check_is_table(X, "X")
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
    """y, one column or several."""
    if y is None:
        raise DataError("DDSRRegressor requires y to be passed, but the target y is None")
    _check_is_table(y, "y")
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
        told = _of_column(y, "y") or _of_text(error, "y")
        raise told or DataError(f"y cannot be read as numbers: {error}") from error
    if columns.ndim not in (1, 2) or (columns.ndim == 2 and columns.shape[1] == 0):
        raise DataError(
            "y should be a 1d array, or a table with a column for each output, got an array of shape "
            f"{columns.shape} instead"
        )
    if columns.ndim == 1 or columns.shape[1] == 1:
        return Targets(columns.reshape(-1, 1), ("y",), is_one=True)
    names = _column_names(y) or tuple(f"y{k}" for k in range(columns.shape[1]))
    return Targets(columns, names, is_one=False)


def _check_is_table(table: Any, what: str) -> None:
    """Refuse what scikit-learn would not name: a plan of a table, columns that cannot be told apart."""
    if hasattr(table, "collect") and hasattr(table, "collect_schema"):
        raise DataError(f"{what} is a lazy table: collect() it first")
    if isinstance(table, np.ma.MaskedArray):
        _check_mask(table, what)
    names = _column_names(table)
    for column, name in enumerate(names):
        if not name:
            raise DataError(f"column {column} of {what} has an empty name: give it one")
        if not _is_text(name):
            raise DataError(f"the name of column {column} of {what}, {name!a}, is not text: give it another")
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(f"{what} has several columns called {repeated[0]!r}: names must differ")
    check_no_times(table, what)


def _is_text(name: str) -> bool:
    """Whether a name can be written to a file: half of a surrogate pair cannot."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def _quiet_if_sparse(table: Any) -> Iterator[None]:
    """Keep scikit-learn from warning that sparse columns are converted: their values are the same."""
    if all(type(dtype).__name__ != "SparseDtype" for dtype in getattr(table, "dtypes", ())):
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "pandas.DataFrame with sparse columns")
        yield


def _check_has_columns(X: Any) -> None:
    """Refuse a table without columns, for which pandas, polars and scikit-learn have other words each."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) == 2 and shape[1] == 0:
        raise DataError(
            f"X has 0 feature(s) (shape=({shape[0]}, 0)) while a minimum of 1 is required: "
            "select at least one column"
        )


def _too_large(table: Any, what: str) -> DataError:
    """Where the first whole number is that double precision cannot hold."""
    values = np.asarray(table, dtype=object)
    for place in np.ndindex(values.shape):
        value = values[place]
        if isinstance(value, int) and abs(value) > float(np.finfo(np.float64).max):
            names = getattr(table, "columns", None)
            name = f"x{place[-1]}" if names is None else names[place[-1]]
            column = f", column {name!r}" if len(place) == 2 else ""
            where = f"row {place[0]}{column}"
            return DataError(f"{what} has a number above 1.8e308 in {where}: rescale it, or remove such rows")
    return DataError(f"{what} has numbers above 1.8e308, the largest of double precision: rescale them")


def _check_mask(table: np.ma.MaskedArray[Any, Any], what: str) -> None:
    """Refuse masked values, whose numbers would be read as if nothing were missing."""
    masked = np.argwhere(np.ma.getmaskarray(table))
    if len(masked):
        column = f", column 'x{masked[0][1]}'" if what == "X" and table.ndim == 2 else ""
        where = f"row {masked[0][0]}{column}"
        raise DataError(f"{what} has a missing (masked) value in {where}: remove or fill such rows first")


def _column_names(table: Any) -> tuple[str, ...]:
    """The columns' names, if all of them are text."""
    names = tuple(getattr(table, "columns", ()))
    return tuple(map(str, names)) if all(isinstance(name, str) for name in names) else ()


def _of_column(table: Any, what: str) -> DataError | None:
    """What is wrong with the first column that cannot be read; None where no column is at fault."""
    for name in getattr(table, "columns", ()):
        column = np.asarray(table[name])
        try:
            if column.dtype.kind not in "biufOSU":
                raise TypeError(f"it is of type {column.dtype}")
            np.asarray(column, dtype=np.float64)
        except (TypeError, ValueError) as error:
            missing = [row for row, value in enumerate(column) if _is_missing(value)]
            if missing:
                where = f"row {missing[0]}, column {name!r}"
                return DataError(f"{what} has a missing value in {where}: remove or fill such rows first")
            reason = f"column {name!r} of {what} cannot be read as numbers: {error}"
            return DataError(f"{reason}; {ENCODE}" if str(error).startswith(TEXT) else reason)
    return None


def _of_text(error: Exception, what: str) -> DataError | None:
    """Explain how to encode text; None where the error is another one."""
    return DataError(f"{what} holds text: {error}; {ENCODE}") if str(error).startswith(TEXT) else None


def _of_kind(error: Exception) -> DataError:
    """What scikit-learn says of X, without the whole array, which it prints too."""
    text = str(error)
    first, last = text.split("\n")[0], text.split("\n")[-1]
    if first.startswith("Complex data"):
        return DataError(f"{first}: X must hold real numbers")
    if first.startswith("Expected 2D array"):
        text = f"{first.removesuffix(':')}. {last}"
    if "inhomogeneous shape" in text:
        text = f"X has rows of different lengths: {text}"
    return DataTypeError(text) if isinstance(error, TypeError) else DataError(text)


def _is_missing(value: object) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType")
