"""Read and check the columns of a file. Errors name the column and the row.

Rows are counted from 1, without the line of names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ddsr.cli.source import Source, is_number, open_source
from ddsr.data.arrays import Floats
from ddsr.errors import DataError, InputError, nearest_names

if TYPE_CHECKING:
    import pandas as pd

LEAST_ROWS = 5
# A column with a smaller share of numbers is text; with a larger share, its texts are errors.
LEAST_NUMBER_SHARE = 0.5
MOST_LISTED = 10
ENCODE = "encode text as numbers, for example one column of 0 and 1 per category"
CONVERT = "convert dates to numbers, for example days since the start"
DATE = re.compile(r"\d{4}-\d\d?-\d\d?\b.*|\d\d?([/.])\d\d?\1\d{4}\b.*", re.DOTALL)


@dataclass(frozen=True)
class Columns:
    """The role of each column of a file."""

    target: str
    features: tuple[str, ...] | None = None
    """None: all other numeric columns"""
    ignored: tuple[str, ...] = ()
    weights: str | None = None
    counts: str | None = None

    @property
    def roles(self) -> dict[str, str]:
        """Roles of the columns that are not features, by name."""
        named = {"target": self.target, "weights": self.weights, "counts": self.counts}
        roles: dict[str, str] = {}
        for role, name in named.items():
            if name is None:
                continue
            if name in roles:
                raise InputError(f"column {name!r} cannot be both the {roles[name]} and the {role}")
            roles[name] = role
        return roles


@dataclass(frozen=True)
class TrainingData:
    """The data of a search, and which columns and rows were ignored."""

    X: Floats
    y: Floats
    weights: Floats | None
    counts: Floats | None
    features: tuple[str, ...]
    columns: Columns
    text_columns: tuple[str, ...]
    """ignored because they are not numeric"""
    empty_columns: tuple[str, ...]
    rows: NDArray[np.intp]
    """row numbers in the file, from 1, without the line of names"""
    n_dropped: int
    """rows ignored because of missing values"""


def read_training_data(path: str, columns: Columns, drops_missing: bool = False) -> TrainingData:
    """Read and check the data of `ddsr fit`."""
    source = open_source(path)
    features = _chosen_features(source, columns)
    roles = columns.roles
    frame = source.read([*features, *roles])
    numbers = {str(name): Numbers.of(str(name), column) for name, column in frame.items()}
    text_columns: tuple[str, ...] = ()
    empty_columns: tuple[str, ...] = ()
    if columns.features is None:
        text_columns = tuple(name for name in features if numbers[name].is_text)
        empty_columns = tuple(name for name in features if numbers[name].is_empty)
        features = tuple(name for name in features if name not in {*text_columns, *empty_columns})
        if not features and len(numbers[columns.target].values):  # a table without rows is refused below
            raise DataError(_no_numbers(path, columns.target, [numbers[name] for name in text_columns]))
        for name in features:
            numbers[name].check(path, "correct it, or drop the column with --ignore")
    numbers[columns.target].check(path, otherwise="choose another target")
    used = [numbers[name] for name in (*features, *roles)]
    table, rows = _complete_rows(path, used, drops_missing)
    n_dropped = len(frame) - len(rows)
    _check_size(path, table, n_dropped)
    of_role = {role: table[:, len(features) + place].copy() for place, role in enumerate(roles.values())}
    _check_varies(columns.target, of_role["target"])
    return TrainingData(
        X=np.ascontiguousarray(table[:, : len(features)]),
        y=of_role["target"],
        weights=of_role.get("weights"),
        counts=of_role.get("counts"),
        features=features,
        columns=columns,
        text_columns=text_columns,
        empty_columns=empty_columns,
        rows=rows,
        n_dropped=n_dropped,
    )


@dataclass(frozen=True)
class NewData:
    """Rows to predict, and the target if the file has it."""

    X: Floats
    is_complete: NDArray[np.bool_]
    """rows without a missing value"""
    y: Floats | None


def read_new_data(path: str, features: Sequence[str], target: str | None = None) -> NewData:
    """Read the data of `ddsr predict`: the columns of the model, in any order, among any others."""
    source = open_source(path)
    for name in features:
        _check_exists(source, name)
    has_target = target is not None and target in source.names and target not in features
    frame = source.read([*features, *([str(target)] if has_target else [])])
    numbers = {str(name): Numbers.of(str(name), column) for name, column in frame.items()}
    for name in features:
        numbers[name].check(path)
    X = np.column_stack([numbers[name].values for name in features])
    known = numbers[str(target)] if has_target else None
    is_known = known is not None and not (known.first_text or np.isinf(known.values).any())
    is_complete = np.asarray(~np.isnan(X).any(axis=1))
    return NewData(X, is_complete, known.values if known is not None and is_known else None)


@dataclass(frozen=True)
class Numbers:
    """A column as numbers; NaN where a value is missing or not a number."""

    name: str
    values: Floats
    n_texts: int
    n_missing: int
    first_text: tuple[int, str] | None
    """row and value of the first that is not a number"""

    @classmethod
    def of(cls, name: str, column: pd.Series) -> Numbers:
        """Read a column of any type."""
        import pandas as pd

        if pd.api.types.is_numeric_dtype(column):  # fast path: there may be thousands of columns
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
            return cls(name, values, 0, int(np.isnan(values).sum()), None)
        is_missing = column.isna().to_numpy(dtype=bool)
        if column.dtype.kind in "Mm":  # pandas would read dates as nanoseconds since 1970
            values = np.full(len(column), np.nan)
        else:
            try:
                values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
            except (TypeError, ValueError):  # lists and the like
                values = np.full(len(column), np.nan)
            except OverflowError:  # whole numbers of more than 308 digits
                values = np.array([_as_number(value) for value in column])
        is_text = np.isnan(values) & ~is_missing
        first = int(np.argmax(is_text)) if is_text.any() else None
        first_text = None if first is None else (first + 1, str(column.iloc[first]))
        return cls(name, values, int(is_text.sum()), int(is_missing.sum()), first_text)

    @property
    def is_empty(self) -> bool:
        """Whether all values are missing."""
        return self.n_missing == len(self.values)

    @property
    def is_text(self) -> bool:
        """Whether it is a column of text rather than numbers with a few errors."""
        n_present = len(self.values) - self.n_missing
        return self.n_texts > (1.0 - LEAST_NUMBER_SHARE) * n_present

    def check(self, path: str, remedy: str = "correct it", otherwise: str = "leave out the column") -> None:
        """Raise `DataError` for texts or infinite values; `otherwise` is a way to avoid a text column."""
        if self.first_text is not None:
            row, text = self.first_text
            more = f" ({self.n_texts:,} such rows)" if self.n_texts > 1 else ""
            where = f"column {self.name!r} of {path} has {text[:40]!r} in row {row}{more}"
            if self.is_text:
                remedy = f"{CONVERT if DATE.fullmatch(text) else ENCODE}, or {otherwise}"
            raise DataError(f"{where}, which is not a number: {remedy}")
        is_infinite = np.isinf(self.values)
        if is_infinite.any():
            n_infinite, row = int(is_infinite.sum()), int(np.argmax(is_infinite)) + 1
            more = f" ({n_infinite:,} such rows)" if n_infinite > 1 else ""
            raise DataError(
                f"column {self.name!r} of {path} is infinite or too large for double precision in row "
                f"{row}{more}: remove such rows or rescale the column"
            )


def _as_number(value: object) -> float:
    """Read a number, infinite beyond double precision; NaN if it is not a number."""
    try:
        return float(str(value))
    except ValueError:
        return float("nan")


def _chosen_features(source: Source, columns: Columns) -> tuple[str, ...]:
    special = columns.roles
    for name in (*special, *(columns.features or ()), *columns.ignored):
        _check_exists(source, name)
    if columns.features is None:
        rest = [name for name in source.names if name not in special and name not in columns.ignored]
        if not rest:
            raise InputError(
                f"{source.path} has no column from which to predict the target {columns.target!r}"
            )
        return tuple(rest)
    for name in columns.features:
        if name in special or name in columns.ignored:
            role = f"the {special[name]}" if name in special else "ignored"
            raise InputError(f"column {name!r} cannot be both a feature and {role}")
    return tuple(dict.fromkeys(columns.features))


def _check_exists(source: Source, name: str) -> None:
    if name in source.names:
        return
    close = nearest_names(name, source.names, n=3)
    hint = f"did you mean {_listed(close, ' or ')}?" if close else f"it has {_listed(source.names)}"
    if not close and any(map(is_number, source.names)):
        hint += ". The first line must have the names of the columns"
    raise InputError(f"{source.path} has no column {name!r}; {hint}")


def _listed(names: Sequence[str], last: str = ", ") -> str:
    shown = [repr(name) for name in names[:MOST_LISTED]]
    if len(names) > MOST_LISTED:
        return ", ".join(shown) + f" and {len(names) - MOST_LISTED:,} more"
    return ", ".join(shown[:-1]) + last + shown[-1] if len(shown) > 1 else shown[0]


def _no_numbers(path: str, target: str, texts: Sequence[Numbers]) -> str:
    """Write a message with the first text as an example: `1,000` and `5%` look like numbers to people."""
    message = f"{path} has no numeric column from which to predict the target {target!r}"
    if not texts or texts[0].first_text is None:
        return message
    row, text = texts[0].first_text
    example = f"column {texts[0].name!r} has {text[:40]!r} in row {row}, which is not a number"
    return f"{message}; {example}: {CONVERT if DATE.fullmatch(text) else ENCODE}"


def _complete_rows(
    path: str, used: Iterable[Numbers], drops_missing: bool
) -> tuple[Floats, NDArray[np.intp]]:
    """Return the columns side by side, and the numbers of the rows without missing values."""
    used = list(used)
    for column in used:
        column.check(path)
        if column.is_empty and len(column.values):
            raise DataError(f"column {column.name!r} of {path} has no values: fill it, or leave it out")
    table = np.column_stack([column.values for column in used])
    is_missing = np.isnan(table).any(axis=1)
    n_missing = int(is_missing.sum())
    if n_missing and not drops_missing:
        names = [column.name for column in used if column.n_missing]
        raise DataError(
            f"{n_missing:,} of {len(table):,} rows of {path} have missing values, in {_listed(names)}: "
            "fill them, or drop these rows with --drop-missing"
        )
    return (table[~is_missing] if n_missing else table), np.flatnonzero(~is_missing) + 1


def _check_size(path: str, table: Floats, n_dropped: int) -> None:
    if len(table) < LEAST_ROWS:
        dropped = f" ({n_dropped} dropped because of missing values)" if n_dropped else ""
        raise DataError(
            f"{path} has {len(table)} row{'s' * (len(table) != 1)}{dropped}: at least {LEAST_ROWS} are needed"
        )


def _check_varies(name: str, target: Floats) -> None:
    if (target == target[0]).all():
        raise DataError(f"the target {name!r} is {target[0]:g} in every row: there is nothing to predict")
