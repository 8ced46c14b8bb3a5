"""`ddsr fit`: find equations for a column of a table."""

from __future__ import annotations

from typing import Any

import click

from ddsr.command.failure import Command
from ddsr.command.options import Seconds, as_json, read_names, tensorboard_folder
from ddsr.terminal import printable

SELECTIONS = ("description_length", "best", "accuracy")
DEVICES = ("auto", "cpu", "cuda")
TIME_HELP = "That the search has.  [default: 60; with --epochs no limit]"


@click.command(cls=Command, short_help="Find equations for a column of a table.")
@click.argument("data", type=click.Path())
@click.option("-t", "--target", required=True, help="The column to explain.")
@click.option(
    "--features",
    callback=read_names,
    metavar="A,B,…",
    help="Columns to explain it by; by default all others.",
)
@click.option("--ignore", callback=read_names, metavar="A,B,…", help="Columns to leave out.")
@click.option("--weights", metavar="COLUMN", help="Relative weights of the rows.")
@click.option("--counts", metavar="COLUMN", help="How often each row was observed.")
@click.option("--drop-missing", is_flag=True, help="Leave out rows with missing values.")
@click.option("--time", "seconds", type=Seconds(min_open=True), metavar="SECONDS", help=TIME_HELP)
@click.option("--epochs", type=click.IntRange(1), metavar="N", help="Epochs, at most.")
@click.option(
    "--out", type=click.Path(), metavar="FOLDER", help="Of the run.  [default: ddsr-runs/DATA-DATE]"
)
@click.option("--no-save", is_flag=True, help="Write no folder.")
@click.option("--operators", callback=read_names, metavar="+,sin,…", help="What equations are made of.")
@click.option("--max-size", type=click.IntRange(1, 1000), metavar="N", help="Tokens of an equation, at most.")
@click.option(
    "--guess", "guesses", multiple=True, metavar="EQUATION", help="Begin with this too; can be repeated."
)
@click.option(
    "--rule", "rules", multiple=True, metavar="RULE", help="As 'forbid exp on a' or 'use b'; can be repeated."
)
@click.option("--selection", type=click.Choice(SELECTIONS), help="How one of the equations is chosen.")
@click.option("--preset", default="ddsr", show_default=True, help="The method: ddsr, paper, dsr, uniform, …")
@click.option(
    "--prior",
    metavar="default|none|FILE",
    default="default",
    show_default=True,
    help="Weights trained before.",
)
@click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), metavar="N", default=0, show_default=True, help="Of chance."
)
@click.option(
    "--jobs", type=int, metavar="N", default=-1, show_default=True, help="Threads; -1: one for each core."
)
@click.option(
    "--device", type=click.Choice(DEVICES), default="auto", show_default=True, help="Where networks run."
)
@tensorboard_folder
@click.option("--quiet", is_flag=True, help="Show nothing while it runs.")
@as_json
def fit(
    data: str,
    target: str,
    features: tuple[str, ...],
    ignore: tuple[str, ...],
    weights: str | None,
    counts: str | None,
    **options: Any,
) -> None:
    """Find equations for a column of the table DATA: CSV, TSV, either of them .gz, or Parquet.

    Columns that are not numbers are left out, and named. Ctrl-C ends the search and keeps the best so far; a
    second Ctrl-C stops at once. A seed gives the same equations again where --epochs is the only limit.

    \b
    Examples:
      ddsr fit planets.csv --target period --time 10
      ddsr fit flow.tsv.gz -t drag --features speed,radius --out run
    """
    if options["out"] is not None and options["no_save"]:
        raise click.UsageError("--out and --no-save exclude each other")
    if not options["quiet"]:
        click.echo(printable(f"reading {data}"), err=True)  # before anything is imported that takes its time
    from ddsr.command.fitting import run_fit
    from ddsr.command.reading import Columns

    run_fit(data, columns=Columns(target, features or None, ignore, weights, counts), **options)
