"""A fitted model as one JSON file, which later versions can read and which contains nothing executable.

`docs/runs.md` describes the format. Equations are stored as token names and as constants with the shortest
decimals that give the same doubles, so that predictions are the same to the last bit.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.data.checks import MOST_COUNTED, check_whole
from ddsr.data.losses import Loss
from ddsr.data.preparation import Preparation
from ddsr.errors import RunError
from ddsr.expression import Expression, Vocabulary
from ddsr.expression.definitions import own_among, read_operators, restored_operators, saved_operators
from ddsr.expression.known_constant import KnownConstant
from ddsr.expression.template_parser import parse_template
from ddsr.learning.curves import REWARDS, SHARES, EpochStats, UpdateStats
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.selection.outcome import Outcome
from ddsr.selection.parting import Parting
from ddsr.selection.posterior import Form
from ddsr.storage.files import parse_json, read_whole, write_whole
from ddsr.storage.saved import restoring
from ddsr.storage.version import ddsr_version

FORMAT = "ddsr model"
VERSION = 1
# Maximum number of epochs in the learning curves of a file; longer curves keep every second, third, … epoch.
MOST_EPOCHS = 1000
UPDATES = tuple(each.name for each in fields(UpdateStats))


@dataclass(frozen=True, eq=False)
class ModelRecord:
    """The content of a fitted model."""

    parameters: Mapping[str, Any]
    """parameters of the estimator, from `ddsr.estimator.parameters.to_json`"""
    features: tuple[str, ...]
    """names of the inputs"""
    has_feature_names: bool
    """False if the data had no column names; they are then x0, x1, …"""
    outcomes: tuple[Outcome, ...]
    """one per target"""
    targets: tuple[str | None, ...]
    """name of each target, if it has one"""
    n_fits: int
    """1, plus one for each fit that continued it with `warm_start`"""
    classes: tuple[Any, ...] | None = None
    """classes of a classifier"""
    preparation: Preparation | None = None
    """how a table becomes numbers, if it was prepared"""
    known: tuple[KnownConstant, ...] = ()
    """known constants, which equations may use in addition to the inputs"""


def write_model(record: ModelRecord, path: Path) -> None:
    """Write the file atomically."""
    outputs = [
        _written_output(name, outcome) for name, outcome in zip(record.targets, record.outcomes, strict=True)
    ]
    written = {
        "format": FORMAT,
        "format_version": VERSION,
        "ddsr_version": ddsr_version(),
        "features": list(record.features),
        **({"constants": {str(each): each.value for each in record.known}} if record.known else {}),
        "has_feature_names": record.has_feature_names,
        "parameters": dict(record.parameters),
        "n_fits": record.n_fits,
        **({} if record.classes is None else {"classes": list(record.classes)}),
        **({} if record.preparation is None else {"preparation": record.preparation.to_json()}),
        "outputs": outputs,
    }
    write_whole(path, to_text(written).encode())


def read_model(path: Path, operators: Sequence[object] = ()) -> ModelRecord:
    """Read a model file; raise `RunError` if this version cannot read it.

    `operators` has the Python functions among the operators, which files do not keep.
    """
    written = read_json(path, FORMAT, VERSION, "model")
    with restoring(f"model ({path})"):
        features, known = tuple(written["features"]), _read_known(written.get("constants", {}))
        names, outputs = (*features, *known), written["outputs"]
        parameters = written["parameters"]
        if not isinstance(parameters, dict) or not isinstance(outputs, list) or not outputs:
            raise ValueError("it has no outputs or no parameters")
        return ModelRecord(
            parameters=parameters,
            features=features,
            has_feature_names=bool(written["has_feature_names"]),
            outcomes=tuple(_read_output(output, names, operators) for output in outputs),
            targets=tuple(_read_name(output["target"]) for output in outputs),
            n_fits=check_whole(written["n_fits"], "n_fits", least=1),
            classes=tuple(written["classes"]) if "classes" in written else None,
            preparation=_read_preparation(written.get("preparation"), features),
            known=known,
        )


def _read_known(written: Mapping[str, Any]) -> tuple[KnownConstant, ...]:
    return tuple(KnownConstant(str(name), _read_number(value, name)) for name, value in written.items())


def _read_preparation(written: Any, features: tuple[str, ...]) -> Preparation | None:
    if written is None:
        return None
    preparation = Preparation.from_json(written)
    if preparation.names != features:
        raise ValueError("its preparation has other columns than its equations")
    return preparation


def to_text(written: Mapping[str, Any]) -> str:
    """Write JSON with one key per line, so that people can read and compare it."""
    try:
        return json.dumps(written, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
    except (ValueError, TypeError) as error:
        raise RunError(f"cannot write this as JSON: {error}") from error


def read_json(path: Path, form: str, version: int, what: str) -> dict[str, Any]:
    """Read a JSON file of this format, of this version or an older one."""
    data = read_whole(path, what)
    try:
        written = parse_json(data)
    except ValueError as error:
        raise RunError(f"{path} is not a ddsr {what} file: it is not valid JSON ({error})") from error
    if not isinstance(written, dict) or written.get("format") != form:
        raise RunError(f"{path} is not a ddsr {what} file")
    found = written.get("format_version")
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise RunError(f"{path} is not a ddsr {what} file: it has no version")
    if found > version:
        made_by = written.get("ddsr_version")
        raise RunError(
            f"{path} has format version {found}, written by ddsr {made_by}, but this ddsr reads versions up "
            f"to {version}: install a newer ddsr"
        )
    return written


# One target


def _written_output(name: str | None, outcome: Outcome) -> dict[str, Any]:
    entries = [*outcome.front, *(form.entry for form in outcome.forms)]
    vocabularies = list(dict.fromkeys(entry.expression.vocabulary for entry in entries))
    return {
        "target": name,
        "n_counted": outcome.n_counted,
        "n_observed": outcome.n_observed,
        "spread": outcome.spread,
        "stopped_by": outcome.stopped_by,
        "noise": outcome.noise,
        "n_epochs": outcome.n_epochs,
        "vocabularies": [
            {
                "operators": saved_operators(each.definitions),
                "has_one": each.has_one,
                "has_constant": each.has_constant,
                **({} if each.template is None else {"template": each.template.text}),
            }
            for each in vocabularies
        ],
        "equations": [
            _written_entry(entry, information, vocabularies)
            for entry, information in zip(outcome.front, outcome.information, strict=True)
        ],
        "best": outcome.chosen,
        "forms": [
            _written_entry(form.entry, form.information, vocabularies)
            | {"weight": form.weight, "parting": _written_parting(form.parting)}
            for form in outcome.forms
        ],
        "size_of_y": outcome.size_of_y,
        "loss": {"name": outcome.loss.name, "quantile": outcome.loss.quantile, "known": outcome.loss.known},
        "curves": _written_curves(outcome),
    }


def _written_entry(
    entry: FrontEntry, information: Floats | None, vocabularies: list[Vocabulary]
) -> dict[str, Any]:
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
        "information": None if information is None else [_finite(row) for row in information.tolist()],
    }


def _written_parting(parting: Parting | None) -> dict[str, Any] | None:
    if parting is None:
        return None
    return {
        "where": {name: list(ends) for name, ends in parting.where.items()},
        "times_noise": parting.times_noise,
        "is_beyond": parting.is_beyond,
    }


def _written_curves(outcome: Outcome) -> dict[str, Any]:
    """Return the curves by column; null where an epoch has no value."""
    stride = -(-len(outcome.curves) // MOST_EPOCHS) or 1
    epochs = outcome.curves[::stride]
    updates = [stats.update for stats in epochs]
    return {
        "every": outcome.every * stride,
        **{name: _finite([getattr(stats, name) for stats in epochs]) for name in REWARDS + SHARES},
        **{name: _finite([getattr(update, name, None) for update in updates]) for name in UPDATES},
        "seconds": _written_parts([stats.seconds for stats in epochs]),
        "gains": _written_parts([stats.gains for stats in epochs]),
    }


def _written_parts(epochs: Sequence[Mapping[str, float]]) -> dict[str, list[float | None]]:
    names = dict.fromkeys(name for parts in epochs for name in parts)
    return {name: _finite([parts.get(name) for parts in epochs]) for name in names}


def _finite(values: Sequence[float | None]) -> list[float | None]:
    return [value if value is not None and math.isfinite(value) else None for value in values]


def _read_vocabulary(
    written: Mapping[str, Any], features: Sequence[str], given: Sequence[object]
) -> Vocabulary:
    operators = read_operators(restored_operators(written["operators"], given))
    text = written.get("template")
    template = parse_template(text, features, own_among(operators)) if text else None
    return Vocabulary(features, operators, written["has_one"], written["has_constant"], template)


def _read_output(written: Mapping[str, Any], features: Sequence[str], given: Sequence[object]) -> Outcome:
    vocabularies = [_read_vocabulary(each, features, given) for each in written["vocabularies"]]
    entries = tuple(_read_entry(each, vocabularies) for each in written["equations"])
    best = check_whole(written["best"], "best", 0, len(entries) - 1)
    observed = written.get("n_observed")  # missing in files of earlier versions
    return Outcome(
        front=ParetoFront(entries),
        best=entries[best],
        curves=_read_curves(written["curves"]),
        stopped_by=str(written["stopped_by"]),
        spread=_read_number(written["spread"], "spread"),
        n_counted=_read_count(written["n_counted"], "n_counted"),
        information=tuple(
            _read_information(each["information"], entry.equation.n_constants)
            for each, entry in zip(written["equations"], entries, strict=True)
        ),
        n_epochs=check_whole(written["n_epochs"], "n_epochs", least=0),
        every=check_whole(written["curves"]["every"], "every", least=1),
        n_observed=None if observed is None else _read_count(observed, "n_observed"),
        noise=str(written.get("noise", "constant")),
        forms=tuple(_read_form(each, vocabularies) for each in written.get("forms", ())),
        size_of_y=_read_number(written.get("size_of_y", 1.0), "size_of_y"),
        loss=_read_loss(written.get("loss", {"name": "squared"})),
    )


def _read_loss(written: Mapping[str, Any]) -> Loss:
    """Read a loss; files do not contain a user's own function."""
    quantile = _read_number(written.get("quantile", 0.5), "quantile")
    return Loss(str(written["name"]), quantile, known=_read_number(written.get("known", 0.0), "known"))


