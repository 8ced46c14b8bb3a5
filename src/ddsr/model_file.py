"""A fitted model as one JSON file, which later versions can read and which executes nothing.

`docs/runs.md` has the format. Equations are tokens by name and constants as the shortest decimals that give
the same doubles, so that predictions are the same to the last bit.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ddsr.data import check_whole
from ddsr.errors import RunError
from ddsr.expression import Expression, Vocabulary
from ddsr.files import read_whole, write_whole
from ddsr.saved import restoring
from ddsr.selection import FrontEntry, ParetoFront
from ddsr.version import ddsr_version

FORMAT = "ddsr model"
VERSION = 1
# Epochs of the learning curves that a file has at most; of more of them every second, third, … is left.
MOST_EPOCHS = 1000


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the fit of one target came to."""

    front: ParetoFront
    best: FrontEntry
    """one of the front"""
    curves: pd.DataFrame
    stopped_by: str
    n_epochs: int
    n_rows: int
    """that were fitted on"""
    spread: float
    """standard deviation of the target"""


@dataclass(frozen=True, eq=False)
class ModelRecord:
    """All that a fitted model consists of."""

    parameters: Mapping[str, Any]
    """of the estimator, as `ddsr.parameters.to_json` writes them"""
    features: tuple[str, ...]
    has_feature_names: bool
    """False: the data had none, and they are called x0, x1, …"""
    outcomes: tuple[Outcome, ...]
    """one a target"""
    targets: tuple[str | None, ...]
    """what each target is called, if it has a name"""


def write_model(record: ModelRecord, path: Path) -> None:
    """Put the file there, whole or not at all."""
    outputs = [
        _written_output(name, outcome) for name, outcome in zip(record.targets, record.outcomes, strict=True)
    ]
    written = {
        "format": FORMAT,
        "format_version": VERSION,
        "ddsr_version": ddsr_version(),
        "features": list(record.features),
        "has_feature_names": record.has_feature_names,
        "parameters": dict(record.parameters),
        "outputs": outputs,
    }
    write_whole(path, to_text(written).encode())


def read_model(path: Path) -> ModelRecord:
    """The record of a file; raises `RunError` where it is none that this version can read."""
    written = read_json(path, FORMAT, VERSION, "model")
    with restoring(f"model ({path})"):
        features = tuple(written["features"])
        outputs = written["outputs"]
        parameters = written["parameters"]
        if not isinstance(parameters, dict) or not isinstance(outputs, list) or not outputs:
            raise ValueError("it has no outputs or no parameters")
        return ModelRecord(
            parameters=parameters,
            features=features,
            has_feature_names=bool(written["has_feature_names"]),
            outcomes=tuple(_read_output(output, features) for output in outputs),
            targets=tuple(_read_name(output["target"]) for output in outputs),
        )


def to_text(written: Mapping[str, Any]) -> str:
    """JSON with a key a line, so that it can be read and compared by eye."""
    try:
        return json.dumps(written, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
    except (ValueError, TypeError) as error:
        raise RunError(f"this cannot be written as JSON: {error}") from error


def read_json(path: Path, form: str, version: int, what: str) -> dict[str, Any]:
    """A JSON file that says it is of this format, in this version of it or an older one."""
    data = read_whole(path, what)
    try:
        written = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path} is no {what} of ddsr: it cannot be read as JSON ({error})") from error
    if not isinstance(written, dict) or written.get("format") != form:
        raise RunError(f"{path} is no {what} of ddsr")
    found = written.get("format_version")
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise RunError(f"{path} is no {what} of ddsr: it has no version")
    if found > version:
        made_by = written.get("ddsr_version")
        raise RunError(
            f"{path} has version {found} of the format, made by ddsr {made_by}; "
            f"this ddsr reads up to {version}: install a newer one"
        )
    return written


# One target


