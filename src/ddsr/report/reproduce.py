"""Code and commands that reproduce what a report shows."""

from __future__ import annotations

import csv
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from io import StringIO
from itertools import chain
from math import inf, isfinite
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np

from ddsr.expression.own_operators import CustomOperator, OwnOperator
from ddsr.report.facts import changed_parameters
from ddsr.report.model import FittedModel, estimator_of, preparation_of

# Parameters that are options of `ddsr fit`.
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
    "missing": "--missing",
    "categories": "--categories",
    "dates": "--dates",
    "unit_constants": "--unit-constants",
}
COSTS = {"operator_costs": "--operator-cost", "variable_costs": "--variable-cost"}  # of the config


# Columns other than variables, by names for the reader to replace, with the arguments of `fit` for them.
EXTRAS = {"weights": "sample_weight", "counts": "counts", "errors": "y_err"}


class Recipe(NamedTuple):
    """Text to copy, and its language."""

    title: str
    text: str


def python_lines(model: FittedModel, target: str, names: tuple[str, ...], extras: Sequence[str] = ()) -> str:
    """Return a Python script that repeats the fit; the reader fills in the name of the data file."""
    settings = _writable(model)
    estimator = estimator_of(model).__name__
    imports = ["import pandas as pd", "", f"from ddsr import {estimator}"]
    imports += _imports_of(settings)
    arguments = [repr(settings.pop("preset"))] if "preset" in settings else []
    arguments += [f"{name}={_python(value)}" for name, value in settings.items()]
    columns = "".join(f", {EXTRAS[name]}=data[{name!r}]" for name in extras)
    return "\n".join(
        [
            *imports,
            "",
            'data = pd.read_csv("data.csv")',
            f"X, y = data[{list(names)!r}], data[{target!r}]",
            f"model = {estimator}({', '.join(arguments)}).fit(X, y{columns})",
            "print(model.equations_)",
        ]
    )


def shell_line(
    model: FittedModel, target: str, names: tuple[str, ...], extras: Sequence[str] = ()
) -> str | None:
    """Return the command that repeats the fit; None if a setting has no option."""
    settings = _writable(model)
    if hasattr(estimator_of(model), "decision_function"):  # the command fits no classes
        return None
    operators = settings.pop("operators", None)
    if operators is not None and any(isinstance(each, CustomOperator) for each in operators):
        return None
    texts = [("--guess", settings.pop("guesses", ())), ("--rule", settings.pop("rules", ()))]
    texts.append(("--constant", _listed_constants(settings.pop("constants", ()))))
    if isinstance(settings.get("units"), Mapping) and isinstance(settings.get("y_units"), str):
        units = {**settings.pop("units"), target: settings.pop("y_units")}
        texts.append(("--units", [_listed(f"{name}={unit}" for name, unit in units.items())]))
    config = settings.get("config")
    if isinstance(config, dict) and config.keys() <= {"max_length", *COSTS}:
        settings |= {name: value for name, value in settings.pop("config").items() if name not in COSTS}
        costs = [(COSTS[name], config[name]) for name in COSTS if name in config]
        texts += [(option, [f"{name}={cost:.15g}" for name, cost in each.items()]) for option, each in costs]
    if "prior" in settings and settings["prior"] is None:
        settings["prior"] = "none"
    has_options = all(
        name in OPTIONS and isinstance(value, (str, int, float)) for name, value in settings.items()
    )
    # without a limit, the command sets a default limit
    is_limited = "max_time" in settings or "max_epochs" in settings
    is_limited &= settings.get("max_time") != inf  # the command does not accept infinity
    are_texts = all(isinstance(each, (list, tuple)) for _, each in texts)
    are_texts = are_texts and all(isinstance(text, str) for _, each in texts for text in each)
    if not (has_options and is_limited and are_texts):
        return None
    words = ["ddsr", "fit", "data.csv", "--target", target, "--features", _listed(names)]
    options = [(f"--{name}", name) for name in extras]
    options += [(OPTIONS[name], str(value)) for name, value in settings.items()]
    options += [] if operators is None else [("--operators", _listed_operators(operators))]
    options += [(option, text) for option, each in texts for text in each]
    return shlex.join([*words, *chain(*options)])


def _listed(names: Iterable[str]) -> str:
    """Join names by commas; a name with a comma gets double quotes."""
    line = StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def _listed_constants(constants: Any) -> Any:
    """Return known constants as texts such as `kB` and `G=6.674e-11 m^3/kg/s^2`."""
    if not isinstance(constants, Mapping):
        return constants
    return [name if value is None else f"{name}={value}" for name, value in constants.items()]


def _listed_operators(operators: Sequence[str | OwnOperator]) -> str:
    """Join operators by commas, leaving definitions unchanged."""
    texts = [each if isinstance(each, str) else each.text for each in operators]
    return ",".join(texts) if any("=" in text for text in texts) else _listed(texts)


def recipes(
    model: FittedModel, target: str, command: str | None = None, extras: Sequence[str] = ()
) -> list[Recipe]:
    """Return code in Python and, if possible, a shell command; `command` is the original one, if known."""
    preparation = preparation_of(model)
    variables = model.best_.equation.vocabulary.inputs
    names = variables if preparation is None else preparation.table_columns
    line = command or shell_line(model, target, names, extras)
    found = [Recipe("Python", python_lines(model, target, names, extras))]
    return [*found, Recipe("Shell", line)] if line else found


def reproduce_note(model: FittedModel, extras: Sequence[str] = ()) -> str:
    """Explain how to repeat the fit, and whether it gives the same equations."""
    settings = model.get_params(deep=False)
    text = "Replace data.csv by the name of your data file"
    text += "".join(f", and {name} by the column with the {name} of the rows" for name in extras) + "."
    if settings.get("random_state") is None:
        return text + " No random_state was set, so another run can find different equations."
    if isinstance(settings["random_state"], np.random.RandomState):
        return text + " The random_state was not a number, so another run can find different equations."
    if settings.get("max_time") not in (None, inf):
        return text + (
            " The result of a search with max_time depends on the speed of the machine. With max_epochs "
            "instead, the same random_state gives the same equations."
        )
    return text + " The same random_state gives the same equations on the same machine."


def _writable(model: FittedModel) -> dict[str, Any]:
    """Return the changed parameters that can be written as code; NumPy numbers become Python numbers."""
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
    """Return the imports of the classes of rules and settings."""
    kinds = sorted(_classes_in([*settings.values()]), key=lambda kind: kind.__name__)
    return [f"from {_public_module_of(kind)} import {kind.__name__}" for kind in kinds]


def _public_module_of(kind: type) -> str:
    """Return the package of the class's module if it exports the class, otherwise the module."""
    package = kind.__module__.rpartition(".")[0]
    offered = getattr(sys.modules.get(package), kind.__name__, None)
    return package if offered is kind else kind.__module__


def _classes_in(value: object) -> set[type]:
    """Return the classes of this package and of pathlib that the code of a value needs."""
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
