"""Implementation of `ddsr fit`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ddsr.cli.reading import Columns, TrainingData, read_training_data
from ddsr.cli.result import report_result
from ddsr.cli.template import check_formula, describe_constants, goodness, option
from ddsr.cli.watching import Callback, choice_of, print_to_stderr, watch
from ddsr.data.known_constants import read_constants
from ddsr.data.losses import Loss
from ddsr.data.preparation import TableOptions
from ddsr.data.units import unit_in_name
from ddsr.estimator.early import check_parameters, first_entry
from ddsr.expression import Expression
from ddsr.expression.template_parser import parse_template
from ddsr.live.board import Board
from ddsr.live.table import r2_text
from ddsr.live.tensorboard import make_folder

if TYPE_CHECKING:
    import pandas as pd

    from ddsr.estimator.regressor import DDSRRegressor
    from ddsr.runs import RunFolder

DEFAULT_SECONDS = 60.0
MOST_LISTED = 8
LONGEST_NAME = 100
RUNS = "ddsr-runs"
LINEAR = {"add", "sub", "mul", "neg"}


def run_fits(
    path: str,
    targets: Sequence[Columns],
    *,
    out: str | None,
    tensorboard: str | None,
    seconds: float | None,
    epochs: int | None,
    **options: Any,
) -> None:
    """Find equations for each target in turn; they share the time limit, and each has its own run folder."""
    if seconds is None and epochs is None:
        seconds = DEFAULT_SECONDS
    for columns in targets:  # so that no target is refused after the search for another one
        read_training_data(path, columns, _table_options(options))
    if not options["no_save"]:
        _check_folder(out)
        out = str(free_folder(path)) if out is None else out
    for columns, name in zip(targets, _folder_names([columns.target for columns in targets]), strict=True):
        run_fit(
            path,
            columns=columns,
            out=None if out is None else str(Path(out, name)),
            tensorboard=None if tensorboard is None else str(Path(tensorboard, name)),
            seconds=None if seconds is None else seconds / len(targets),
            epochs=epochs,
            **options,
        )


def _folder_names(targets: Sequence[str]) -> list[str]:
    """Return a different folder name for each target, of letters that any system allows."""
    names: list[str] = []
    for target in targets:
        name = re.sub(r"[^\w-]+", "_", target)[:LONGEST_NAME] or "_"
        taken = {other.lower() for other in names}
        names.append(next(each for each in _numbered(name) if each.lower() not in taken))
    return names


def run_fit(
    path: str,
    *,
    columns: Columns,
    out: str | None,
    no_save: bool,
    tensorboard: str | None,
    quiet: bool,
    as_json: bool,
    template: str | None,
    formula: str | None,
    **settings: Any,
) -> None:
    """Read the data, search, show the result and save it."""
    say = (lambda _: None) if quiet else print_to_stderr
    parameters = estimator_parameters(template=option(template, formula), **settings)
    check_options(parameters, out)
    data = read_training_data(path, columns, _table_options(settings))
    for line in describe(data):
        say(line)
    parameters |= _units_of_columns(parameters.get("units"), data)
    template_text = option(template, formula)
    if template_text is not None:
        known = [each.name for each in read_constants(parameters.get("constants", ()), data.features)]
        parsed = parse_template(template_text, (*data.features, *known))
        others = {*columns.roles, *columns.ignored, *data.text_columns}
        say(describe_constants(parsed, (*data.features, *known), others))
        if formula is not None:
            check_formula(parsed)
    if formula is None:
        say(first_equation(data, parameters))
    if tensorboard is not None:  # before the run folder is made, so that a failure leaves none behind
        make_folder(tensorboard)
    run = None if no_save else _make_folder(path, out, data, parameters)
    work = _without_folder(data, parameters) if run is None else run.fit
    loss = Loss.of(parameters["loss"])
    choose = choice_of(settings["preset"], settings["selection"], len(data.y))
    board = Board(loss.named(columns.target), parameters["max_time"], choose)
    done = watch(work, board, quiet, tensorboard)
    model = done.model._of_prepared()
    facts = {
        "run": None if run is None else str(run.path),
        "target": columns.target,
        "features": data.inputs,
        "rows": len(data.y),
        "dropped_rows": data.n_dropped,
        "left_out": [*data.text_columns, *data.empty_columns],
        "seconds": board.searched,
        "candidates": board.n_scored,
        "outliers": outliers(model, data),
        "prepared": [] if data.preparation is None else data.preparation.notes,
    }
    if parameters.get("template") is not None:
        facts |= goodness(model, _table(data), data)
    report_result(model, columns.target, facts, as_json)
    if run is not None:
        say(f"saved in {run.path}; pass this folder to `ddsr show`, `predict`, `report` or `resume`")
    done.raise_interrupt()


def _units_of_columns(units: Mapping[str, str] | str | None, data: TrainingData) -> dict[str, Any]:
    """Return the parameters with the units of the columns that are used, and of the target."""
    if units is None:
        return {}
    target = data.columns.target
    if isinstance(units, str):  # in the names
        return {"units": units, "y_units": unit_in_name(target)}
    others = {*data.columns.roles, *data.columns.ignored, *data.text_columns, *data.empty_columns}
    return {
        "units": {name: unit for name, unit in units.items() if name not in others},
        "y_units": units.get(target),
    }


def _table_options(settings: Mapping[str, Any]) -> TableOptions:
    return TableOptions(**{name: settings[name] for name in ("missing", "categories", "dates")})


def describe(data: TrainingData) -> list[str]:
    """Return lines that say which data is used and which is ignored."""
    lines = [f"{len(data.y):,} rows: {data.columns.target} from {_listed(data.inputs)}"]
    if data.text_columns:
        lines.append(f"ignoring non-numeric columns: {_listed(data.text_columns)}")
    if data.empty_columns:
        lines.append(f"ignoring empty columns: {_listed(data.empty_columns)}")
    if data.preparation is not None:
        lines += data.preparation.notes
    elif data.n_dropped:
        lines.append(f"ignoring {data.n_dropped:,} row{'s' * (data.n_dropped != 1)} with missing values")
    return lines


def estimator_parameters(
    *,
    seconds: float | None,
    epochs: int | None,
    operators: tuple[str, ...],
    max_size: int | None,
    guesses: tuple[str, ...],
    rules: tuple[str, ...],
    selection: str | None,
    preset: str,
    prior: str,
    seed: int,
    jobs: int,
    device: str,
    template: str | None,
    loss: str = "squared",
    missing: str = "error",
    categories: str = "error",
    dates: str = "error",
    stop_at: str | None = None,
    round_constants: bool = True,
    units: Mapping[str, str] | str | None = None,
    unit_constants: int = 0,
    constants: Sequence[str] = (),
    operator_costs: Mapping[str, float] | None = None,
    variable_costs: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Translate the options of the command line into the estimator's parameters."""
    parameters: dict[str, Any] = {
        "preset": preset,
        "max_time": DEFAULT_SECONDS if seconds is None and epochs is None else seconds,
        "max_epochs": epochs,
        "n_jobs": jobs,
        "random_state": seed,
        "device": device,
        "model_selection": selection,
        "prior": named_prior(prior),
        "loss": loss,
        "missing": missing,
        "categories": categories,
        "dates": dates,
        "stop_at": stop_at,
        "round_constants": round_constants,
    }
    if units is not None or unit_constants:
        parameters |= {"units": units, "unit_constants": unit_constants}
    if constants:
        parameters["constants"] = list(constants)
    if operators:
        parameters["operators"] = operators
    if guesses:
        parameters["guesses"] = guesses
    if template is not None:
        parameters["template"] = template
    if rules:
        parameters["rules"] = rules
    config = {"max_length": max_size, "operator_costs": operator_costs, "variable_costs": variable_costs}
    if given := {name: value for name, value in config.items() if value}:
        parameters["config"] = given
    return parameters


