"""The texts and numbers of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddsr.report.curves import Curves
from ddsr.report.equations import ShownEquation, number_text
from ddsr.report.facts import columns, hardware, parameters, stop_reason, versions
from ddsr.report.fits import Predictions
from ddsr.report.model import FittedModel
from ddsr.search.presets import parse_method, settings

WITHOUT_DATA = (
    "This model was saved without data, so predictions cannot be compared with true values. "
    "To show them, pass the data: write_report(model, path, X, y)."
)
WITHOUT_VALUES = "The chosen equation has no finite value on any row, so there is nothing to plot."
CHOICES = {
    "description_length": "has the shortest description length: equation, constants and residuals together.",
    "accuracy": "is the most accurate.",
    "best": "has the best trade-off between error and size.",
}


@dataclass(frozen=True)
class Background:
    """Facts about a run that its model does not contain."""

    seconds: float | None = None
    """duration of the fit"""
    search: Mapping[str, str] = field(default_factory=dict)
    """further facts about the search, by name"""
    machine: Mapping[str, str] | None = None
    """versions and hardware of the fit; None shows those of the machine that writes the page, and says so"""
    shell: str | None = None
    """the command that ran"""
    is_weighted: bool = False
    """whether rows had weights, if the model does not know"""
    has_counts: bool = False
    """whether rows had counts, if the model does not know"""


def summary(
    model: FittedModel,
    chosen: ShownEquation,
    target: str,
    curves: Curves | None,
    background: Background,
) -> dict[str, Any]:
    """Return the texts about the choice and the search."""
    seconds = background.seconds
    if seconds is None:
        seconds = getattr(model, "fit_seconds_", float(curves.seconds[-1]) if curves else None)
    time = {} if seconds is None else {"time": duration_text(seconds)}
    n_epochs = {"epochs": f"{model.n_epochs_:,}"}
    is_elsewhere = background.machine is not None
    return {
        "lead": f"{_count(len(model.front_), 'equation')} for {target}, from the simplest to the most "
        "accurate, and the one chosen for predictions.",
        "choice_reason": _choice_reason(model),
        "tiles": {
            "R²": chosen.r2_text,
            "root mean squared error": number_text(chosen.loss**0.5, 3),
            "complexity": f"{chosen.complexity} tokens",
            **time,
        },
        "search_facts": {"stopped because": stop_reason(model), **time, **n_epochs, **background.search},
        "settings": parameters(model),
        "machine_title": "Machine and versions" + ("" if is_elsewhere else " (of this page)"),
        "machine_facts": background.machine if is_elsewhere else {**versions(), **hardware()},
        "version": versions().get("ddsr", ""),
        "written_on": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    }


def data_summary(
    chosen: ShownEquation, target: str, rows: NDArray[np.float64] | None, fit: Predictions | None
) -> dict[str, Any]:
    """Return the texts about the data and the fit."""
    names = chosen.expression.vocabulary.variables
    listed, n_more = columns(names, chosen.expression.variables_used, rows)
    n_rows = len(rows) if rows is not None else fit.n_sampled_from if fit else None
    text = _count(len(names), "variable") + ("" if n_rows is None else f", {n_rows:,} rows")
    if fit is None:
        text += "." if rows is not None else "; the data were not passed to the report."
    else:
        where = "" if rows is not None else " in the rows plotted above"
        text += f". {target} lies between {number_text(fit.lowest)} and {number_text(fit.highest)}{where}."
    return {
        "fit_summary": "" if fit is None else fit.summary,
        "missing_data": "" if fit else WITHOUT_VALUES if rows is not None else WITHOUT_DATA,
        "has_data": rows is not None,
        "data_summary": text,
        "columns": listed,
        "n_more_columns": n_more,
    }


def duration_text(seconds: float) -> str:
    """Format a duration: 0.42 s, 12.3 s, 4 min 05 s, 2 h 13 min."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def _choice_reason(model: FittedModel) -> str:
    given = model.get_params(deep=False)
    name = (
        given["model_selection"] or settings(parse_method(given["preset"]), given["config"]).model_selection
    )
    return f"The chosen one, in orange, {CHOICES[name]}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
