"""Lines that do again what a report shows."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from io import StringIO
from math import inf, isfinite
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np

from ddsr.report.facts import changed_parameters
from ddsr.report.model import FittedModel

# Parameters that the command line has as options of `ddsr fit`.
OPTIONS = {
    "preset": "--preset",
    "max_time": "--time",
    "max_epochs": "--epochs",
    "max_length": "--max-size",  # of the config
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "device": "--device",
    "model_selection": "--selection",
    "prior": "--prior",
}


WEIGHTS, COUNTS = "weights", "counts"
"""What the columns with the weights and the counts of the rows are called; no model keeps their names."""


class Recipe(NamedTuple):
    """Text to copy, and where it belongs."""

    title: str
    text: str


def python_lines(
    model: FittedModel,
    target: str,
    names: tuple[str, ...],
    is_weighted: bool = False,
    has_counts: bool = False,
) -> str:
    """A script that fits again; the data file's name is the reader's to fill in."""
    settings = _writable(model)
    imports = ["import pandas as pd", "", "from ddsr import DDSRRegressor"]
    imports += _imports_of(settings)
    arguments = [repr(settings.pop("preset"))] if "preset" in settings else []
    arguments += [f"{name}={_python(value)}" for name, value in settings.items()]
    weights = f", sample_weight=data[{WEIGHTS!r}]" if is_weighted else ""
    weights += f", counts=data[{COUNTS!r}]" if has_counts else ""
    return "\n".join(
        [
            *imports,
            "",
            'data = pd.read_csv("data.csv")',
            f"X, y = data[{list(names)!r}], data[{target!r}]",
            f"model = DDSRRegressor({', '.join(arguments)}).fit(X, y{weights})",
            "print(model.equations_)",
        ]
    )


def shell_line(
    model: FittedModel,
    target: str,
    names: tuple[str, ...],
    is_weighted: bool = False,
    has_counts: bool = False,
) -> str | None:
    """The command that fits again; None where a setting has no option of its own."""
    settings = _writable(model)
    operators = settings.pop("operators", None)
    texts = [("--guess", settings.pop("guesses", ())), ("--rule", settings.pop("rules", ()))]
    if isinstance(settings.get("config"), dict) and [*settings["config"]] == ["max_length"]:
        settings["max_length"] = settings.pop("config")["max_length"]
    if "prior" in settings and settings["prior"] is None:
        settings["prior"] = "none"
    has_options = all(
        name in OPTIONS and isinstance(value, (str, int, float)) for name, value in settings.items()
    )
    # without either the command sets a limit of its own
    is_limited = "max_time" in settings or "max_epochs" in settings
    is_limited &= settings.get("max_time") != inf  # which the command does not take
    are_texts = all(
        isinstance(each, (list, tuple)) and all(isinstance(one, str) for one in each) for _, each in texts
    )
    if not (has_options and is_limited and are_texts):
        return None
    words = ["ddsr", "fit", "data.csv", "--target", target, "--features", _listed(names)]
    words += ["--weights", WEIGHTS] if is_weighted else []
    words += ["--counts", COUNTS] if has_counts else []
    for name, value in settings.items():
        words += [OPTIONS[name], str(value)]
    if operators is not None:
        words += ["--operators", _listed(operators)]
    for option, each in texts:
        for text in each:
            words += [option, text]
    return shlex.join(words)


def _listed(names: Iterable[str]) -> str:
    """With commas between them, and in double quotes where one has a comma of its own."""
    line = StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def recipes(
    model: FittedModel,
    target: str,
    command: str | None = None,
    is_weighted: bool = False,
    has_counts: bool = False,
) -> list[Recipe]:
    """In Python, and in a shell where that is possible; `command` is what ran, where that is known."""
    names = model.best_.equation.vocabulary.variables
    line = command or shell_line(model, target, names, is_weighted, has_counts)
    found = [Recipe("Python", python_lines(model, target, names, is_weighted, has_counts))]
    return [*found, Recipe("Shell", line)] if line else found


def reproduce_note(model: FittedModel, is_weighted: bool = False, has_counts: bool = False) -> str:
    """Whether doing it again gives the same equations."""
    settings = model.get_params(deep=False)
    text = "Put the name of your data file in the place of data.csv"
    text += (
        f", and that of the column with the rows' weights in the place of {WEIGHTS}" if is_weighted else ""
    )
    text += f", and that of the column with the rows' counts in the place of {COUNTS}" if has_counts else ""
    text += "."
    if settings.get("random_state") is None:
        return text + " No random_state was set, so another run may find other equations."
    if isinstance(settings["random_state"], np.random.RandomState):
        return text + " The random_state was no number, so another run may find other equations."
    if settings.get("max_time") not in (None, inf):
        return text + (
            " The time was limited, and how far a search comes in it depends on the machine; with max_epochs "
            "instead of max_time the same random_state gives the same equations."
        )
    return text + " The same random_state gives the same equations on the same machine."


def _writable(model: FittedModel) -> dict[str, Any]:
    """What was set as values that can be written down: numbers of NumPy as Python's, no running generator."""
    return {
        name: _as_text_or_number(value)
        for name, value in changed_parameters(model).items()
        if not isinstance(value, np.random.RandomState)
    }


def _as_text_or_number(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return fspath(value) if isinstance(value, PathLike) else value


def _python(value: Any) -> str:
    return f'float("{value}")' if isinstance(value, float) and not isfinite(value) else repr(value)


def _imports_of(settings: dict[str, Any]) -> list[str]:
    """Rules and configurations are written by the names of their classes."""
    kinds = sorted(_classes_in([*settings.values()]), key=lambda kind: kind.__name__)
    return [f"from {kind.__module__} import {kind.__name__}" for kind in kinds]


def _classes_in(value: object) -> set[type]:
    """The package's own classes that it takes to write the value, and those of paths."""
    if isinstance(value, Mapping):
        return _classes_in([*value.values()])
    if isinstance(value, (list, tuple, set, frozenset)):
        return set().union(*map(_classes_in, value))
    if isinstance(value, PathLike):
        return {type(value)}
    if not type(value).__module__.startswith("ddsr."):
        return set()
    parts = [getattr(value, part.name) for part in fields(value)] if is_dataclass(value) else []
    return {type(value)} | _classes_in(parts)
