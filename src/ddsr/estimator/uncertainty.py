"""Uncertainty of a fitted estimator: likely forms, prediction intervals, and where to measure next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ddsr.data.arrays import Floats
from ddsr.data.checks import check_whole
from ddsr.data.frames import named_targets
from ddsr.errors import DataError
from ddsr.estimator.intervals import check_level
from ddsr.estimator.printed_tables import SHORT_TEXTS, FormTable
from ddsr.estimator.unit_parameters import labelled_targets
from ddsr.grammar.grid_note import grid_note, rules_on_grid
from ddsr.selection.averaging import Prediction, informative_rows, interval, predicted_by_forms
from ddsr.selection.certainty import fit_text
from ddsr.selection.outcome import Outcome

T = TypeVar("T")
Self = TypeVar("Self", bound="Uncertainty")


class Uncertainty:
    """Likely forms, prediction intervals and suggested measurements; lists if y had several columns."""

    outcomes_: list[Outcome]
    _new_rows: Callable[[ArrayLike], Floats]
    target_names_: tuple[str, ...]

    @property
    def forms_(self) -> pd.DataFrame | list[pd.DataFrame]:
        """A table of the forms that explain the data, the most likely first.

        `weight` is the probability of a form, `description_length` is in nats, and `r2` is on the training
        data. Forms are written with their best-fitting constants. `attrs["weight_left"]` is the total weight
        of forms that are too unlikely to be listed; with it, the weights add up to 1.
        """
        return self._each(forms_table)

    def __str__(self) -> str:
        """Return the chosen equation and how sure it is; before a fit, the `repr`."""
        outcomes = getattr(self, "outcomes_", None)
        if outcomes is None:
            return repr(self)
        # pickles of earlier versions have no names
        names = getattr(self, "target_names_", named_targets([None] * len(outcomes)))
        names = labelled_targets(names, getattr(self, "units", None), getattr(self, "y_units", None))
        preparation = getattr(self, "preparation_", None)
        notes = [*(preparation.notes if preparation else ()), *([self.grid_note] if self.grid_note else [])]
        return "\n".join([fit_text(outcomes, names), *notes])

    @property
    def rules_on_grid(self) -> tuple[str, ...]:
        """The rules on the values of equations, as text."""
        return tuple(rules_on_grid(getattr(self, "rules", ())))

    @property
    def grid_note(self) -> str:
        """A sentence on the rules that are checked on a grid; an empty text if there are none."""
        return grid_note(getattr(self, "rules", ()))

    def predict_interval(
        self, X: ArrayLike, level: float = 0.95, *, of_measurements: bool = True
    ) -> Floats | list[Floats]:
        """Return the bounds, low and high, between which a new measurement lies with probability `level`.

        The interval includes the noise, the uncertainty of the constants and the choice between the forms of
        `forms_`. With `of_measurements=False`, it is for the law itself, without noise.
        """
        check_level(level)
        check_is_fitted(self)
        if of_measurements and not all(outcome.loss.is_of_values for outcome in self.outcomes_):
            raise DataError(
                "log-odds are not measured: pass of_measurements=False for intervals of the equation"
            )
        if of_measurements and any(outcome.loss.name == "quantile" for outcome in self.outcomes_):
            raise DataError(
                "an equation for a quantile has no interval of new measurements: pass of_measurements=False "
                "for its own interval, or fit the quantiles 0.025 and 0.975"
            )
        return self._each(
            lambda outcome: interval(self._predicted(outcome, X), level, of_measurements=of_measurements)
        )

    def suggest(self, X: ArrayLike, n: int = 1) -> list[int] | list[list[int]]:
        """Return the positions of the rows of X that are most informative to measure next, the best first.

        These are rows where likely forms and their constants differ most compared with the noise. Each row is
        chosen as if those before it had been measured, so that the rows are spread out.
        """
        n_wanted = check_whole(n, "n", least=1)
        check_is_fitted(self)
        rows = self._new_rows(X)
        found = [
            informative_rows(self._predicted(outcome, X), n_wanted, rows[:, _used(outcome)])
            for outcome in self.outcomes_
        ]
        return found[0] if len(found) == 1 else found

    def _predicted(self, outcome: Outcome, X: ArrayLike) -> Prediction:
        if not outcome.forms:
            raise DataError(
                "this model has no weights of forms: fit it with model_selection='description_length' "
                "and do not interrupt the fit"
            )
        return predicted_by_forms(outcome, self._new_rows(X))

    def _announced(self: Self) -> Self:
        """Call the callback's method `on_choice`, if it has one."""
        on_choice = getattr(getattr(self, "callback", None), "on_choice", None)
        if callable(on_choice):
            on_choice(self.outcomes_)
        return self

    def _each(self, form: Callable[[Outcome], T]) -> T | list[T]:
        """Apply a function to each output; return a list only for several outputs."""
        check_is_fitted(self)
        found = [form(outcome) for outcome in self.outcomes_]
        return found[0] if len(found) == 1 else found


def _used(outcome: Outcome) -> list[int]:
    """Return the columns that a likely form uses."""
    used = {name for form in outcome.forms for name in form.entry.equation.variables_used}
    names = outcome.best.expression.vocabulary.inputs
    return [column for column, name in enumerate(names) if name in used]


def forms_table(outcome: Outcome) -> FormTable:
    """Return a table with one row per form; `attrs` has the weight of the others."""
    entries = [form.entry for form in outcome.forms]
    table = FormTable(
        {
            "weight": [form.weight for form in outcome.forms],
            "description_length": [entry.nats for entry in entries],
            "r2": [1.0 - entry.nrmse**2 for entry in entries],
            "n_constants": [sum(entry.is_free or ()) for entry in entries],
            "equation": [entry.equation.text() for entry in entries],
        }
    )
    table.attrs["weight_left"] = outcome.weight_left
    table.attrs[SHORT_TEXTS] = {entry.equation.text(): entry.short_text() for entry in entries}
    return table
