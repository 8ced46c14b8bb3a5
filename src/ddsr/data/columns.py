"""A column of any table as numbers, texts or dates. No table library is imported."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddsr.data.arrays import Floats
from ddsr.data.times import kind_of

# A column with a smaller share of numbers counts as text. With a larger share, its texts are errors.
LEAST_NUMBER_SHARE = 0.5
CATEGORICAL_TYPES = ("category", "categorical", "enum", "dictionary")
MISSING_TYPES = ("NAType", "NaTType")


def columns_of(table: Any) -> Iterator[tuple[str, Any]] | None:
    """Yield the names and columns of a table; None for an array."""
    if hasattr(table, "column_names") and hasattr(table, "schema"):  # Arrow
        names = list(table.column_names)
    elif hasattr(table, "columns") and hasattr(table, "dtypes"):
        names = list(table.columns)
    else:
        return None
    if not all(isinstance(name, str) for name in names):
        return None
    return ((name, table[name]) for name in names)


def is_missing(value: object) -> bool:
    """Return whether a single value is None, NaN, NA or NaT."""
    if value is None or type(value).__name__ in MISSING_TYPES:
        return True
    return isinstance(value, (float, np.floating, np.datetime64)) and bool(value != value)


def missing_in(values: Any) -> NDArray[np.bool_]:
    """Return which values of a column are missing."""
    found = np.asarray(values)
    if found.dtype.kind == "f":
        return np.asarray(np.isnan(found))
    if found.dtype.kind == "M":
        return np.asarray(np.isnat(found))
    if found.dtype.kind != "O":
        return np.zeros(len(found), dtype=bool)
    return np.fromiter(map(is_missing, found), dtype=bool, count=len(found))


def as_numbers(values: Any) -> Floats | None:
    """Return numbers, NaN where they are missing; None if any value is not a number."""
    found = np.asarray(values)
    if found.dtype.kind in "biuf":
        return np.asarray(found, dtype=np.float64)
    if found.dtype.kind not in "OSU" or kind_of(found) is not None:
        return None
    missing = missing_in(found)
    numbers = np.full(len(found), np.nan)
    try:
        numbers[~missing] = np.asarray(found[~missing], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    return numbers


def as_texts(values: Any) -> list[str | None]:
    """Return each value as text, None where it is missing; 1.0 and 1 are the same level."""
    found = np.asarray(values)
    pairs = zip(found.tolist(), missing_in(found), strict=True)
    return [None if is_gone else _text(value) for value, is_gone in pairs]


def as_dates(values: Any) -> NDArray[np.datetime64] | None:
    """Return dates in microseconds, NaT where they are missing; None if it is not a column of dates.

    A column of texts counts as dates if all are in ISO format. Times with a zone are converted to UTC.
    """
    found = np.asarray(values)
    if found.dtype.kind == "M":
        return found.astype("datetime64[us]")
    if found.dtype.kind not in "OSU":
        return None
    dates = np.full(len(found), np.datetime64("NaT"), dtype="datetime64[us]")
    missing = missing_in(found)
    if missing.all():
        return None
    for row in np.flatnonzero(~missing):
        date = _date(found[row])
        if date is None:
            return None
        dates[row] = np.datetime64(date, "us")
    return dates


def is_categorical(values: Any) -> bool:
    """Return whether the table says that a column holds categories."""
    dtype = getattr(values, "dtype", getattr(values, "type", None))
    return str(dtype).lower().startswith(CATEGORICAL_TYPES)


def is_mostly_text(values: Any) -> bool:
    """Return whether more than half of the values of a column are texts that are not numbers."""
    found = np.asarray(values)
    if found.dtype.kind not in "OSU" or as_numbers(found) is not None or kind_of(found) is not None:
        return False
    present = found[~missing_in(found)]
    n_texts = sum(isinstance(value, str) and not _is_number(value) for value in present.tolist())
    return n_texts > (1.0 - LEAST_NUMBER_SHARE) * len(present)


def first_text(values: Any) -> tuple[int, str]:
    """Return the row and the text of the first value that is not a number."""
    found = np.asarray(values)
    missing = missing_in(found)
    for row, value in enumerate(found.tolist()):
        if not missing[row] and not _is_number(value):
            return row, str(value)
    return 0, str(found[0])


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _date(value: Any) -> datetime.datetime | None:
    """Return a date without a zone, or None if the value is not a date."""
    if type(value).__name__ == "Period":
        value = value.to_timestamp()
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, str):
        with suppress(ValueError):
            value = datetime.datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc)
        parts = (value.year, value.month, value.day, value.hour, value.minute, value.second)
        return datetime.datetime(*parts, value.microsecond)
    return datetime.datetime(value.year, value.month, value.day) if isinstance(value, datetime.date) else None
