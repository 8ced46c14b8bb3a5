"""The work of `ddsr fit`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ddsr.command.failure import INTERRUPTED
from ddsr.command.reading import Columns, TrainingData, read_training_data
from ddsr.command.watching import Callback, Watched, print_to_stderr, watch
from ddsr.engine import Engine, FitOptions
from ddsr.expression import Vocabulary
from ddsr.grammar import Grammar
from ddsr.live.board import Board, Choose, r2_text
from ddsr.selection import baseline

if TYPE_CHECKING:
    from ddsr.estimator import DDSRRegressor

DEFAULT_SECONDS = 60.0
MOST_LISTED = 8


def run_fit(
    path: str,
    *,
    target: str,
    features: tuple[str, ...],
    ignore: tuple[str, ...],
    weights: str | None,
    drop_missing: bool,
    out: str | None,
    no_save: bool,
    tensorboard: str | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Read, search, show, save."""
    say = (lambda text: None) if quiet else print_to_stderr
    say(f"reading {path}")
    columns = Columns(target, features or None, ignore, weights)
    data = read_training_data(path, columns, drop_missing)
    for line in describe(data):
        say(line)
    parameters = estimator_parameters(**settings)
    board = Board(target, parameters["max_time"], _choice(settings["selection"], len(data.y)))
    say(f"to begin with: {_first_equation(data, board)}")
    done = watch(_fit(data, parameters), board, quiet, tensorboard)
    if done.is_interrupted:
        raise click.exceptions.Exit(INTERRUPTED)


def describe(data: TrainingData) -> list[str]:
    """What is used and what is not, in lines."""
    lines = [f"{len(data.y):,} rows: {data.columns.target} from {_listed(data.features)}"]
    if data.text_columns:
        lines.append(f"left out, since they are not numbers: {_listed(data.text_columns)}")
    if data.empty_columns:
        lines.append(f"left out, since they are empty: {_listed(data.empty_columns)}")
    if data.n_dropped:
        lines.append(f"left out: {data.n_dropped:,} rows with missing values")
    return lines
