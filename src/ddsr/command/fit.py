"""`ddsr fit`: find equations for a column of a table."""

from __future__ import annotations

from typing import Any

import click

from ddsr.command.failure import Command
from ddsr.command.options import Seconds, as_json, read_names

DEFAULT_SECONDS = 60.0
SELECTIONS = ("description_length", "best", "accuracy")


@click.command(cls=Command)
@click.argument("data", type=click.Path())
@click.option("-t", "--target", required=True, help="The column to explain.")
@click.option(
    "--features",
    callback=read_names,
    metavar="A,B,…",
    help="Columns to explain it by; by default all numbers.",
)
@click.option("--ignore", callback=read_names, metavar="A,B,…", help="Columns to leave out.")
@click.option("--weights", metavar="COLUMN", help="How much each row counts.")
@click.option("--drop-missing", is_flag=True, help="Leave out rows with missing values.")
@click.option(
    "--time",
    "seconds",
    type=Seconds(min_open=True),
    help=f"Seconds, reading the data aside.  [default: {DEFAULT_SECONDS:g}, or no limit with --epochs]",
)
@click.option(
    "--epochs",
    type=click.IntRange(1),
    help="Epochs at most; without --time a seed gives the same result again.",
)
@click.option(
    "--out", type=click.Path(), metavar="FOLDER", help="Of the run.  [default: ddsr-runs/DATA-DATE]"
)
@click.option("--no-save", is_flag=True, help="Write no folder.")
@click.option("--operators", callback=read_names, metavar="+,*,sin,…", help="What equations are made of.")
@click.option(
    "--max-size", type=click.IntRange(1, 1000), help="Tokens of an equation at most, before scale and offset."
)
@click.option(
    "--guess",
    "guesses",
    multiple=True,
    metavar="EQUATION",
    help="Start from this, as 'a*x + b'; may be repeated.",
)
@click.option(
    "--selection", type=click.Choice(SELECTIONS), help="How the equation is chosen from those found."
)
@click.option("--preset", default="ddsr", show_default=True, help="The method: ddsr, paper, dsr or uniform.")
@click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True, help="Of the random numbers."
)
@click.option(
    "--jobs", type=int, default=-1, show_default=True, help="Threads; -1: as many as there are cores."
)
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Where networks run.",
)
@click.option(
    "--tensorboard",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Write learning curves for TensorBoard.",
)
@click.option("--quiet", is_flag=True, help="Show nothing while it runs.")
@as_json
def fit(data: str, **options: Any) -> None:
    """Find equations for a column of the table DATA: CSV, TSV, either as .gz, or Parquet.

    Columns that are not numbers are left out, and named. Ctrl-C ends the search and keeps the best so far;
    a second Ctrl-C stops at once.

    \b
    Examples:
      ddsr fit planets.csv --target period --time 10
      ddsr fit flow.tsv.gz -t drag --features speed,radius --out run
    """
    from ddsr.command.fitting import run_fit

    run_fit(data, **options)