def _read_form(written: Mapping[str, Any], vocabularies: list[Vocabulary]) -> Form:
    entry = _read_entry(written, vocabularies)
    information = _read_information(written["information"], entry.equation.n_constants)
    weight = _read_number(written["weight"], "weight")
    return Form(entry, weight, information, _read_parting(written.get("parting")))


def _read_parting(written: Mapping[str, Any] | None) -> Parting | None:
    if written is None:
        return None
    where = {
        str(name): (_read_number(low, name), _read_number(high, name))
        for name, (low, high) in written["where"].items()
    }
    return Parting(where, _read_number(written["times_noise"], "times_noise"), bool(written["is_beyond"]))


def _read_count(written: object, name: str) -> int:
    """Read a number of observations; earlier versions wrote the sum of integer weights, however large."""
    return min(check_whole(written, name, least=1, most=10**400), MOST_COUNTED)


def _read_entry(written: Mapping[str, Any], vocabularies: list[Vocabulary]) -> FrontEntry:
    last = len(vocabularies) - 1
    vocabulary = vocabularies[check_whole(written["vocabulary"], "vocabulary", 0, last)]
    tokens = [_read_token(token, vocabulary) for token in written["tokens"]]
    is_free, nats = written["is_free"], written["nats"]
    expression = Expression(vocabulary, tokens, written["constants"])
    if is_free is not None and len(is_free) != expression.n_constants:
        raise ValueError("the number of constants of an equation does not match its `is_free`")
    return FrontEntry(
        expression,
        _read_number(written["nrmse"], "nrmse"),
        _read_number(written["scale"], "scale"),
        _read_number(written["offset"], "offset"),
        None if is_free is None else tuple(map(bool, is_free)),
        None if nats is None else _read_number(nats, "nats"),
    )


