"""The facts and texts of a report: the choice, the search, the machine and the data."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddsr.report.curves import Curves
from ddsr.report.equations import ShownEquation, number_text
from ddsr.report.fits import Predictions
from ddsr.report.model import FittedModel, defaults_of, label_of, outcome_of, target_label_of
from ddsr.search.presets import parse_method, settings
from ddsr.storage.processor import processor_name
from ddsr.storage.version import ddsr_version

PACKAGES = ("numpy", "scikit-learn", "torch")
# Maximum number of columns to list, starting with those in the equation; the others are only counted.
MOST_COLUMNS = 30
STOPPED_BY = {
    "exact": "an exact equation was found",
    "max_time": "the time limit was reached",
    "max_epochs": "the maximum number of epochs was reached",
    "max_evaluations": "the maximum number of evaluations was reached",
    "stop_at": "an equation met the condition in stop_at",
    "no_progress": "no better equation was found for the number of epochs set by patience",
    "exhausted": "every expression was tried",
    "interrupt": "it was interrupted; this is the best result so far",
}
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
    """more facts about the search, by name"""
    machine: Mapping[str, str] | None = None
    """versions and hardware of the fit; None shows those of the machine that writes the page, and says so"""
    shell: str | None = None
    """the command that ran"""
    is_weighted: bool = False
    """whether rows had weights, if the model does not know"""
    has_counts: bool = False
    """whether rows had counts, if the model does not know"""
    has_errors: bool = False
    """whether rows had standard errors of y, if the model does not know"""


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
    search = {"stopped because": STOPPED_BY.get(model.stopped_by_, model.stopped_by_), **time}
    is_elsewhere = background.machine is not None
    return {
        "lead": f"{_count(len(model.front_), 'equation')} for {target}, from the simplest to the most "
        "accurate, and the one chosen for predictions.",
        "choice_reason": _choice_reason(model),
        "grid_note": getattr(model, "grid_note", ""),
        "tiles": {
            "R²": chosen.r2_text,
            **_error(model, chosen),
            "complexity": f"{chosen.complexity} tokens",
            **time,
        },
        "search_facts": {**search, "epochs": f"{model.n_epochs_:,}", **background.search},
        "settings": {name: repr(value) for name, value in changed_parameters(model).items()},
        "machine_title": "Machine and versions" + ("" if is_elsewhere else " (of this page)"),
        "machine_facts": background.machine if is_elsewhere else {**versions(), **hardware()},
        "version": versions()["ddsr"],
        "written_on": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _error(model: FittedModel, chosen: ShownEquation) -> dict[str, str]:
    """Return the error of the chosen equation by its label; it is weighted if noise is proportional to y."""
    outcome = outcome_of(model)
    if outcome is not None and not outcome.loss.is_squared:
        return {outcome.loss.label: number_text(chosen.loss, 3)}
    is_weighted = getattr(model, "noise_", "constant") == "relative"
    return {"root mean squared error" + " (weighted)" * is_weighted: number_text(chosen.loss**0.5, 3)}


def data_summary(
    model: FittedModel,
    chosen: ShownEquation,
    target: str,
    rows: NDArray[np.float64] | None,
    fit: Predictions | None,
) -> dict[str, Any]:
    """Return the texts about the data and the fit."""
    names = chosen.expression.vocabulary.inputs
    listed, n_more = columns(names, chosen.expression.variables_used, rows)
    for column in listed:
        column["name"] = label_of(model, column["name"])
    for each in chosen.expression.vocabulary.known_constants:
        known = {"name": f"{each} = {number_text(each.value, 6)}", "numbers": [""] * 3 * (rows is not None)}
        listed.append({**known, "is_used": each in chosen.expression.variables_used})
    n_rows = len(rows) if rows is not None else fit.n_sampled_from if fit else None
    text = _count(len(names), "variable") + ("" if n_rows is None else f", {n_rows:,} rows")
    if fit is None:
        text += "." if rows is not None else "; the data were not passed to the report."
    else:
        where = "" if rows is not None else " in the rows plotted above"
        low, high = (number_text(float(end)) for end in (fit.true.min(), fit.true.max()))
        text += f". {target_label_of(model, target)} lies between {low} and {high}{where}."
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
    preset = settings(parse_method(given["preset"]), given["config"])
    return f"The chosen one, in orange, {CHOICES[given['model_selection'] or preset.model_selection]}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed packages that a fit uses."""
    found = {"Python": platform.python_version(), "ddsr": ddsr_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def hardware() -> dict[str, str]:
    """Describe this machine."""
    facts = {"processor": processor_name(), "cores": str(os.cpu_count() or "unknown")}
    memory = _memory()
    if memory:
        facts["memory"] = f"{memory / 2**30:.0f} GiB"
    facts["system"] = f"{platform.system()} {platform.release()} ({platform.machine()})"
    return facts


def changed_parameters(model: FittedModel) -> dict[str, Any]:
    """Return the constructor's parameters that differ from their defaults, without the user's code."""
    defaults, given = defaults_of(model), model.get_params(deep=False)
    changed = {name for name, value in given.items() if _plain(value) != _plain(defaults.get(name))}
    return {name: given[name] for name in given if name in changed - {"callback", "contributors", "verbose"}}


def _plain(value: object) -> str:
    """Return the same text for equivalent values: files turn an empty tuple into an empty list."""
    return repr(tuple(value) if isinstance(value, list) else value)


def columns(
    names: tuple[str, ...], used: tuple[str, ...], X: NDArray[np.float64] | None
) -> tuple[list[dict[str, Any]], int]:
    """Return the listed variables, with statistics if there are data, and the number of the others."""
    order = sorted(range(len(names)), key=lambda column: names[column] not in used)[:MOST_COLUMNS]
    listed: list[dict[str, Any]] = [{"name": names[at], "is_used": names[at] in used} for at in order]
    for row, at in zip(listed, order, strict=True):
        if X is not None:
            row["numbers"] = [number_text(float(of(X[:, at]))) for of in (np.min, np.mean, np.max)]
    return listed, len(names) - len(listed)


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not available on this system
        return 0
