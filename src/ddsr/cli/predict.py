"""`ddsr predict`: predict new rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ddsr.cli.failure import Command
from ddsr.cli.options import as_json as with_json

if TYPE_CHECKING:
    from ddsr.cli.opening import Opened
    from ddsr.cli.reading import NewData
    from ddsr.data.arrays import Floats

COLUMN = "prediction"


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
@with_json
def predict(run: str, data: str, out: str | None, index: int | None, as_json: bool) -> None:
    """Predict every row of a table with the equation of a run.

    RUN is a run folder or a model.json. DATA is a table like that of `ddsr fit`, with the columns that the
    model was fitted on, in any order. The output is a CSV with one column and one row per row of DATA, NaN
    where a value is missing. If DATA also has the target, R² is printed to stderr.
    """
    from ddsr.cli.opening import open_model
    from ddsr.cli.reading import read_new_data
    from ddsr.cli.result import print_json
    from ddsr.storage.files import write_whole

    opened = open_model(run)
    rows = read_new_data(data, opened.features, opened.target, opened.model.preparation_)
    predicted = _predicted(opened, rows, index)
    r2 = _r2(rows, predicted)
    _report(rows, predicted, r2, opened.target)
    # NaN rather than an empty line: most CSV readers skip empty lines, which would shift the rows after it.
    numbers = ("NaN" if value != value else repr(value) for value in predicted.tolist())
    text = "\n".join([COLUMN, *numbers]) + "\n"
    if out is not None:
        write_whole(Path(out), text.encode())
    if as_json:
        print_json({"predictions": predicted.tolist(), "rows": len(predicted), "r2": r2})
    elif out is None:
        click.echo(text, nl=False)


def _predicted(opened: Opened, rows: NewData, index: int | None) -> Floats:
    """Return the predictions, NaN where a value is missing."""
    import numpy as np
    import pandas as pd

    predicted = np.full(len(rows.X), np.nan)
    if rows.is_complete.any():
        complete = rows.X[rows.is_complete]
        model = opened.model._of_prepared()
        if hasattr(model, "feature_names_in_"):
            complete = pd.DataFrame(complete, columns=list(model.feature_names_in_))
        predicted[rows.is_complete] = model.predict(complete, index)
    return predicted


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


def _report(rows: NewData, predicted: Floats, r2: float | None, target: str) -> None:
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
    if r2 is not None:
        print_to_stderr(f"R² for {target}: {r2:.6f}")
