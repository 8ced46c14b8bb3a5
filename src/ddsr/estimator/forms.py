"""Export the equations of a fitted estimator to other languages and formats; confidence intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from ddsr.data.checks import check_whole
from ddsr.data.unit_texts import text_of
from ddsr.engine import core_units
from ddsr.errors import DataError
from ddsr.estimator.intervals import intervals_table
from ddsr.estimator.latex_tables import DEFAULT_COLUMNS, latex_table
from ddsr.estimator.tables import equations_table
from ddsr.estimator.template_units import with_template
from ddsr.estimator.unit_parameters import Quantities
from ddsr.expression import Expression
from ddsr.expression.exports.c import to_c
from ddsr.expression.exports.excel import to_excel_formula
from ddsr.expression.exports.javascript import to_javascript
from ddsr.expression.exports.jax import to_jax
from ddsr.expression.exports.onnx import to_onnx
from ddsr.grammar.constant_units import units_of_constants
from ddsr.selection.outcome import Outcome

Index = int | Sequence[int] | None
T = TypeVar("T")


class EquationForms:
    """Exports of a fitted equation.

    Every method uses the chosen equation, or the one in row `index` of `equations_`. If y had several
    columns, it returns a list with one item per column; `index` is then one row for all or a list of rows.
    """

    outcomes_: list[Outcome]
    target_names_: tuple[str, ...]

    def get_best(self) -> pd.Series | list[pd.Series]:
        """Return the row of `equations_` with the chosen equation."""
        return self._for_each(None, lambda outcome, row: equations_table(outcome).iloc[row])

    def sympy(self, index: Index = None) -> Any:
        """Return a SymPy expression whose symbols have the names of the columns."""
        return self._form(index, Expression.to_sympy)

    def latex(self, index: Index = None, precision: int | None = None) -> Any:
        """Return LaTeX for math mode; constants have `precision` significant digits, or all."""
        return self._form(index, lambda equation: equation.to_latex(precision))

    def latex_table(
        self,
        indices: Sequence[int] | None = None,
        precision: int = 3,
        columns: Sequence[str] = DEFAULT_COLUMNS,
    ) -> Any:
        """Return a LaTeX table of `equations_` or of some of its rows; it needs the package booktabs."""
        return self._for_each(
            None,
            lambda outcome, row: latex_table(
                equations_table(outcome),
                [entry.equation for entry in outcome.front],
                indices,
                precision,
                columns,
            ),
        )

    def to_python(self, index: Index = None, name: str = "equation") -> Any:
        """Return the source of a NumPy function with one argument per column (names: docs/estimator.md)."""
        return self._form(index, lambda equation: equation.to_python(name))

    def to_numpy(self, index: Index = None) -> Any:
        """Return a function from X (n_rows, n_features) to (n_rows,), which can be pickled."""
        return self._form(index, Expression.to_callable)

    def to_torch(self, index: Index = None) -> Any:
        """Return a torch.nn.Module from X (n_rows, n_features) to (n_rows,) with trainable constants."""
        return self._form(index, Expression.to_torch)

    def to_c(self, index: Index = None, name: str = "equation") -> Any:
        """Return C99 source of a function with one `double` argument per column."""
        return self._form(index, lambda equation: to_c(equation.expanded, name))

    def to_javascript(self, index: Index = None, name: str = "equation") -> Any:
        """Return JavaScript source of a function with one argument per column."""
        return self._form(index, lambda equation: to_javascript(equation.expanded, name))

    def to_excel_formula(self, index: Index = None, cells: Mapping[str, str] | None = None) -> Any:
        """Return a formula for spreadsheets, such as `=2.5 * EXP(-0.3 * A2)`.

        `cells` has the reference for each column, such as `{"t": "C5"}`. Without it, the columns are A, B, …
        in the order of the table, and row 2 is computed.
        """
        return self._form(index, lambda equation: to_excel_formula(equation.expanded, cells))

    def to_onnx(self, index: Index = None) -> Any:
        """Return an ONNX model from X (n_rows, n_features) to y (n_rows,) in double precision.

        It needs the extra `ddsr[onnx]`.
        """
        return self._form(index, lambda equation: to_onnx(equation.expanded))

    def to_jax(self, index: Index = None) -> Any:
        """Return a function of JAX from X (n_rows, n_features) to (n_rows,); it needs the package jax."""
        return self._form(index, lambda equation: to_jax(equation.expanded))

    def confidence_intervals(self, index: Index = None, level: float = 0.95) -> Any:
        """Return a table of the constants: value, standard error, and confidence interval.

        Rows are c0, c1, … in the order of the equation; `table.attrs["equation"]` is the equation with these
        names. Intervals are linearised about the fit and assume that the equation is correct. A constant that
        is fixed at a simple number is marked `is_exact`, and its interval is that number. With
        `unit_constants`, or with units and a template, the column `unit` has the unit of each constant,
        written in those of the columns.
        """

        def table(outcome: Outcome, row: int) -> pd.DataFrame:
            entry, information = outcome.front.entries[row], outcome.information[row]
            if information is None:
                raise DataError(
                    "this equation has no confidence intervals, since the fit was cut short. "
                    "Give it more time or fewer rows."
                )
            variance, is_known = outcome.loss.variance(entry.nrmse * outcome.spread)
            return intervals_table(
                entry.equation,
                entry.is_free or (True,) * entry.equation.n_constants,
                information,
                loss=variance,
                n_observed=outcome.n_counted if outcome.n_observed is None else outcome.n_observed,
                level=level,
                is_known=is_known,
                units=self._units_of_constants(outcome, entry.equation),
            )

        return self._for_each(index, table)

    # Helpers

    def _units_of_constants(self, outcome: Outcome, equation: Expression) -> list[str] | None:
        """Return the unit of each constant; None if constants are numbers."""
        template = outcome.best.expression.vocabulary.template
        if getattr(self, "units", None) is None or not (getattr(self, "unit_constants", 0) or template):
            return None
        given = {name: getattr(self, name) for name in ("units", "y_units", "unit_constants", "constants")}
        names = outcome.best.expression.vocabulary.inputs
        has_template = template is not None
        quantities = Quantities.of(names, self.target_names_, **given, has_template=has_template)
        found = next(
            each for each, own in zip(quantities.units, self.outcomes_, strict=True) if own is outcome
        )
        units = with_template(found, template)
        in_core = core_units(units)
        assert units is not None and in_core is not None  # they are given
        of_constants = units_of_constants(equation, in_core)
        return ["?" if parts is None else text_of(parts, units) for parts in of_constants]

    def _form(self, index: Index, form: Callable[[Expression], T]) -> T | list[T]:
        return self._for_each(index, lambda outcome, row: form(outcome.front.entries[row].equation))

    def _for_each(self, index: Index, form: Callable[[Outcome, int], T]) -> T | list[T]:
        """Apply a function to one row of each output; return a list only for several outputs."""
        found = [form(outcome, row) for outcome, row in self._rows(index)]
        return found[0] if len(self.outcomes_) == 1 else found

    def _rows(self, index: Index) -> Iterator[tuple[Outcome, int]]:
        check_is_fitted(self)
        n_outputs = len(self.outcomes_)
        rows = list(index) if isinstance(index, (Sequence, np.ndarray)) else [index] * n_outputs
        if len(rows) != n_outputs:
            raise DataError(f"index has {len(rows)} row(s), but there are {n_outputs} output(s)")
        for outcome, row in zip(self.outcomes_, rows, strict=True):
            if row is None:
                yield outcome, outcome.chosen
            else:
                yield outcome, check_whole(row, "index", 0, len(outcome.front) - 1)
