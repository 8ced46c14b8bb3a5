"""How sure the choice is: a sentence, a table of the likely forms, and a chart for data with one input."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ddsr.estimator.certainty import Certainty, certainty_of, percent, where_text
from ddsr.estimator.fit import Outcome
from ddsr.estimator.uncertainty import weight_left
from ddsr.report.band import Band
from ddsr.report.charts import band_chart
from ddsr.report.equations import SHORT_PRECISION, r2_text, typeset
from ddsr.report.model import FittedModel, outcome_of
from ddsr.selection.posterior import Form

MOST_ROWS = 8
LEAST_LISTED = 0.01  # of the weight
SHOWN_LEFT = 0.0005  # a smaller weight gets no row


class FormRow(NamedTuple):
    """A row of the table of forms."""

    weight: str
    r2: str
    typeset: Any
    """markup"""
    is_chosen: bool
    where: str


class ShownCertainty(NamedTuple):
    """The certainty section of the page."""

    sentence: str
    rows: list[FormRow]
    weight_left: str
    """weight of the forms that are not in the table; empty if negligible"""
    chart: Any
    """markup; empty if there is no chart"""
    legend: list[tuple[str, str]]
    """equations of the chart and their weights"""


def shown_certainty(
    model: FittedModel,
    target: str,
    X: NDArray[np.float64] | None = None,
    y: ArrayLike | None = None,
) -> ShownCertainty | None:
    """Return the certainty section, or None if forms have no weights."""
    from markupsafe import Markup

    outcome = outcome_of(model)
    certainty = None if outcome is None else certainty_of(outcome)
    if outcome is None or certainty is None:
        return None
    listed = [form for form in outcome.forms if form.weight >= LEAST_LISTED][:MOST_ROWS]
    left = weight_left(outcome) + sum(form.weight for form in outcome.forms if form not in listed)
    chart, legend = _picture(outcome, certainty, target, X, y)
    return ShownCertainty(
        certainty.sentence,
        [_row(form, form is certainty.chosen, target) for form in listed] if len(listed) > 1 else [],
        percent(left) if left >= SHOWN_LEFT else "",
        Markup(chart),
        legend,
    )


def _row(form: Form, is_chosen: bool, target: str) -> FormRow:
    from markupsafe import Markup

    markup = Markup(typeset(form.entry.equation, target))
    where = "" if form.parting is None else where_text(form.parting)
    return FormRow(percent(form.weight), r2_text(1.0 - form.entry.nrmse**2), markup, is_chosen, where)


def _picture(
    outcome: Outcome,
    certainty: Certainty,
    target: str,
    X: NDArray[np.float64] | None,
    y: ArrayLike | None,
) -> tuple[str, list[tuple[str, str]]]:
    """Return the band chart and its legend; both are empty unless the data have one input."""
    if X is None or y is None or X.shape[1] != 1:
        return "", []
    equations = [outcome.best.equation, *(form.entry.equation for form in certainty.others)]
    x, measured = np.ascontiguousarray(X[:, 0]), np.asarray(y, dtype=np.float64)
    band = Band.over(x, outcome, equations)
    chart = band_chart(band, x, measured, equations[0].vocabulary.variables[0], target)
    texts = [f"{target} = {equation.text(SHORT_PRECISION)}" for equation in equations]
    shares = [certainty.probability, *(form.weight for form in certainty.others)]
    return chart, list(zip(texts, map(percent, shares), strict=True))
