"""The certainty of the choice: a sentence, the likely forms, a chart for one input, the constants."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ddsr.data.units import labelled
from ddsr.errors import DDSRError
from ddsr.expression import Expression
from ddsr.expression.printing import SHORT_PRECISION
from ddsr.report.charts import band_chart
from ddsr.report.equations import number_text, r2_text, typeset
from ddsr.report.model import FittedModel, label_of, outcome_of, target_label_of
from ddsr.selection.bands import Band
from ddsr.selection.certainty import Certainty, certainty_of, percent, where_text
from ddsr.selection.posterior import Form

MOST_ROWS = 8
LEAST_LISTED = 0.01  # share of the total weight, below which forms are not listed
SHOWN_LEFT = 0.0005  # weights below this get no row


def shown_certainty(
    model: FittedModel,
    target: str,
    X: NDArray[np.float64] | None = None,
    y: ArrayLike | None = None,
) -> dict[str, Any] | None:
    """Return the parts of the section, or None if forms have no weights."""
    outcome = outcome_of(model)
    certainty = None if outcome is None else certainty_of(outcome)
    if outcome is None or certainty is None:
        return None
    listed = [form for form in outcome.forms if form.weight >= LEAST_LISTED][:MOST_ROWS]
    left = outcome.weight_left + sum(form.weight for form in outcome.forms if form not in listed)
    chart, legend = _picture(model, certainty, target, X, y)
    return {
        "sentence": certainty.sentence,
        "rows": [_row(form, form is certainty.chosen, target) for form in listed] if len(listed) > 1 else [],
        "weight_left": percent(left) if left >= SHOWN_LEFT else "",
        "chart": chart,
        "legend": legend,
    }


def _row(form: Form, is_chosen: bool, target: str) -> dict[str, Any]:
    return {
        "weight": percent(form.weight),
        "r2": r2_text(1.0 - form.entry.nrmse**2),
        "typeset": typeset(form.entry, target),
        "is_chosen": is_chosen,
        "where": "" if form.parting is None else where_text(form.parting),
    }


def _picture(
    model: FittedModel,
    certainty: Certainty,
    target: str,
    X: NDArray[np.float64] | None,
    y: ArrayLike | None,
) -> tuple[Any, list[tuple[str, str]]]:
    """Return the band chart and its legend; both are empty unless the data have one input."""
    outcome = outcome_of(model)
    if outcome is None or X is None or y is None or X.shape[1] != 1:
        return "", []
    entries = [outcome.best, *(form.entry for form in certainty.others)]
    equations = [entry.equation for entry in entries]
    x, measured = np.ascontiguousarray(X[:, 0]), np.asarray(y, dtype=np.float64)
    band = Band.over(x, outcome, equations)
    chart = band_chart(band, x, measured, *_axes(model, equations[0], target))
    texts = [f"{target} = {entry.equation.text(entry.precision)}" for entry in entries]
    shares = [certainty.probability, *(form.weight for form in certainty.others)]
    return chart, list(zip(texts, map(percent, shares), strict=True))


def curve_chart(model: FittedModel, target: str, X: NDArray[np.float64], y: NDArray[np.float64]) -> Any:
    """Return the chart of the data and the chosen equation for data with one input, otherwise nothing."""
    outcome = outcome_of(model)
    if outcome is None or X.shape[1] != 1:
        return ""
    equation, x = outcome.best.equation, np.ascontiguousarray(X[:, 0])
    band = Band.over(x, outcome, [equation], has_band=False)
    return band_chart(band, x, y, *_axes(model, equation, target))


def _axes(model: FittedModel, equation: Expression, target: str) -> tuple[str, str]:
    """Return the labels of the axes: input and target with their units."""
    return label_of(model, equation.vocabulary.inputs[0]), target_label_of(model, target)


def constants_of(model: FittedModel) -> dict[str, Any] | None:
    """Return the equation with named constants, and a row of texts for each constant.

    The result is None if the model has no intervals or the equation has no constants.
    """
    intervals_of = getattr(model, "confidence_intervals", None)
    if intervals_of is None:
        return None
    try:
        table: pd.DataFrame = intervals_of()
    except DDSRError:  # they were not measured
        return None
    rows = [
        [labelled(str(name), row.get("unit")), number_text(row["value"], 6), *_interval(row)]
        for name, row in zip(table.index, table.to_dict("records"), strict=True)
    ]
    if not rows:
        return None
    return {"equation": table.attrs.get("equation", ""), "rows": rows, "functions": _functions(model)}


def _functions(model: FittedModel) -> list[tuple[str, str]]:
    """Return the unknown functions of the template with the expressions found for them."""
    outcome = outcome_of(model)
    if outcome is None:
        return []
    found = outcome.best.equation.functions
    return [(name, part.text(SHORT_PRECISION)) for name, part in found.items()]


def _interval(row: dict[str, float]) -> list[str]:
    if row["is_exact"] or not isfinite(row["standard_error"]):
        return ["fixed" if row["is_exact"] else "unknown", "", ""]
    return [number_text(row["standard_error"], 2), number_text(row["low"], 6), number_text(row["high"], 6)]
