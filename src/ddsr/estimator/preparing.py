"""Read the data of a fit, prepared according to `missing`, `categories` and `dates`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import validate_data

from ddsr.data.arrays import Floats
from ddsr.data.columns import as_numbers, columns_of
from ddsr.data.dataset import RowWeights
from ddsr.data.frames import Targets, check_table, named_targets, read_rows, read_targets
from ddsr.data.preparation import Preparation, TableOptions, dropped_note
from ddsr.errors import DataError


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """The data of a fit as numbers."""

    X: Floats
    names: tuple[str, ...]
    """names of the columns of X; x0, x1, … if the table has none"""
    targets: Targets
    weights: RowWeights
    preparation: Preparation | None
    """None if the table was read as it is"""


def read_training(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    weights: RowWeights,
    options: TableOptions,
    preparation: Preparation | None = None,
) -> TrainingRows:
    """Read the data of a fit; with a preparation, X has been prepared by it already.

    As scikit-learn requires, the estimator gets the names and number of the columns of the table.
    """
    if preparation is not None:
        done = read_training(estimator, X, y, weights, TableOptions())
        estimator.n_features_in_ = len(preparation.inputs)
        if hasattr(estimator, "feature_names_in_"):
            estimator.feature_names_in_ = np.array(preparation.inputs, dtype=object)
        return replace(done, preparation=preparation)
    if options.is_default:
        targets = read_targets(y)
        rows = read_rows(estimator, X, ensure_min_samples=2)
        names = getattr(estimator, "feature_names_in_", [f"x{column}" for column in range(rows.shape[1])])
        return TrainingRows(rows, tuple(map(str, names)), targets, weights, None)
    targets = _targets_with_gaps(y)
    table = read_columns(estimator, X, reset=True)
    found = Preparation.of(table.items(), options)
    rows = found.apply(table)
    if len(rows) != len(targets.columns):
        raise DataError(f"y has {len(targets.columns)} rows, but X has {len(rows)}")
    read = TrainingRows(rows, found.names, targets, weights, found)
    return read if options.missing == "error" else _without_gaps(read)


def read_columns(estimator: Any, X: ArrayLike, *, reset: bool) -> dict[str, Any]:
    """Return the columns of a table by name; those of an array are x0, x1, …."""
    pairs = columns_of(X)
    if pairs is None:
        if isinstance(X, np.ma.MaskedArray):
            X = np.ma.filled(X.astype(np.float64), np.nan)
        rows = read_rows(estimator, X, reset=reset)
        return {f"x{column}": values for column, values in enumerate(rows.T)}
    check_table(X, "X")
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    found = dict(pairs)
    if not found or not len(next(iter(found.values()))):
        raise DataError(
            f"X is empty: it has {len(found)} columns and no rows" if found else "X has no columns"
        )
    return found


def _targets_with_gaps(y: ArrayLike) -> Targets:
    """Read y, in which any kind of missing value becomes NaN."""
    if isinstance(y, np.ma.MaskedArray):
        y = np.ma.filled(y.astype(np.float64), np.nan)
    try:
        return read_targets(y)
    except DataError:
        pairs = dict(columns_of(y) or {"y": y})
        columns = [as_numbers(values) for values in pairs.values()]
        if any(column is None or column.ndim != 1 for column in columns):
            raise
        name = getattr(y, "name", None)
        names = tuple(pairs) if columns_of(y) else named_targets([name if isinstance(name, str) else None])
        return Targets(np.column_stack(columns), names, is_one=len(columns) == 1)  # type: ignore[arg-type]


def _without_gaps(read: TrainingRows) -> TrainingRows:
    """Drop the rows in which anything is missing."""
    columns = [read.X, read.targets.columns]
    columns += [_column(part, len(read.X)) for part in read.weights if part is not None]
    is_kept = np.asarray(~np.isnan(np.hstack(columns)).any(axis=1))
    n_dropped = int((~is_kept).sum())
    if not n_dropped or read.preparation is None:
        return read
    if not is_kept.any():
        raise DataError("every row has a missing value: impute them with missing='impute', or drop columns")
    kept = (None if part is None else np.asarray(part, dtype=np.float64)[is_kept] for part in read.weights)
    note = dropped_note(n_dropped, len(is_kept), read.preparation.options.missing)
    return TrainingRows(
        np.ascontiguousarray(read.X[is_kept]),
        read.names,
        replace(read.targets, columns=read.targets.columns[is_kept]),
        RowWeights(*kept),
        read.preparation.noting(*note),
    )


def _column(values: ArrayLike, n_rows: int) -> Floats:
    """Return weights or counts as a column; those of the wrong kind or shape are refused later."""
    found = as_numbers(values)
    is_column = found is not None and found.shape == (n_rows,)
    return np.zeros((n_rows, 1)) if found is None or not is_column else found[:, None]
