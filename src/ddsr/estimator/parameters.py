"""The estimator's parameters as JSON: numbers, strings, rules and settings, and nothing executable.

A rule or a settings object is a JSON object with its class under the key `ddsr`. Only the classes listed here
are ever created.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
    without_removed,
)
from ddsr.data.losses import NamedFunction, name_of
from ddsr.errors import RunError
from ddsr.expression.definitions import restored_operators, saved_operators
from ddsr.expression.own_operators import CustomOperator, FormulaOperator
from ddsr.grammar import RULES, MustAppear

CLASS = "ddsr"
# JSON has no infinite numbers: they are stored as objects of this class with the number as text.
NUMBER = "number"
FUNCTION = "function"  # a user's own function, saved by name only
_SETTINGS = (
    SearchConfig,
    PaperConfig,
    DSRConfig,
    DefaultConfig,
    DenoiserConfig,
    ObjectiveConfig,
    RefinerConfig,
)
CLASSES: Mapping[str, type[Any]] = {kind.__name__: kind for kind in (*RULES, *_SETTINGS)}

Parameters = dict[str, Any]

# Key of the types that JSON does not have, by place (names and numbers, as JSON text), among the parameters.
# Earlier versions ignore it, like every unknown parameter.
KINDS = "kinds"
GIVEN = "given"  # among the kinds, while they are read: the operators that files do not keep
OPERATOR = "CustomOperator"
TUPLE, LIST, PATH, RANDOM_STATE = "tuple", "list", "path", "RandomState"
Place = tuple[str | int, ...]
Kinds = dict[str, Any]


def saved_parameters(parameters: Mapping[str, Any]) -> Parameters:
    """Convert an estimator's parameters to JSON, without user code, which a file cannot hold."""
    kept = {name: value for name, value in parameters.items() if name != "contributors"}
    return to_json(kept | {"callback": None})


def to_json(parameters: Mapping[str, Any]) -> Parameters:
    """Convert parameters to JSON; raise `RunError` for one that JSON cannot hold."""
    kinds: Kinds = {}
    written = {name: _written(value, name, (name,), kinds) for name, value in parameters.items()}
    return {**written, KINDS: kinds} if kinds else written


def from_json(written: Mapping[str, Any], known: set[str], operators: Sequence[object] = ()) -> Parameters:
    """Read the parameters with known names; ignore others, which come from a later version.

    `operators` has the Python functions among the operators, which files do not keep.
    """
    kinds = written.get(KINDS, {})
    if not isinstance(kinds, dict):
        raise ValueError(f"{KINDS} is {kinds!r}")
    kinds = {**kinds, GIVEN: operators}
    read = {name: _read(value, (name,), kinds) for name, value in written.items() if name in known}
    config = read.get("config")
    if isinstance(config, dict) and isinstance(config.get("evolution"), dict):
        config["evolution"] = without_removed(config["evolution"])
    return read


def _written(value: Any, name: str, place: Place, kinds: Kinds, default: str = LIST) -> Any:
    """Convert a value to JSON; `default` is how a list is read at this place."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, PathLike):  # absolute, so that a run can resume in any folder
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
    if isinstance(value, FormulaOperator):
        return value.text
    if isinstance(value, CustomOperator):  # a file keeps only its name
        return {CLASS: OPERATOR, **saved_operators([value])[0]}
    if type(value).__name__ in CLASSES and is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return {
            CLASS: type(value).__name__,
            **{each: _written(part, each, (*place, each), kinds, TUPLE) for each, part in parts.items()},
        }
    is_function = isinstance(value, NamedFunction) or (callable(value) and not isinstance(value, type))
    if place == ("loss",) and is_function:  # a file keeps only its name
        return {CLASS: FUNCTION, "name": name_of(value)}
    raise RunError(f"{name}={value!r} cannot be saved to a file: use numbers, strings, rules and settings")


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
    if value[CLASS] == FUNCTION:
        return NamedFunction(str(value["name"]))
    return _read_object(value, place, kinds)


def _read_object(value: dict[str, Any], place: Place, kinds: Kinds) -> Any:
    """Read a rule or settings. They hold tuples unless lists were given, so that they compare equal."""
    if value[CLASS] == OPERATOR:
        return restored_operators([value], kinds[GIVEN])[0]
    kind = CLASSES.get(value[CLASS])
    if kind is None:
        raise ValueError(f"{value[CLASS]!r} is not a rule or settings class of this version of ddsr")
    if kind is RefinerConfig:
        value = without_removed(value)
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
