"""Predictions of a fitted estimator on new tables, which are prepared as in the fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from copy import copy
from typing import TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ddsr.data.arrays import Floats
from ddsr.data.checks import check_finite, check_rows
from ddsr.data.frames import read_rows
from ddsr.data.preparation import Preparation
from ddsr.engine import values
from ddsr.estimator.forms import Index
from ddsr.estimator.preparing import read_columns
from ddsr.estimator.threads import threads_of
from ddsr.selection.outcome import Outcome

Self = TypeVar("Self", bound="Predicting")


class Predicting:
    """Predictions, their score, and outliers."""

    outcomes_: list[Outcome]
    preparation_: Preparation | None
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    n_jobs: int | None
    _rows: Callable[[Index], Iterator[tuple[Outcome, int]]]

    def predict(self, X: ArrayLike, index: Index = None) -> Floats:
        """Predict with the chosen equation, or with row `index` of `equations_`; one column per output.

        As in NumPy, rows where the equation is undefined or overflows get NaN or ±inf. With `missing="drop"`,
        rows with missing values get NaN.
        """
        equations = [outcome.front.entries[row].equation for outcome, row in self._rows(index)]
        rows = self._new_rows(X)
        columns = [values([equation], rows, threads_of(self.n_jobs))[0][0] for equation in equations]
        is_incomplete = np.isnan(rows).any(axis=1)
        for column in columns:
            column[is_incomplete] = np.nan
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    def prepare(self, X: ArrayLike) -> pd.DataFrame:
        """Return a table as the equations take it: numbers, with the columns of categories and dates.

        It is X itself unless `missing`, `categories` or `dates` was set.
        """
        check_is_fitted(self)
        return pd.DataFrame(self._new_rows(X), columns=list(self._variables))

    @property
    def _variables(self) -> tuple[str, ...]:
        return self.outcomes_[0].best.expression.vocabulary.inputs

    @property
    def _allows_gaps(self) -> bool:
        """Whether rows may have missing values."""
        preparation = getattr(self, "preparation_", None)
        return preparation is not None and preparation.options.missing != "error"

    def _new_rows(self, X: ArrayLike) -> Floats:
        """Return new rows as the equations take them; if `missing` is "drop", they may have NaN."""
        preparation = getattr(self, "preparation_", None)
        if preparation is None:
            return check_rows(read_rows(self, X, reset=False), self._variables)
        table = read_columns(self, X, reset=False)
        for line in preparation.unknown_levels(table):
            warnings.warn(line, UserWarning, stacklevel=3)
        rows: Floats = preparation.apply(table)
        check_finite(rows if not self._allows_gaps else np.nan_to_num(rows, posinf=np.inf), self._variables)
        return rows

    def _of_prepared(self: Self) -> Self:
        """Return the same model for tables that are prepared already."""
        preparation = getattr(self, "preparation_", None)
        if preparation is None:
            return self
        model = copy(self)
        model.preparation_, model.n_features_in_ = preparation.done, len(preparation.names)
        if hasattr(self, "feature_names_in_"):
            model.feature_names_in_ = np.array(preparation.names, dtype=object)
        return model
