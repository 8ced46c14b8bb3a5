"""Read and check the columns of a file. Errors name the column and the row.

Rows are counted from 1, after the header.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ddsr.cli.source import Source, is_number, open_source
from ddsr.data.arrays import Floats
from ddsr.data.columns import LEAST_NUMBER_SHARE, as_dates, is_categorical, is_mostly_text
from ddsr.data.dataset import RowWeights
from ddsr.data.preparation import MOST_LEVELS, Preparation, TableOptions, dropped_note
from ddsr.errors import DataError, InputError, nearest_names

if TYPE_CHECKING:
    import pandas as pd

LEAST_ROWS = 5
MOST_LISTED = 10
AS_IT_IS = TableOptions()
ENCODE = (
    "encode text as numbers, pass --categories one-hot to encode all such columns, or leave out the column"
)
CONVERT = (
    "write dates in ISO format, such as 2024-01-31, with --dates days to count days, or leave out the column"
)
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
    errors: str | None = None

    @property
    def roles(self) -> dict[str, str]:
        """Roles of the columns that are not features, by name."""
        named = {
            "target": self.target,
            "weights": self.weights,
            "counts": self.counts,
            "standard errors": self.errors,
        }
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
    y_err: Floats | None
    features: tuple[str, ...]
    """names of the columns of X"""
    columns: Columns
    text_columns: tuple[str, ...]
    """columns ignored because they are not numeric"""
    empty_columns: tuple[str, ...]
    rows: NDArray[np.intp]
    """row numbers in the file, from 1, after the header"""
    n_dropped: int
    """number of rows ignored because of missing values"""
    preparation: Preparation | None = None
    """how columns of the file were converted to X; None if they were read unchanged"""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the columns of the file from which the target is predicted."""
        return self.features if self.preparation is None else self.preparation.inputs

    @property
    def row_weights(self) -> RowWeights:
        """Weights, counts and standard errors of the rows."""
        return RowWeights(self.weights, self.counts, self.y_err)


def read_training_data(path: str, columns: Columns, options: TableOptions = AS_IT_IS) -> TrainingData:
    """Read and check the data of `ddsr fit`."""
    source = open_source(path)
    features = _chosen_features(source, columns)
    roles = columns.roles
    frame = source.read([*features, *roles])
    numbers = {str(name): Numbers.of(str(name), column) for name, column in frame.items()}
    text_columns: tuple[str, ...] = ()
    empty_columns: tuple[str, ...] = ()
    kinds = {name: _kind(numbers[name], frame[name], options) for name in features}
    if columns.features is None:
        text_columns = tuple(name for name in features if kinds[name] in ("text", "identifier"))
        empty_columns = tuple(name for name in features if numbers[name].is_empty)
        features = tuple(name for name in features if name not in {*text_columns, *empty_columns})
        if not features and len(numbers[columns.target].values):  # a table without rows is refused below
            raise DataError(_no_numbers(path, columns.target, [numbers[name] for name in text_columns]))
    remedy = "correct it, or drop the column with --ignore" if columns.features is None else "correct it"
    for name in features:
        if kinds[name] in ("number", "text"):
            numbers[name].check(path, remedy)
    for name in roles:
        otherwise = "choose another target" if name == columns.target else "leave out the column"
        numbers[name].check(path, text_remedy=f"encode text as numbers, or {otherwise}")
        numbers[name].check_role(path, roles[name])
    for column in (numbers[name] for name in (*features, *roles)):
        if column.is_empty and len(column.values):
            raise DataError(f"column {column.name!r} of {path} has no values: fill it, or leave it out")
    preparation, prepared = _prepared(features, kinds, numbers, frame, options)
    table = np.column_stack([prepared, *(numbers[name].values for name in roles)])
    table, rows = _complete_rows(path, table, [numbers[name] for name in (*features, *roles)], options)
    n_dropped = len(frame) - len(rows)
    if preparation is not None:
        features = preparation.names
        preparation = preparation.noting(*dropped_note(n_dropped, len(frame), options.missing))
    _check_size(path, table, n_dropped)
    of_role = {role: table[:, len(features) + place].copy() for place, role in enumerate(roles.values())}
    _check_varies(columns.target, of_role["target"])
    return TrainingData(
        X=np.ascontiguousarray(table[:, : len(features)]),
        y=of_role["target"],
        weights=of_role.get("weights"),
        counts=of_role.get("counts"),
        y_err=of_role.get("standard errors"),
        features=features,
        columns=columns,
        text_columns=text_columns,
        empty_columns=empty_columns,
        rows=rows,
        n_dropped=n_dropped,
        preparation=preparation,
    )


def _kind(column: Numbers, values: pd.Series, options: TableOptions) -> str:
    """Return what a column holds: numbers, other text, or dates or categories if the options convert these.

    A text column with more categories than are allowed, or another one in every row, is an identifier.
    """
    if options.dates == "days" and not column.is_empty and as_dates(values) is not None:
        return "date"
    if not column.is_text:
        return "number"
    has_categories = is_mostly_text(values) or is_categorical(values)
    if options.categories == "error" or not has_categories or as_dates(values) is not None:
        return "text"
    n_levels, n_present = values.nunique(), len(column.values) - column.n_missing
    return "identifier" if n_levels > MOST_LEVELS or n_levels == n_present else "category"