def _written_output(name: str | None, outcome: Outcome) -> dict[str, Any]:
    vocabularies = list(dict.fromkeys(entry.expression.vocabulary for entry in outcome.front))
    return {
        "target": name,
        "n_rows": outcome.n_rows,
        "spread": outcome.spread,
        "stopped_by": outcome.stopped_by,
        "n_epochs": outcome.n_epochs,
        "vocabularies": [
            {"operators": list(each.operators), "has_one": each.has_one, "has_constant": each.has_constant}
            for each in vocabularies
        ],
        "equations": [_written_entry(entry, vocabularies) for entry in outcome.front],
        "best": outcome.front.entries.index(outcome.best),
        "curves": _written_curves(outcome.curves),
    }


def _written_entry(entry: FrontEntry, vocabularies: list[Vocabulary]) -> dict[str, Any]:
    expression = entry.expression
    vocabulary = expression.vocabulary
    names = [*vocabulary.names[: vocabulary.first_variable], *range(len(vocabulary.variables))]
    return {
        "text": entry.equation.text(),
        "vocabulary": vocabularies.index(vocabulary),
        "tokens": [names[token] for token in expression.tokens],
        "constants": list(expression.constants),
        "scale": entry.scale,
        "offset": entry.offset,
        "nrmse": entry.nrmse,
        "is_free": None if entry.is_free is None else list(entry.is_free),
        "nats": entry.nats,
    }


def _written_curves(curves: pd.DataFrame) -> dict[str, list[float | None]]:
    thinned = curves.iloc[:: -(-len(curves) // MOST_EPOCHS) or 1]
    columns = {str(name): thinned[name].tolist() for name in thinned.columns}
    finite = {
        name: [value if math.isfinite(value) else None for value in values]
        for name, values in columns.items()
    }
    return {"epoch": thinned.index.tolist(), **finite}


def _read_output(written: Mapping[str, Any], features: Sequence[str]) -> Outcome:
    vocabularies = [
        Vocabulary(features, each["operators"], each["has_one"], each["has_constant"])
        for each in written["vocabularies"]
    ]
    entries = tuple(_read_entry(each, vocabularies) for each in written["equations"])
    best = check_whole(written["best"], "best", 0, len(entries) - 1)
    return Outcome(
        front=ParetoFront(entries),
        best=entries[best],
        curves=_read_curves(written["curves"]),
        stopped_by=str(written["stopped_by"]),
        n_epochs=check_whole(written["n_epochs"], "n_epochs", least=0),
        n_rows=check_whole(written["n_rows"], "n_rows", least=1),
        spread=_read_number(written["spread"], "spread"),
    )


def _read_entry(written: Mapping[str, Any], vocabularies: list[Vocabulary]) -> FrontEntry:
    last = len(vocabularies) - 1
    vocabulary = vocabularies[check_whole(written["vocabulary"], "vocabulary", 0, last)]
    tokens = [_read_token(token, vocabulary) for token in written["tokens"]]
    is_free, nats = written["is_free"], written["nats"]
    expression = Expression(vocabulary, tokens, written["constants"])
    if is_free is not None and len(is_free) != expression.n_constants:
        raise ValueError("an equation has more or fewer constants than `is_free` says")
    return FrontEntry(
        expression,
        _read_number(written["nrmse"], "nrmse"),
        _read_number(written["scale"], "scale"),
        _read_number(written["offset"], "offset"),
        None if is_free is None else tuple(map(bool, is_free)),
        None if nats is None else _read_number(nats, "nats"),
    )


def _read_token(token: object, vocabulary: Vocabulary) -> int:
    """Columns are numbers: a variable may be called like an operator."""
    if isinstance(token, str):
        return vocabulary.token(token)
    last = len(vocabulary.variables) - 1
    return vocabulary.first_variable + check_whole(token, "a column", 0, last)


def _read_curves(written: Mapping[str, Any]) -> pd.DataFrame:
    columns = dict(written)
    index = pd.Index(
        [check_whole(epoch, "an epoch", least=0) for epoch in columns.pop("epoch")], name="epoch"
    )
    table = {name: np.array([_or_nan(value) for value in values]) for name, values in columns.items()}
    return pd.DataFrame(table, index=index, dtype=np.float64)


def _or_nan(value: object) -> float:
    return math.nan if value is None else _read_number(value, "a value of the curves")


def _read_number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{name} is no finite number: {value!r}")
    return float(value)


def _read_name(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError(f"the target's name is no text: {value!r}")
    return value