def _read_token(token: object, vocabulary: Vocabulary) -> int:
    """Read a token. Variables are column numbers, since a variable may have the name of an operator."""
    if isinstance(token, str):
        return vocabulary.token(token)
    last = len(vocabulary.variables) - 1
    return vocabulary.first_variable + check_whole(token, "a column", 0, last)


def _read_curves(written: Mapping[str, Any]) -> tuple[EpochStats, ...]:
    unknown = [None] * len(written[REWARDS[0]])  # earlier versions did not write shares
    columns = [written[name] for name in REWARDS] + [written.get(name, unknown) for name in SHARES]
    rewards = zip(*columns, strict=True)
    updates = zip(*(written[name] for name in UPDATES), strict=True)
    epochs = []
    for number, (reward, update) in enumerate(zip(rewards, updates, strict=True)):
        has_update = any(value is not None for value in update)
        epochs.append(
            EpochStats(
                **dict(zip(REWARDS + SHARES, map(_or_nan, reward), strict=True)),
                update=UpdateStats(*map(_or_nan, update)) if has_update else None,
                seconds=_read_parts(written["seconds"], number),
                gains=_read_parts(written["gains"], number),
            )
        )
    return tuple(epochs)


def _read_parts(written: Mapping[str, Any], number: int) -> dict[str, float]:
    named = {str(name): values[number] for name, values in written.items()}
    return {name: _read_number(value, name) for name, value in named.items() if value is not None}


def _read_information(written: Any, n_constants: int) -> Floats | None:
    if written is None:
        return None
    if len(written) != n_constants or any(len(row) != n_constants for row in written):
        raise ValueError(f"the information matrix does not match the {n_constants} constants of its equation")
    return np.array([[_or_nan(value) for value in row] for row in written]).reshape(n_constants, n_constants)


def _or_nan(value: object) -> float:
    return math.nan if value is None else _read_number(value, "a value of the curves")


def _read_number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{name} is not a finite number: {value!r}")
    return float(value)


def _read_name(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError(f"the name of the target is not a string: {value!r}")
    return value
