"""What ran, on what, and for how long."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddsr.processor import processor_name
from ddsr.report.equations import number_text
from ddsr.report.model import FittedModel, defaults_of

PACKAGES = ("ddsr", "numpy", "scikit-learn", "torch")
# Columns of wide data beyond these are counted, not listed; those in the equation come first.
MOST_COLUMNS = 30
STOPPED_BY = {
    "exact": "an equation without error was found",
    "max_time": "the time was up",
    "max_epochs": "the number of epochs was reached",
    "max_evaluations": "the number of evaluations was reached",
    "no_progress": "nothing better was found for the set number of epochs",
    "exhausted": "nothing was left to try",
    "interrupt": "it was interrupted; the best so far is shown",
}


@dataclass(frozen=True)
class Column:
    """A variable of the data in numbers."""

    name: str
    is_used: bool
    """by the chosen equation"""
    low: str
    mean: str
    high: str


def versions() -> dict[str, str]:
    """Of Python and the packages that computed; those that are not installed are left out."""
    found = {"Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def hardware() -> dict[str, str]:
    """The machine that this runs on."""
    facts = {"processor": processor_name(), "cores": str(os.cpu_count() or "unknown")}
    memory = _memory()
    if memory:
        facts["memory"] = f"{memory / 2**30:.0f} GiB"
    facts["system"] = f"{platform.system()} {platform.release()} ({platform.machine()})"
    return facts


def stop_reason(model: FittedModel) -> str:
    """In words."""
    return STOPPED_BY.get(model.stopped_by_, model.stopped_by_)


def parameters(model: FittedModel) -> dict[str, str]:
    """Those that the user set, others being at their defaults."""
    return {name: repr(value) for name, value in changed_parameters(model).items()}


def changed_parameters(model: FittedModel) -> dict[str, Any]:
    """The constructor's parameters that differ from its defaults; a callback is no setting of the search."""
    defaults = defaults_of(model)
    given: Mapping[str, Any] = model.get_params(deep=False)
    return {
        name: value
        for name, value in given.items()
        if name != "callback" and _plain(value) != _plain(defaults.get(name))
    }


def _plain(value: object) -> str:
    """Equal for values that mean the same: an empty list, which a file gives back, is an empty tuple."""
    return repr(tuple(value) if isinstance(value, list) else value)


def columns(
    names: tuple[str, ...], used: tuple[str, ...], X: NDArray[np.float64] | None
) -> tuple[list[Column], int]:
    """The variables, and how many more there are; without data, numbers are missing."""
    order = sorted(range(len(names)), key=lambda column: names[column] not in used)
    listed = [
        _column(names[column], used, None if X is None else X[:, column]) for column in order[:MOST_COLUMNS]
    ]
    return listed, len(names) - len(listed)


def _column(name: str, used: tuple[str, ...], values: NDArray[np.float64] | None) -> Column:
    if values is None:
        return Column(name, name in used, "", "", "")
    low, mean, high = (number_text(float(value)) for value in (values.min(), values.mean(), values.max()))
    return Column(name, name in used, low, mean, high)


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not known to this system
        return 0
