"""Refuse dates and durations in tables: as numbers they depend on a unit."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ddsr.errors import DataError

DATES = (datetime.date, datetime.time, np.datetime64)  # a datetime is a date
DURATIONS = (datetime.timedelta, np.timedelta64)
# Names of column types in NumPy, pandas, polars and Arrow.
DATE_TYPES = ("date", "time", "period")
DURATION_TYPES = ("timedelta", "duration")
REMEDIES = {
    "dates": "convert them to numbers first, for example days since the start, or drop them",
    "durations": "convert them to numbers first, for example seconds, or drop them",
}
DAYS = "pass dates='days' for the days since the first, or drop them"


def check_no_times(table: Any, what: str) -> None:
    """Raise `DataError` for a table, a column or an array that contains dates or durations."""
    for name, kind in _times(table):
        where = what if name is None else f"column {name!r} of {what}"
        is_input = name is not None and what == "X" and kind == "dates"
        raise DataError(f"{where} contains {kind}: {DAYS if is_input else REMEDIES[kind]}")


def kind_of(values: Any) -> str | None:
    """Return whether an array contains dates or durations; None if it contains neither."""
    return _kind_of_list(values)


def _times(table: Any) -> Iterator[tuple[object, str]]:
    """Yield the name of each such column (None for an array) and what it contains."""
    names, types = getattr(table, "columns", None), getattr(table, "dtypes", None)
    if hasattr(table, "column_names") and hasattr(table, "schema"):  # Arrow
        names, types = table.column_names, table.schema.types
    if names is not None and types is not None:
        for name, dtype in zip(names, list(types), strict=False):
            kind = _kind_of_type(dtype)
            if kind is None and _is_object(dtype):
                kind = _kind_of_values(np.asarray(table[name]))
            if kind is not None:
                yield name, kind
        return
    dtype = getattr(table, "dtype", getattr(table, "type", None))  # Arrow calls it type
    kind = _kind_of_type(dtype)
    if kind is None and (isinstance(table, Sequence) or _is_object(dtype)):
        kind = _kind_of_list(table)
    if kind is not None:
        yield None, kind


def _kind_of_type(dtype: object) -> str | None:
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        return _kind_of_type(getattr(categories, "dtype", None)) or _kind_of_list(categories)
    name = str(dtype).lower().removeprefix("dictionary<values=")  # Arrow's categories
    if name.startswith(DURATION_TYPES):
        return "durations"
    return "dates" if name.startswith(DATE_TYPES) else None


def _is_object(dtype: object) -> bool:
    return str(dtype).lower().startswith("object")


def _kind_of_list(values: Any) -> str | None:
    try:
        found = np.asarray(values)
    except (TypeError, ValueError, OverflowError):  # reading reports this error
        return None
    return _kind_of_type(found.dtype) or (_kind_of_values(found) if found.dtype == object else None)


def _kind_of_values(values: Any) -> str | None:
    """Return the kind of the first date or duration; NaT is a missing value."""
    for value in values.flat:
        if type(value).__name__ == "NaTType":
            continue
        if isinstance(value, DURATIONS):  # in NumPy a duration is a signed integer, too
            return "durations"
        if isinstance(value, DATES) or type(value).__name__ == "Period":
            return "dates"
    return None
