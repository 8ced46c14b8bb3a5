"""The report: one self-contained HTML page, which needs no other file and no network."""

from __future__ import annotations

import os
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ddsr.data.losses import SQUARED
from ddsr.errors import DataError, ReportError
from ddsr.report.certainty import constants_of, curve_chart, shown_certainty
from ddsr.report.charts import (
    MOST_DOTS,
    front_chart,
    gain_chart,
    parity_chart,
    residual_chart,
    reward_chart,
)
from ddsr.report.curves import Curves
from ddsr.report.equations import chosen_of, shown_equations
from ddsr.report.facts import Background, data_summary, summary
from ddsr.report.fits import Predictions
from ddsr.report.model import (
    FittedModel,
    coded_labels,
    outcome_of,
    outputs_of,
    preparation_of,
    target_label_of,
    values_of,
)
from ddsr.report.reproduce import recipes, reproduce_note
from ddsr.storage.files import write_whole

LANGUAGES = ("Python", "LaTeX", "SymPy")


def write_report(
    model: Any,
    path: str | os.PathLike[str],
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    target: str = "y",
    title: str | None = None,
    output: int | None = None,
    background: Background | None = None,
) -> Path:
    """Write the report of a fitted model to one HTML file.

    With data, the report shows how well the equation fits. For a model with several outputs, `output` is the
    number of the one to report on. The file is written atomically.
    """
    page = report_html(model, X, y, target=target, title=title, output=output, background=background)
    write_whole(Path(path), page.encode())
    return Path(path)


def report_html(
    model: Any,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    target: str = "y",
    title: str | None = None,
    output: int | None = None,
    background: Background | None = None,
) -> str:
    """Return the report as text."""
    one = _one_output(outputs_of(model), output)
    rows, true, fit = _fit_on(one, X, y, output)
    measured = _sampled_rows(one) if rows is None or true is None else (rows, true)
    title = title or f"An equation for {target}"
    return _page(one, rows, measured, fit, target, title, background or Background())


def _page(
    model: FittedModel,
    rows: NDArray[np.float64] | None,
    measured: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
    fit: Predictions | None,
    target: str,
    title: str,
    background: Background,
) -> str:
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    outcome, label = outcome_of(model), target_label_of(model, target)
    loss = SQUARED if outcome is None else outcome.loss
    equations = shown_equations(model, loss.named(target))
    chosen = chosen_of(equations)
    curves = Curves.of(getattr(model, "curves_", None))
    measured = measured if loss.is_of_values else None  # no curve goes through labels
    fit = fit if fit is None or loss.is_of_values else fit.as_probabilities()
    certainty = shown_certainty(model, loss.named(target), *(measured or ()))
    has_curve = certainty is not None and certainty["chart"]
    curve = "" if measured is None or has_curve else curve_chart(model, target, *measured)
    flags = {"weights": "is_weighted", "counts": "has_counts", "errors": "has_errors"}
    extras = [
        name for name, flag in flags.items() if getattr(background, flag) or getattr(model, f"{flag}_", False)
    ]
    if fit is not None and extras:  # weights allow large residuals, and some rows may not count
        fit = replace(fit, far=())
    picture, points = front_chart(equations, loss.label)
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(_part("page.html"))
    return template.render(
        style=Markup(_part("page.css")),
        script=Markup(_part("page.js")),
        title=title,
        equations=equations,
        loss_label=loss.label,
        chosen=chosen,
        languages=LANGUAGES,
        equation_data=[equation.script_data for equation in equations],
        front_chart=picture,
        front_points=points,
        fit=fit,
        curve_chart=curve,
        parity_chart=parity_chart(fit, label) if fit else "",
        residual_chart=residual_chart(fit, label) if fit else "",
        is_dense=fit and len(fit.true) > MOST_DOTS,
        curves=curves,
        reward_chart=reward_chart(curves) if curves else "",
        gain_chart=gain_chart(curves) if curves and curves.gains else "",
        certainty=certainty,
        constants=constants_of(model),
        recipes=recipes(model, target, background.shell, extras),
        reproduce_note=reproduce_note(model, extras),
        **summary(model, chosen, target, curves, background),
        preparation=preparation_of(model),
        **data_summary(model, chosen, target, rows, fit),
    )


def _one_output(outputs: list[FittedModel], output: int | None) -> FittedModel:
    if output is None and len(outputs) == 1:
        return outputs[0]
    if output is None or not 0 <= output < len(outputs):
        raise ReportError(
            f"a report covers one output, and this model has {len(outputs)}: "
            f"pass output, from 0 to {len(outputs) - 1}"
        )
    return outputs[output]


def _fit_on(
    model: FittedModel, X: ArrayLike | None, y: ArrayLike | None, output: int | None
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None, Predictions | None]:
    """Return the rows, their true values, and the fit on them.

    Without data, the fit is that on the sample that the model keeps.
    """
    if (X is None) != (y is None):
        raise DataError("a report compares predictions with true values: pass both X and y, or neither")
    if X is None or y is None:
        return None, None, Predictions.sampled(model)
    true = _target(coded_labels(model, y), output)
    predicted = np.asarray(values_of(model, X), dtype=np.float64)
    if len(true) != len(predicted):
        raise DataError(f"X has {len(predicted)} rows, but y has {len(true)} values")
    if preparation_of(model) is None:
        rows, is_kept = np.asarray(X, dtype=np.float64), slice(None)
    else:  # rows with missing values were dropped or are not predicted
        rows = model.prepare(X).to_numpy()  # type: ignore[attr-defined]
        is_kept = ~np.isnan(np.column_stack([rows, true])).any(axis=1)
    rows, true = rows[is_kept], true[is_kept]
    return rows, true, Predictions.of(true, predicted[is_kept])


def _target(y: ArrayLike | None, output: int | None) -> NDArray[np.float64]:
    """Return the values of an output, whose number is given if there are several."""
    targets = np.asarray(y, dtype=np.float64)
    is_table = targets.ndim == 2 and targets.shape[1] > 1
    return targets[:, output or 0] if is_table else targets.reshape(-1)


def _sampled_rows(model: FittedModel) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return the inputs and true values of the sample that the model keeps, if it has one input."""
    sample, inputs = getattr(model, "fit_sample_", None), getattr(model, "fit_inputs_", None)
    variables = model.best_.equation.vocabulary.inputs
    if sample is None or inputs is None or tuple(inputs.columns) != variables:
        return None
    return inputs.to_numpy(dtype=np.float64), sample["true"].to_numpy(dtype=np.float64)


def _part(name: str) -> str:
    return files("ddsr.report").joinpath(name).read_text(encoding="utf-8")