def named_prior(text: str) -> str | None:
    """Return the estimator's `prior`. A path becomes absolute, so that a run can resume in any folder."""
    if text == "none":
        return None
    return text if text == "default" else str(Path(text).absolute())


def check_options(parameters: Mapping[str, Any], out: str | None) -> None:
    """Refuse options that are wrong for any data, before the data is read."""
    check_parameters(parameters)
    _check_folder(out)


def _check_folder(out: str | None) -> None:
    if out is not None and Path(out).is_dir() and any(Path(out).iterdir()):
        from ddsr.runs.folder import check_is_empty

        check_is_empty(Path(out))


def outliers(model: DDSRRegressor, data: TrainingData) -> list[int]:
    """Return the row numbers of the chosen equation's outliers, the largest residual first.

    There are none if the loss is not squared, or if rows differ in weight or standard error: these already
    say how far off each row may be. Rows with a weight or count of zero are skipped.
    """
    if data.y_err is not None or not Loss.of(model.loss).is_squared:
        return []
    weights = np.ones(len(data.y)) if data.weights is None else data.weights
    counts = np.ones(len(data.y)) if data.counts is None else data.counts
    if len(np.unique(weights[weights > 0.0])) > 1:
        return []
    counted = np.flatnonzero((weights > 0.0) & (counts > 0.0))
    found = model.outliers(_table(data).iloc[counted], data.y[counted])
    return [int(row) for row in data.rows[counted[found]]]


