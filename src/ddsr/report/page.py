"""The report: one page with everything in it, that needs no other file and no network."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ddsr.errors import DataError, ReportError
from ddsr.report.constants import constants_table
from ddsr.report.curve_charts import Curves, gain_chart, legend, reward_chart
from ddsr.report.equations import ShownEquation, chosen_of, number_text, shown_equations
from ddsr.report.facts import columns, hardware, parameters, stop_reason, versions
from ddsr.report.fit_charts import Fit, parity_chart, residual_chart
from ddsr.report.front_chart import front_chart
from ddsr.report.glyphs import GlyphSheet
from ddsr.report.model import FittedModel
from ddsr.report.reproduce import recipes, reproduce_note

LANGUAGES = ("Python", "LaTeX", "SymPy")
WITHOUT_DATA = (
    "No data came with this model, so predictions cannot be shown beside true values. "
    "Give them to see them here: write_report(model, path, X, y)."
)


@dataclass(frozen=True)
class Background:
    """What is known of a run beside its model."""

    seconds: float | None = None
    """that the fit took"""
    search: Mapping[str, str] = field(default_factory=dict)
    """further facts of the search, by name"""
    machine: Mapping[str, str] | None = None
    """versions and hardware of the fit; None: those of the machine that writes the page"""
    shell: str | None = None
    """the command that ran"""


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
    where = Path(path)
    try:
        _write_whole(where, page)
    except OSError as error:
        raise ReportError(f"the report cannot be written to {where}: {error.strerror or error}") from error
    return where


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
    from markupsafe import Markup

    _check_is_reportable(model)
    background = background or Background()
    sheet = GlyphSheet()
    equations = shown_equations(model, target, sheet)
    rows, fit = _fit_on(model, X, y)
    curves = Curves.of(getattr(model, "curves_", None))
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
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(_part("page.html"))
    return template.render(
        {name: Markup(text) for name, text in markup.items()},
        title=title or f"An equation for {target}",
        equations=[_with_markup(equation) for equation in equations],
        chosen=_with_markup(chosen_of(equations)),
        fit=fit,
        curves=curves,
        **_texts(model, chosen_of(equations), target, fit, curves, background),
        **_data_facts(chosen_of(equations), target, rows, fit),
        languages=LANGUAGES,
        equation_data=[_script_data(equation) for equation in equations],
        intervals=constants_table(model),
        recipes=recipes(model, target, background.shell),
        reproduce_note=reproduce_note(model),
    )


def _texts(
    model: FittedModel,
    chosen: ShownEquation,
    target: str,
    fit: Fit | None,
    curves: Curves | None,
    background: Background,
) -> dict[str, Any]:
    """What is said in words and numbers around the pictures."""
    seconds = background.seconds
    if seconds is None and curves is not None:
        seconds = float(curves.seconds[-1])
    search = {"stopped because": stop_reason(model)}
    if seconds is not None:
        search["time"] = duration_text(seconds)
    if curves is not None:
        search["epochs"] = str(curves.n_epochs)
    machine = {**versions(), **hardware()} if background.machine is None else dict(background.machine)
    tiles = [
        {"label": "R²", "value": chosen.r2_text},
        {"label": "root mean squared error", "value": number_text(chosen.loss**0.5, 3)},
        {"label": "complexity", "value": f"{chosen.complexity} tokens"},
    ]
    if seconds is not None:
        tiles.append({"label": "time", "value": duration_text(seconds)})
    n_equations = len(model.front_)
    return {
        "lead": f"{n_equations} equation{'s' * (n_equations != 1)} for {target}, from the simplest to the most "
        "accurate, and the one that weighs both best.",
        "choice_reason": _choice_reason(model),
        "tiles": tiles,
        "search_facts": {**search, **background.search},
        "settings": parameters(model),
        "machine_facts": machine,
        "machine_title": "Machine and versions"
        if background.machine is not None
        else "Machine and versions that wrote this page",
        "versions": versions(),
        "fit_summary": _fit_summary(fit) if fit else "",
        "missing_data": WITHOUT_DATA,
        "written_on": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _data_facts(
    chosen: ShownEquation, target: str, rows: NDArray[np.float64] | None, fit: Fit | None
) -> dict[str, Any]:
    names = chosen.expression.vocabulary.variables
    listed, n_more = columns(names, chosen.expression.variables_used, rows)
    if rows is None or fit is None:
        summary = f"{len(names)} variable{'s' * (len(names) != 1)}; the data themselves were not given."
    else:
        summary = (
            f"{len(rows):,} rows, {len(names)} variable{'s' * (len(names) != 1)}. The target {target} lies between "
            f"{number_text(fit.lowest)} and {number_text(fit.highest)}."
        )
    return {
        "has_data": rows is not None,
        "data_summary": summary,
        "columns": listed,
        "n_more_columns": n_more,
    }


def _fit_on(
    model: FittedModel, X: ArrayLike | None, y: ArrayLike | None
) -> tuple[NDArray[np.float64] | None, Fit | None]:
    """The rows, and predictions on them; None for both without data."""
    if (X is None) != (y is None):
        raise DataError("a report shows predictions beside true values: give both X and y, or neither")
    if X is None or y is None:
        return None, None
    true = np.asarray(y, dtype=np.float64).reshape(-1)
    predicted = np.asarray(model.predict(X), dtype=np.float64)
    if len(true) != len(predicted):
        raise DataError(f"X has {len(predicted)} rows, but y has {len(true)} values")
    rows = np.asarray(X, dtype=np.float64)
    fit = Fit.of(true, predicted)
    return rows, fit if len(fit.true) else None


def _fit_summary(fit: Fit) -> str:
    text = f"On {fit.n_rows:,} rows: R² {number_text(fit.r2, 6)}, root mean squared error {number_text(fit.rmse)}."
    if fit.n_left_out:
        text += f" The equation has no finite value on {fit.n_left_out:,} of them, which are left out."
    return text


def _choice_reason(model: FittedModel) -> str:
    reasons = {
        "description_length": "The one that predicts, in orange, has the shortest description of equation and data.",
        "accuracy": "The one that predicts, in orange, is the most accurate.",
        "best": "The one that predicts, in orange, weighs error against size.",
    }
    name = model.get_params(deep=False).get("model_selection")
    return reasons.get(str(name), "The one that predicts is orange.")


def duration_text(seconds: float) -> str:
    """0.42 s, 12.3 s, 4 min 05 s, 2 h 13 min."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def _with_markup(equation: ShownEquation) -> dict[str, Any]:
    from markupsafe import Markup

    names = ("index", "complexity", "loss_text", "r2_text", "is_chosen")
    return {name: getattr(equation, name) for name in names} | {"typeset": Markup(equation.typeset)}


def _script_data(equation: ShownEquation) -> dict[str, Any]:
    return {
        "complexity": equation.complexity,
        "r2": equation.r2_text,
        "text": equation.short_text,
        "is_chosen": equation.is_chosen,
        "copies": equation.copies,
    }


def _check_is_reportable(model: FittedModel) -> None:
    if not hasattr(model, "front_"):
        raise ReportError("this model is not fitted: call fit before writing its report")
    if not isinstance(model.best_, object) or isinstance(model.equations_, list):
        raise ReportError("a report is of one target: write one for each of the outputs")


def _part(name: str) -> str:
    return files("ddsr.report").joinpath(name).read_text(encoding="utf-8")


def _write_whole(path: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        # a temporary file is for its owner alone; a report is as readable as any new file
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
