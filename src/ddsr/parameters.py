"""The estimator's parameters as JSON: numbers, texts, rules and settings, and nothing that could be executed.

A rule or a settings object is an object with its class under the key `ddsr`; only those listed here are
ever made.
"""

from __future__ import annotations

import json
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

# Beside the parameters: the types that JSON does not have, by place (names and numbers, as JSON text).
# Earlier versions pass over it, as over every parameter that they do not know.
KINDS = "kinds"
TUPLE, LIST, PATH, RANDOM_STATE = "tuple", "list", "path", "RandomState"
Place = tuple[str | int, ...]
Kinds = dict[str, Any]


def to_json(parameters: Mapping[str, Any]) -> Parameters:
    """Every parameter by its name; raises `RunError` for one that JSON cannot hold."""
    kinds: Kinds = {}
    written = {name: _written(value, name, (name,), kinds) for name, value in parameters.items()}
    return {**written, KINDS: kinds} if kinds else written


def from_json(written: Mapping[str, Any], known: set[str]) -> Parameters:
    """Those of the known names; others are of a later version, and passed over."""
    kinds = written.get(KINDS, {})
    if not isinstance(kinds, dict):
        raise ValueError(f"{KINDS} is {kinds!r}")
    return {name: _read(value, (name,), kinds) for name, value in written.items() if name in known}


def _written(value: Any, name: str, place: Place, kinds: Kinds, default: str = LIST) -> Any:
    """The value as JSON; `default` is what a list is read as at this place."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, PathLike):  # whole, so that it is the same file wherever a run goes on
        kinds[_key(place)] = PATH
        value = str(Path(value).absolute())
    if isinstance(value, np.random.RandomState):
        kinds[_key(place)] = {RANDOM_STATE: _written_state(value)}
        value = None
    if isinstance(value, float) and not isfinite(value):
        return {CLASS: NUMBER, "value": str(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {
            str(key): _written(part, f"{name}[{key!r}]", (*place, str(key)), kinds)
            for key, part in value.items()
        }
    if isinstance(value, (list, tuple)):
        kind = LIST if isinstance(value, list) else TUPLE
        if kind != default:
            kinds[_key(place)] = kind
        return [_written(part, name, (*place, index), kinds, default) for index, part in enumerate(value)]
    if type(value).__name__ in CLASSES and is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return {
            CLASS: type(value).__name__,
            **{each: _written(part, each, (*place, each), kinds, TUPLE) for each, part in parts.items()},
        }
    raise RunError(f"{name}={value!r} cannot be kept in a file: give numbers, texts, rules and settings")


def _read(value: Any, place: Place, kinds: Kinds, default: str = LIST) -> Any:
    kind = kinds.get(_key(place), default)
    if isinstance(kind, dict):
        return _read_state(kind[RANDOM_STATE])
    if isinstance(value, list):
        parts = [_read(part, (*place, index), kinds, default) for index, part in enumerate(value)]
        return tuple(parts) if kind == TUPLE else parts
    if isinstance(value, str) and kind == PATH:
        return Path(value)
    if not isinstance(value, dict):
        return value
    if CLASS not in value:
        return {name: _read(part, (*place, name), kinds) for name, part in value.items()}
    if value[CLASS] == NUMBER:
        return float(value["value"])
    return _read_object(value, place, kinds)


def _read_object(value: dict[str, Any], place: Place, kinds: Kinds) -> Any:
    """A rule or settings; they are compared, and hold tuples unless they were given lists."""
    kind = CLASSES.get(value[CLASS])
    if kind is None:
        raise ValueError(f"{value[CLASS]!r} is no rule and no settings that this version of ddsr knows")
    known = {each.name for each in fields(kind)}
    parts = {name: _read(part, (*place, name), kinds, TUPLE) for name, part in value.items() if name in known}
    return kind(*parts.pop("variables")) if kind is MustAppear else kind(**parts)


def _key(place: Place) -> str:
    return json.dumps(place, ensure_ascii=False)


def _written_state(state: np.random.RandomState) -> list[Any]:
    name, keys, position, has_gauss, gauss = state.get_state(legacy=True)
    return [str(name), np.asarray(keys).tolist(), int(position), int(has_gauss), float(gauss)]


def _read_state(written: Any) -> np.random.RandomState:
    name, keys, position, has_gauss, gauss = written
    state = np.random.RandomState()
    state.set_state((name, np.array(keys, dtype=np.uint32), position, has_gauss, gauss))
    return state
