"""The report: one page with everything in it, that needs no other file and no network."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ddsr.errors import DataError, ReportError
from ddsr.files import write_whole
from ddsr.report.constants import constants_table
from ddsr.report.curve_charts import Curves, gain_chart, legend, reward_chart
from ddsr.report.equations import ShownEquation, chosen_of, shown_equations
from ddsr.report.fit_charts import Fit, parity_chart, residual_chart
from ddsr.report.front_chart import front_chart
from ddsr.report.glyphs import GlyphSheet
from ddsr.report.model import FittedModel
from ddsr.report.reproduce import recipes, reproduce_note
from ddsr.report.wording import Background, data_summary, summary

LANGUAGES = ("Python", "LaTeX", "SymPy")


def write_report(
    model: FittedModel,
    path: str | os.PathLike[str],
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    target: str = "y",
    title: str | None = None,
    background: Background | None = None,
) -> Path:
    """Write the report of a fitted model as one HTML file; with data, it shows how well the equation fits.

    The file appears whole or not at all.
    """
    page = report_html(model, X, y, target=target, title=title, background=background)
    write_whole(Path(path), page.encode())
    return Path(path)


def report_html(
    model: FittedModel,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    target: str = "y",
    title: str | None = None,
    background: Background | None = None,
) -> str:
    """The page as text."""
    from jinja2 import Environment, StrictUndefined

    _check_is_reportable(model)
    background = background or Background()
    sheet = GlyphSheet()
    equations = shown_equations(model, target, sheet)
    chosen = chosen_of(equations)
    rows, fit = _fit_on(model, X, y)
    curves = Curves.of(getattr(model, "curves_", None))
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(_part("page.html"))
    return template.render(
        title=title or f"An equation for {target}",
        equations=[_with_markup(equation) for equation in equations],
        chosen=_with_markup(chosen),
        languages=LANGUAGES,
        equation_data=[_script_data(equation) for equation in equations],
        fit=fit,
        curves=curves,
        intervals=constants_table(model),
        recipes=recipes(model, target, background.shell),
        reproduce_note=reproduce_note(model),
        **summary(model, chosen, target, curves, background),
        **data_summary(chosen, target, rows, fit),
        **_pictures(equations, target, fit, curves, sheet),
    )


def _pictures(
    equations: list[ShownEquation], target: str, fit: Fit | None, curves: Curves | None, sheet: GlyphSheet
) -> dict[str, Any]:
    """What is markup already, and must not be escaped."""
    from markupsafe import Markup

    markup = {
        "style": _part("page.css"),
        "script": _part("page.js"),
        "glyphs": sheet.definitions(),
        "front_chart": front_chart(equations),
        "parity_chart": parity_chart(fit, target) if fit else "",
        "residual_chart": residual_chart(fit, target) if fit else "",
        "reward_chart": reward_chart(curves) if curves else "",
        "gain_chart": gain_chart(curves) if curves and curves.gains else "",
        "gain_legend": legend(curves) if curves else "",
    }
    return {name: Markup(text) for name, text in markup.items()}


def _fit_on(
    model: FittedModel, X: ArrayLike | None, y: ArrayLike | None
) -> tuple[NDArray[np.float64] | None, Fit | None]:
    """The rows, and predictions on them; without data, on those that the model has kept."""
    if (X is None) != (y is None):
        raise DataError("a report shows predictions beside true values: give both X and y, or neither")
    if X is None or y is None:
        return None, Fit.sampled(model)
    true = np.asarray(y, dtype=np.float64).reshape(-1)
    predicted = np.asarray(model.predict(X), dtype=np.float64)
    if len(true) != len(predicted):
        raise DataError(f"X has {len(predicted)} rows, but y has {len(true)} values")
    return np.asarray(X, dtype=np.float64), Fit.of(true, predicted)


def _with_markup(equation: ShownEquation) -> dict[str, Any]:
    from markupsafe import Markup

    names = ("index", "complexity", "loss_text", "r2_text", "is_chosen", "exact_text")
    return {name: getattr(equation, name) for name in names} | {"typeset": Markup(equation.typeset)}


def _script_data(equation: ShownEquation) -> dict[str, Any]:
    return {
        "complexity": equation.complexity,
        "r2": equation.r2_text,
        "text": equation.short_text,
        "exact": equation.exact_text,
        "is_chosen": equation.is_chosen,
        "copies": equation.copies,
    }


def _check_is_reportable(model: FittedModel) -> None:
    if not hasattr(model, "front_"):
        raise ReportError("this model is not fitted: call fit before writing its report")
    if isinstance(model.equations_, list):
        raise ReportError("a report is of one target, and this model has several: write one for each")


def _part(name: str) -> str:
    return files("ddsr.report").joinpath(name).read_text(encoding="utf-8")