def _prepared(
    features: Sequence[str],
    kinds: Mapping[str, str],
    numbers: Mapping[str, Numbers],
    frame: pd.DataFrame,
    options: TableOptions,
) -> tuple[Preparation | None, Floats]:
    """Return the features as numbers, and how they were prepared."""
    if not features:  # a table without rows
        return None, np.empty((len(frame), 0))
    if options.is_default:
        return None, np.column_stack([numbers[name].values for name in features])
    table = {name: numbers[name].values if kinds[name] == "number" else frame[name] for name in features}
    preparation = Preparation.of(table.items(), options)
    return preparation, preparation.apply(table)


@dataclass(frozen=True)
class NewData:
    """Rows to predict, prepared as in the fit, and the target if the file has it."""

    X: Floats
    is_complete: NDArray[np.bool_]
    """whether each row has no missing value"""
    y: Floats | None
    unknown: tuple[str, ...] = ()
    """messages about categories that were not in the training data"""


def read_new_data(
    path: str, features: Sequence[str], target: str | None = None, preparation: Preparation | None = None
) -> NewData:
    """Read the model's columns for `ddsr predict`; the file may have others, in any order."""
    source = open_source(path)
    for name in features:
        _check_exists(source, name)
    has_target = target is not None and target in source.names and target not in features
    frame = source.read([*features, *([str(target)] if has_target else [])])
    numbers = {str(name): Numbers.of(str(name), column) for name, column in frame.items()}
    learned = {} if preparation is None else {each.name: each for each in preparation.columns}
    table: dict[str, Any] = {}
    for name in features:
        is_number = name not in learned or learned[name].is_number
        if is_number:
            numbers[name].check(path)
        table[name] = numbers[name].values if is_number else frame[name]
    X = np.column_stack([*table.values()]) if preparation is None else preparation.apply(table)
    unknown = [] if preparation is None else preparation.unknown_levels(table)
    known = numbers[str(target)] if has_target else None
    is_known = known is not None and not (known.first_text or np.isinf(known.values).any())
    is_complete = np.asarray(~np.isnan(X).any(axis=1))
    y = known.values if known is not None and is_known else None
    return NewData(X, is_complete, y, tuple(unknown))


@dataclass(frozen=True)
class Numbers:
    """A column as numbers; NaN where a value is missing or not a number."""

    name: str
    values: Floats
    n_texts: int
    n_missing: int
    first_text: tuple[int, str] | None
    """row and value of the first entry that is not a number"""

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

    def check(self, path: str, remedy: str = "correct it", text_remedy: str | None = None) -> None:
        """Raise `DataError` for texts or infinite values; `text_remedy` is for a whole column of texts."""
        if self.first_text is not None:
            row, text = self.first_text
            more = f" ({self.n_texts:,} such rows)" if self.n_texts > 1 else ""
            where = f"column {self.name!r} of {path} has {text[:40]!r} in row {row}{more}"
            if self.is_text:
                remedy = text_remedy or (CONVERT if DATE.fullmatch(text) else ENCODE)
            raise DataError(f"{where}, which is not a number: {remedy}")
        is_infinite = np.isinf(self.values)
        if is_infinite.any():
            n_infinite, row = int(is_infinite.sum()), int(np.argmax(is_infinite)) + 1
            more = f" ({n_infinite:,} such rows)" if n_infinite > 1 else ""
            raise DataError(
                f"column {self.name!r} of {path} is infinite or too large for double precision in row "
                f"{row}{more}: remove such rows or rescale the column"
            )

    def check_role(self, path: str, role: str) -> None:
        """Raise `DataError` for numbers that weights, counts or standard errors cannot have."""
        are_wrong, what = {
            "weights": (self.values < 0.0, "weights must be at least 0"),
            "counts": (
                (self.values < 0.0) | (self.values != np.round(self.values)),
                "counts must be whole numbers of at least 0",
            ),
            "standard errors": (self.values <= 0.0, "standard errors must be above 0"),
        }.get(role, (np.zeros(len(self.values), dtype=bool), ""))
        wrong = np.flatnonzero(are_wrong & ~np.isnan(self.values))
        if len(wrong):
            row = int(wrong[0])
            raise DataError(
                f"column {self.name!r} of {path} has {self.values[row]:g} in row {row + 1}: {what}"
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
    """Return a message that quotes the first text, since `1,000` and `5%` look like numbers to people."""
    message = f"{path} has no numeric column from which to predict the target {target!r}"
    if not texts or texts[0].first_text is None:
        return message
    row, text = texts[0].first_text
    example = f"column {texts[0].name!r} has {text[:40]!r} in row {row}, which is not a number"
    return f"{message}; {example}: {CONVERT if DATE.fullmatch(text) else ENCODE}"


def _complete_rows(
    path: str, table: Floats, used: Sequence[Numbers], options: TableOptions
) -> tuple[Floats, NDArray[np.intp]]:
    """Return the rows without missing values, and their numbers."""
    is_missing = np.isnan(table).any(axis=1)
    n_missing = int(is_missing.sum())
    if n_missing and options.missing == "error":
        names = [column.name for column in used if column.n_missing]
        raise DataError(
            f"{n_missing:,} of {len(table):,} rows of {path} have missing values, in {_listed(names)}: "
            "drop these rows with --missing drop, or replace the values with --missing impute"
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