def _table(data: TrainingData) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(data.X, columns=list(data.features), copy=False)


def _without_folder(data: TrainingData, parameters: dict[str, Any]) -> Callable[[Callback], DDSRRegressor]:
    from ddsr.estimator.regressor import DDSRRegressor

    def fit(on_state: Callback) -> DDSRRegressor:
        model = DDSRRegressor(**parameters, callback=on_state)
        return model._fit(_table(data), data.y, data.row_weights, preparation=data.preparation)

    return fit


def _make_folder(path: str, out: str | None, data: TrainingData, parameters: dict[str, Any]) -> RunFolder:
    from ddsr.runs import RunFolder

    return RunFolder.create(
        free_folder(path) if out is None else out,
        data.X,
        data.y,
        feature_names=data.features,
        target=data.columns.target,
        sample_weight=data.weights,
        counts=data.counts,
        y_err=data.y_err,
        parameters=parameters,
        preparation=data.preparation,
    )


def free_folder(path: str) -> Path:
    """Return a new folder name under ddsr-runs, made from the name of the data and the time."""
    stem = Path(path).name.partition(".")[0] or "data"
    candidates = (Path(RUNS) / name for name in _numbered(f"{stem}-{time.strftime('%Y%m%d-%H%M%S')}"))
    return next(folder for folder in candidates if not folder.exists())


def _numbered(name: str) -> Iterator[str]:
    """Yield the name, then the name with numbers from 2."""
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def first_equation(data: TrainingData, parameters: Mapping[str, Any]) -> str:
    """Return the baseline as a line of text, shown while the estimator is imported."""
    entry = first_entry(data.X, data.y, data.row_weights, data.features, parameters)
    loss = Loss.of(parameters.get("loss", "squared"))
    name = "best straight line" if _is_line(entry.equation) else "first equation"
    board = Board(loss.named(data.columns.target))
    return f"{name}: {board.write(entry)} (R² {r2_text(1.0 - entry.nrmse**2)})"


def _is_line(equation: Expression) -> bool:
    """Return whether an equation has only sums and products of numbers and one column."""
    if equation.is_filled:
        return False
    n_operators = len(equation.vocabulary.operators)
    names = {equation.vocabulary.operators[token] for token in equation.tokens if token < n_operators}
    n_columns = sum(token >= equation.vocabulary.first_variable for token in equation.tokens)
    return n_columns == 1 and names <= LINEAR


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_LISTED:,} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more
