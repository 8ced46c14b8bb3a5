"""`ddsr predict`: predict new rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ddsr.cli.failure import Command
from ddsr.cli.options import as_json as with_json

if TYPE_CHECKING:
    from ddsr.cli.opening import Opened
    from ddsr.cli.reading import NewData
    from ddsr.data.arrays import Floats

COLUMN, BOUNDS = "prediction", ("low", "high")
LEAST_CHANCE = 1e-15


@click.command(cls=Command, short_help="Predict new rows with the equation of a run.")
@click.argument("run", type=click.Path())
@click.argument("data", type=click.Path())
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="CSV file to write.  [default: print to stdout]",
)
@click.option(
    "--index",
    type=click.IntRange(0),
    metavar="N",
    help="Row of the equation in the table of `ddsr show`, from 0.  [default: the chosen equation]",
)
@click.option(
    "--interval",
    "level",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    metavar="LEVEL",
    help="Probability with which a new measurement lies within the bounds to print, such as 0.95.  "
    "[default: no bounds]",
)
@with_json
def predict(
    run: str, data: str, out: str | None, index: int | None, level: float | None, as_json: bool
) -> None:
    """Predict every row of a table with the equation of a run.

    RUN is a run folder or a model.json. DATA is a table like that of `ddsr fit`, with the columns that the
    model was fitted on, in any order. The output is a CSV with one column and one row per row of DATA, NaN
    where a value is missing: predictions, or probabilities for the logistic loss. With --interval, two more
    columns have the low and the high bound. If DATA also has the target, R² or the log loss is printed to
    stderr.
    """
    if level is not None and index is not None:
        raise click.UsageError("--interval covers all likely equations: leave out --index")
    from ddsr.cli.opening import open_model
    from ddsr.cli.reading import read_new_data
    from ddsr.cli.result import print_json
    from ddsr.storage.files import write_whole

    opened = open_model(run)
    rows = read_new_data(data, opened.features, opened.target, opened.model.preparation_)
    predicted = _predicted(opened, rows, index)
    bounds = {} if level is None else dict(zip(BOUNDS, _bounds(opened, rows, level).T, strict=True))
    r2 = _r2(rows, predicted)
    log_loss = _log_loss(rows, predicted) if _is_logistic(opened) else None
    _report(rows, predicted, opened.target, r2, log_loss)
    text = _csv({COLUMN: predicted, **bounds})
    if out is not None:
        write_whole(Path(out), text.encode())
    if as_json:
        figures = {"r2": r2} if log_loss is None else {"r2": r2, "log_loss": log_loss}
        listed = {name: bound.tolist() for name, bound in bounds.items()}
        print_json({"predictions": predicted.tolist(), **listed, "rows": len(predicted), **figures})
    elif out is None:
        click.echo(text, nl=False)


def _csv(columns: Mapping[str, Floats]) -> str:
    """Return a CSV with NaN where a value is missing: many readers skip empty lines."""
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    lines = (",".join("NaN" if value != value else repr(value) for value in row) for row in rows)
    return "\n".join([",".join(columns), *lines]) + "\n"


def _predicted(opened: Opened, rows: NewData, index: int | None) -> Floats:
    """Return the predictions, NaN where a value is missing; probabilities for the logistic loss."""
    from scipy.special import expit

    predicted = _on_complete(opened, rows, lambda model, X: model.predict(X, index)[:, None])[:, 0]
    return expit(predicted) if _is_logistic(opened) else predicted


def _bounds(opened: Opened, rows: NewData, level: float) -> Floats:
    """Return the low and the high bound of each row, of shape (n, 2)."""
    return _on_complete(opened, rows, lambda model, X: model.predict_interval(X, level), len(BOUNDS))


def _on_complete(
    opened: Opened, rows: NewData, of_rows: Callable[[Any, Any], Floats], n_columns: int = 1
) -> Floats:
    """Return what a function of the model and the complete rows gives for them; NaN for other rows."""
    import numpy as np
    import pandas as pd

    found = np.full((len(rows.X), n_columns), np.nan)
    if rows.is_complete.any():
        complete = rows.X[rows.is_complete]
        model = opened.model._of_prepared()
        if hasattr(model, "feature_names_in_"):
            complete = pd.DataFrame(complete, columns=list(model.feature_names_in_))
        found[rows.is_complete] = of_rows(model, complete)
    return found


def _is_logistic(opened: Opened) -> bool:
    return opened.model.outcomes_[0].loss.name == "logistic"


def _log_loss(rows: NewData, predicted: Floats) -> float | None:
    """Return the mean log loss on the complete rows; None if the target is unknown."""
    import numpy as np

    if rows.y is None:
        return None
    is_known = rows.is_complete & ~np.isnan(rows.y) & np.isfinite(predicted)
    y, chance = rows.y[is_known], np.clip(predicted[is_known], LEAST_CHANCE, 1.0 - LEAST_CHANCE)
    return float(-np.mean(y * np.log(chance) + (1.0 - y) * np.log(1.0 - chance))) if len(y) else None


def _r2(rows: NewData, predicted: Floats) -> float | None:
    """Return R² on the complete rows; None if the target is unknown or constant."""
    import numpy as np

    if rows.y is None:
        return None
    is_known = rows.is_complete & ~np.isnan(rows.y)
    y = rows.y[is_known]
    if len(y) < 2 or (y == y[0]).all():
        return None
    return float(1.0 - np.mean((y - predicted[is_known]) ** 2) / np.var(y))


def _report(rows: NewData, predicted: Floats, target: str, r2: float | None, log_loss: float | None) -> None:
    import numpy as np

    from ddsr.cli.watching import print_to_stderr

    for line in rows.unknown:
        print_to_stderr(line)
    n_missing = int((~rows.is_complete).sum())
    if n_missing:
        rows_have = "row has" if n_missing == 1 else "rows have"
        print_to_stderr(f"{n_missing:,} {rows_have} missing values and no prediction")
    n_undefined = int((~np.isfinite(predicted[rows.is_complete])).sum())
    if n_undefined:
        print_to_stderr(
            f"the equation is undefined or overflows on {n_undefined:,} row{'s' * (n_undefined != 1)}"
        )
    if log_loss is not None:
        print_to_stderr(f"log loss for {target}: {log_loss:.6f}")
    elif r2 is not None:
        print_to_stderr(f"R² for {target}: {r2:.6f}")
