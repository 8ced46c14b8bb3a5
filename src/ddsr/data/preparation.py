"""Make a table numeric on request: missing values, categories and dates.

What is learned from the table of a fit (medians, levels, first dates) is kept in a `Preparation`, which
prepares new tables in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.data.columns import (
    as_dates,
    as_numbers,
    as_texts,
    first_text,
    is_categorical,
    is_mostly_text,
    missing_in,
)
from ddsr.errors import DataError, MethodError

VALUES = {
    "missing": ("error", "drop", "impute"),
    "categories": ("error", "one-hot"),
    "dates": ("error", "days"),
}
MOST_LEVELS = 30
DAY = np.timedelta64(1, "D")


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """Options for values that are not numbers."""

    missing: str = "error"
    """error, drop or impute"""
    categories: str = "error"
    """error or one-hot"""
    dates: str = "error"
    """error or days"""

    def __post_init__(self) -> None:
        for name, allowed in VALUES.items():
            if getattr(self, name) not in allowed:
                listed = ", ".join(map(repr, allowed[:-1]))
                raise MethodError(f"{name} must be {listed} or {allowed[-1]!r}, got {getattr(self, name)!r}")

    @property
    def is_default(self) -> bool:
        """Whether all values that are not numbers are errors."""
        return self == TableOptions()


@dataclass(frozen=True)
class PreparedColumn:
    """The conversion of a column of the table to one or more columns of numbers."""

    name: str
    fill: float | str | None = None
    """replacement for missing values: a number, a level or a date; None if there is none"""
    levels: tuple[str, ...] | None = None
    """levels of a column of categories"""
    start: str | None = None
    """first date, in ISO format"""

    @property
    def is_number(self) -> bool:
        """Whether it is a column of numbers."""
        return self.levels is None and self.start is None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the resulting columns."""
        if self.levels is not None:
            return tuple(f"{self.name}={level}" for level in self.levels)
        return (self.name if self.start is None else f"{self.name} [d]",)

    @classmethod
    def of(cls, name: str, values: Any, options: TableOptions) -> PreparedColumn:
        """Learn how to prepare a column from its values in a fit."""
        fills = options.missing == "impute"
        if options.dates == "days" and (dates := as_dates(values)) is not None:
            days = np.sort(dates[~np.isnat(dates)])
            _check_not_empty(name, len(days))
            return cls(name, str(days[len(days) // 2]) if fills else None, start=str(days[0]))
        if options.categories == "one-hot" and (is_categorical(values) or is_mostly_text(values)):
            texts = as_texts(values)
            present = [text for text in texts if text is not None]
            _check_not_empty(name, len(present))
            levels = sorted(set(present))
            if len(levels) > MOST_LEVELS:
                raise DataError(
                    f"column {name!r} has {len(levels)} different texts, more than {MOST_LEVELS} categories: "
                    "drop the column or group its values"
                )
            return cls(name, max(levels, key=present.count) if fills else None, tuple(levels))
        if not fills:
            return cls(name)
        numbers = _numbers_of(name, values)
        known = numbers[~np.isnan(numbers)]
        _check_not_empty(name, len(known))
        return cls(name, float(np.median(known)))

    def apply(self, values: Any) -> Floats:
        """Return (n, k) numbers, NaN where a value is missing and not replaced."""
        if self.levels is not None:
            texts = [self.fill if text is None else text for text in as_texts(values)]
            found = np.array([[text == level for level in self.levels] for text in texts], dtype=np.float64)
            found = found.reshape(len(texts), len(self.levels))
            found[[text is None for text in texts]] = np.nan
            return found
        if self.start is not None:
            dates = as_dates(values)
            if dates is None:
                raise DataError(f"column {self.name!r} had dates in the fit, but has other values now")
            if self.fill is not None:
                dates = np.where(np.isnat(dates), np.datetime64(str(self.fill)), dates)
            return np.asarray((dates - np.datetime64(self.start)) / DAY, dtype=np.float64)[:, None]
        numbers = _numbers_of(self.name, values)
        return (numbers if self.fill is None else np.where(np.isnan(numbers), self.fill, numbers))[:, None]

    def note(self, values: Any) -> list[str]:
        """Return sentences on what is done to these values."""
        notes = []
        if self.levels is not None:
            notes.append(f"{self.name} is now {', '.join(self.names)}")
        if self.start is not None:
            notes.append(f"{self.name} is now {self.names[0]}: days since {_date_text(self.start)}")
        n_missing = int(missing_in(values).sum())
        if self.fill is not None and n_missing:
            what = "the most frequent" if self.levels is not None else "the median"
            fill = self.fill if isinstance(self.fill, str) else f"{self.fill:g}"
            fill = fill if self.start is None else _date_text(fill)
            many = "1 missing value" if n_missing == 1 else f"{n_missing:,} missing values"
            notes.append(f"{many} of {self.name} replaced by {fill}, {what}")
        return notes


@dataclass(frozen=True)
class Preparation:
    """The conversion of a table to numbers, learned from the table of a fit."""

    options: TableOptions
    columns: tuple[PreparedColumn, ...]
    notes: tuple[str, ...] = ()
    """sentences on what was done to the table of the fit"""
    source: tuple[str, ...] | None = None
    """columns of the original table, if tables are already prepared"""

    @classmethod
    def of(cls, table: Iterable[tuple[str, Any]], options: TableOptions) -> Preparation:
        """Learn from the names and values of the columns of a table."""
        pairs = list(table)
        columns = tuple(PreparedColumn.of(name, values, options) for name, values in pairs)
        notes = [column.note(values) for column, (_, values) in zip(columns, pairs, strict=True)]
        prepared = cls(options, columns, tuple(chain.from_iterable(notes)))
        repeated = [name for name, count in Counter(prepared.names).items() if count > 1]
        if repeated:
            raise DataError(f"two columns would be named {repeated[0]!r}: rename one of their sources")
        return prepared

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the columns of the table."""
        return tuple(column.name for column in self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of the prepared table."""
        return tuple(name for column in self.columns for name in column.names)

    @property
    def done(self) -> Preparation:
        """The preparation for tables that are already prepared, with the same notes."""
        columns = tuple(PreparedColumn(name) for name in self.names)
        return replace(self, columns=columns, source=self.table_columns)

    @property
    def table_columns(self) -> tuple[str, ...]:
        """Columns of the user's table."""
        return self.inputs if self.source is None else self.source

    def noting(self, *notes: str) -> Preparation:
        """Return the same preparation with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    def apply(self, table: Mapping[str, Any] | Any) -> Floats:
        """Return the columns of `names` as numbers; NaN where a value is missing and not replaced."""
        return np.ascontiguousarray(np.hstack([column.apply(table[column.name]) for column in self.columns]))

    def unknown_levels(self, table: Mapping[str, Any] | Any) -> list[str]:
        """Return messages about levels that were not in the fit; all their columns are 0."""
        found = []
        for column in self.columns:
            if column.levels is None:
                continue
            texts = as_texts(table[column.name])
            unknown = [text for text in texts if text is not None and text not in column.levels]
            if unknown:
                rows = "1 row" if len(unknown) == 1 else f"{len(unknown):,} rows"
                found.append(
                    f"column {column.name!r} has {unknown[0]!r} in {rows}, which was not in the fit: "
                    f"all columns {column.name}=… are 0 there"
                    if len(set(unknown)) == 1
                    else f"column {column.name!r} has values in {rows} that were not in the fit, such as "
                    f"{unknown[0]!r}: all columns {column.name}=… are 0 there"
                )
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the preparation as JSON."""
        return {
            **asdict(self.options),
            "columns": [
                {key: value for key, value in asdict(column).items() if value is not None}
                for column in self.columns
            ],
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Preparation:
        """Read what `to_json` returned."""
        options = TableOptions(**{name: str(written[name]) for name in VALUES})
        columns = [_read_column(each) for each in written["columns"]]
        return cls(options, tuple(columns), tuple(map(str, written["notes"])))


def dropped_note(n_dropped: int, n_rows: int, missing: str) -> list[str]:
    """Return a sentence on how many rows were dropped; nothing if none were."""
    why = "missing values" if missing == "drop" else "a missing target or weight"
    return [f"{n_dropped:,} of {n_rows:,} rows with {why} dropped"] if n_dropped else []


def _read_column(written: Mapping[str, Any]) -> PreparedColumn:
    name, fill = str(written["name"]), written.get("fill")
    levels, start = written.get("levels"), written.get("start")
    if fill is not None:
        fill = float(fill) if levels is None and start is None else str(fill)
    if start is not None:
        np.datetime64(start)  # raises if it is not a date
    return PreparedColumn(
        name, fill, None if levels is None else tuple(map(str, levels)), None if start is None else str(start)
    )


def _numbers_of(name: str, values: Any) -> Floats:
    numbers = as_numbers(values)
    if numbers is None:
        row, text = first_text(values)
        raise DataError(f"column {name!r} cannot be read as numbers: it has {text[:40]!r} in row {row}")
    return numbers


def _check_not_empty(name: str, n_known: int) -> None:
    if not n_known:
        raise DataError(f"column {name!r} has no values: drop it")


def _date_text(text: str) -> str:
    """Return an ISO date without a time of midnight."""
    return text.removesuffix(".000000").removesuffix("T00:00:00").replace("T", " ")
