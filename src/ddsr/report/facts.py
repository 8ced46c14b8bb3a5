"""Facts about a run: versions, hardware, parameters and data."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddsr.report.equations import number_text
from ddsr.report.model import FittedModel, defaults_of
from ddsr.storage.processor import processor_name

PACKAGES = ("ddsr", "numpy", "scikit-learn", "torch")
# Maximum number of columns to list, those in the equation first; the others are counted.
MOST_COLUMNS = 30
STOPPED_BY = {
    "exact": "an exact equation was found",
    "max_time": "the time limit was reached",
    "max_epochs": "the maximum number of epochs was reached",
    "max_evaluations": "the maximum number of evaluations was reached",
    "no_progress": "no better equation was found for the number of epochs set by patience",
    "exhausted": "every expression was tried",
    "interrupt": "it was interrupted; this is the best result so far",
}


@dataclass(frozen=True)
class Column:
    """Statistics of a variable."""

    name: str
    is_used: bool
    """whether the chosen equation uses it"""
    low: str
    mean: str
    high: str


def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed packages that a fit uses."""
    found = {"Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def hardware() -> dict[str, str]:
    """Describe this machine."""
    facts = {"processor": processor_name(), "cores": str(os.cpu_count() or "unknown")}
    memory = _memory()
    if memory:
        facts["memory"] = f"{memory / 2**30:.0f} GiB"
    facts["system"] = f"{platform.system()} {platform.release()} ({platform.machine()})"
    return facts


def stop_reason(model: FittedModel) -> str:
    """Describe why the search stopped."""
    return STOPPED_BY.get(model.stopped_by_, model.stopped_by_)


def parameters(model: FittedModel) -> dict[str, str]:
    """Return the parameters that differ from their defaults, as text."""
    return {name: repr(value) for name, value in changed_parameters(model).items()}


def changed_parameters(model: FittedModel) -> dict[str, Any]:
    """Return the constructor's parameters that differ from their defaults, without the user's code."""
    defaults = defaults_of(model)
    given: Mapping[str, Any] = model.get_params(deep=False)
    return {
        name: value
        for name, value in given.items()
        if name not in ("callback", "contributors") and _plain(value) != _plain(defaults.get(name))
    }


def _plain(value: object) -> str:
    """Return a text that is equal for equivalent values: files turn an empty tuple into an empty list."""
    return repr(tuple(value) if isinstance(value, list) else value)


def columns(
    names: tuple[str, ...], used: tuple[str, ...], X: NDArray[np.float64] | None
) -> tuple[list[Column], int]:
    """Return the listed variables and the number of others; without data, the statistics are empty."""
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
    except (AttributeError, ValueError, OSError):  # not available on this system
        return 0
