"""The estimator's parameters as JSON: numbers, texts, rules and settings, and nothing that could be executed.

A rule or a settings object is an object with its class under the key `ddsr`; only those listed here are
ever made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ddsr.config import (
    DefaultConfig,
    DenoiserConfig,
    DSRConfig,
    ObjectiveConfig,
    PaperConfig,
    RefinerConfig,
    SearchConfig,
)
from ddsr.errors import RunError
from ddsr.grammar import AtMost, Forbid, MustAppear, Nesting

CLASS = "ddsr"
# JSON has no infinite numbers: they are objects of this class with the number as text.
NUMBER = "number"
_SETTINGS = (
    SearchConfig,
    PaperConfig,
    DSRConfig,
    DefaultConfig,
    DenoiserConfig,
    ObjectiveConfig,
    RefinerConfig,
)
CLASSES: Mapping[str, type[Any]] = {
    kind.__name__: kind for kind in (Forbid, Nesting, AtMost, MustAppear, *_SETTINGS)
}

Parameters = dict[str, Any]


def to_json(parameters: Mapping[str, Any]) -> Parameters:
    """Every parameter by its name; raises `RunError` for one that JSON cannot hold."""
    return {name: _written(value, name) for name, value in parameters.items()}


def from_json(written: Mapping[str, Any], known: set[str]) -> Parameters:
    """Those of the known names; others are of a later version, and passed over."""
    return {name: _read(value) for name, value in written.items() if name in known}


def _written(value: Any, name: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, PathLike):  # whole, so that it is the same file wherever a run goes on
        value = str(Path(value).absolute())
    if isinstance(value, float) and not isfinite(value):
        return {CLASS: NUMBER, "value": str(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _written(part, f"{name}[{key!r}]") for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_written(part, name) for part in value]
    if type(value).__name__ in CLASSES and is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return {CLASS: type(value).__name__, **to_json(parts)}
    raise RunError(f"{name}={value!r} cannot be kept in a file: give numbers, texts, rules and settings")


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(part) for part in value]
    if not isinstance(value, dict):
        return value
    if CLASS not in value:
        return {name: _read(part) for name, part in value.items()}
    if value[CLASS] == NUMBER:
        return float(value["value"])
    kind = CLASSES.get(value[CLASS])
    if kind is None:
        raise ValueError(f"{value[CLASS]!r} is no rule and no settings that this version of ddsr knows")
    known = {each.name for each in fields(kind)}
    parts = {name: _as_tuple(_read(part)) for name, part in value.items() if name in known}
    return kind(*parts.pop("variables")) if kind is MustAppear else kind(**parts)


def _as_tuple(value: Any) -> Any:
    """Rules and settings are compared, and hold no lists."""
    return tuple(value) if isinstance(value, list) else value
