"""`ddsr fit`: find equations for a column of a table."""

from __future__ import annotations

from typing import Any

import click

from ddsr.cli.failure import Command
from ddsr.cli.options import (
    OneOf,
    Seconds,
    as_json,
    read_costs,
    read_names,
    read_operator_list,
    read_units,
    tensorboard_folder,
)
from ddsr.data.printable import printable

SELECTIONS = ("description_length", "best", "accuracy")
DEVICES = ("auto", "cpu", "cuda")
TIME_HELP = "Time limit of the search.  [default: 60; with --epochs no limit]"


@click.command(cls=Command, short_help="Find equations for a column of a table.")
@click.argument("data", type=click.Path())
@click.option(
    "-t",
    "--target",
    "targets",
    metavar="COLUMN",
    required=True,
    multiple=True,
    help="Column to predict. Can be repeated: each target gets an equation and a run folder.",
)
@click.option(
    "--features",
    callback=read_names,
    metavar="A,B,…",
    help="Columns to predict the target from.  [default: all other numeric columns]",
)
@click.option("--ignore", callback=read_names, metavar="A,B,…", help="Columns to leave out.")
@click.option("--weights", metavar="COLUMN", help="Column of row weights.")
@click.option("--counts", metavar="COLUMN", help="Column with the number of observations of each row.")
@click.option("--errors", metavar="COLUMN", help="Column with the standard error of the target.")
@click.option(
    "--loss",
    metavar="NAME",
    default="squared",
    help="Loss to minimise: squared, absolute, huber, relative, quantile:0.9, poisson or logistic.",
)
@click.option(
    "--missing",
    type=click.Choice(("error", "drop", "impute")),
    default="error",
    help="How to handle missing values: stop, drop their rows, or replace them by the column's median.",
)
@click.option("--drop-missing", is_flag=True, help="Same as --missing drop.")
@click.option(
    "--categories",
    type=click.Choice(("error", "one-hot")),
    default="error",
    help="How to handle columns of text: ignore them, or make one 0/1 column for each category.",
)
@click.option(
    "--dates",
    type=click.Choice(("error", "days")),
    default="error",
    help="How to handle columns of dates: ignore them, or count the days since the first date.",
)
@click.option("--time", "seconds", type=Seconds(min_open=True), metavar="SECONDS", help=TIME_HELP)
@click.option("--epochs", type=click.IntRange(1), metavar="N", help="Maximum number of epochs.")
@click.option(
    "--out", type=click.Path(), metavar="FOLDER", help="Folder for the run.  [default: ddsr-runs/DATA-DATE]"
)
@click.option("--no-save", is_flag=True, help="Do not save the run.")
@click.option(
    "--operators",
    callback=read_operator_list,
    metavar="+,sin,…",
    help="Operators that equations may use, including your own: 'lorentz(x) = 1 / (1 + x^2)'.",
)
@click.option(
    "--max-size", type=click.IntRange(1, 1000), metavar="N", help="Maximum number of tokens of an equation."
)
@click.option(
    "--guess",
    "guesses",
    multiple=True,
    metavar="EQUATION",
    help="Equation to start the search from. Can be repeated.",
)
@click.option(
    "--template",
    metavar="TEMPLATE",
    help="Known part of the equation. In 'A * exp(-f(t))', the constant A is fitted, and the search finds "
    "the function f.",
)
@click.option(
    "--formula",
    metavar="FORMULA",
    help="Equation whose constants are fitted, without a search, such as 'Vmax * S / (Km + S)'.",
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    help="Rule that equations must obey, such as 'forbid exp on a', 'use b' or 'increasing in a'. Can be "
    "repeated.",
)
@click.option(
    "--operator-cost",
    "operator_costs",
    multiple=True,
    callback=read_costs,
    metavar="OPERATOR=NATS",
    help="Nats to add to the description length for each use of an operator, such as 'sin=3'. Can be "
    "repeated.",
)
@click.option(
    "--variable-cost",
    "variable_costs",
    multiple=True,
    callback=read_costs,
    metavar="COLUMN=NATS",
    help="The same for each use of a column. Can be repeated.",
)
@click.option(
    "--units",
    callback=read_units,
    multiple=True,
    metavar="A=UNIT,…",
    help="Units of the target and of all features, such as 'E=J,m=kg,v=m/s'; nothing after '=' for a number. "
    "'names' reads them from names such as 'T [K]'. Equations with inconsistent units are left out. Can be "
    "repeated.",
)
@click.option(
    "--unit-constants",
    type=click.IntRange(0),
    metavar="N",
    default=0,
    help="Number of fitted constants of an equation that may have a unit.",
)
@click.option(
    "--constant",
    "constants",
    multiple=True,
    metavar="NAME[=VALUE]",
    help="Known constant that equations may use by name, such as 'G=6.674e-11 m^3/kg/s^2', or a name of the "
    "table of physical constants, such as kB. Can be repeated.",
)
@click.option(
    "--stop-at",
    metavar="CONDITION",
    help="End the search when an equation meets a condition, such as 'r2 > 0.999 and size < 10'.",
)
@click.option(
    "--selection",
    type=OneOf(SELECTIONS),
    help="Criterion that chooses the equation.  [default: the preset's]",
)
@click.option(
    "--keep-digits",
    "round_constants",
    is_flag=True,
    flag_value=False,
    default=True,
    show_default=False,  # of `round_constants`
    help="Keep constants as fitted instead of rounding them to simple numbers.",
)
@click.option(
    "--preset",
    metavar="NAME",
    default="ddsr",
    help="Search method: ddsr, paper, dsr, uniform, or a variant of one, such as paper:start=prior:steps=8.",
)
@click.option(
    "--prior",
    metavar="default|none|FILE",
    default="default",
    help="Pretrained generator: `default`, `none`, or a file of weights.",
)
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), metavar="N", default=0, help="Random seed.")
@click.option("--jobs", type=int, metavar="N", default=-1, help="Number of threads; -1: all cores.")
@click.option("--device", type=OneOf(DEVICES), default="auto", help="Device for the networks.")
@tensorboard_folder
@click.option("--quiet", is_flag=True, help="Do not show progress.")
@as_json
def fit(
    data: str,
    targets: tuple[str, ...],
    features: tuple[str, ...],
    ignore: tuple[str, ...],
    weights: str | None,
    counts: str | None,
    errors: str | None,
    drop_missing: bool,
    **options: Any,
) -> None:
    """Find equations that predict a column of a table.

    DATA is a CSV or TSV file, possibly gzipped, or a Parquet file. Non-numeric columns are ignored and
    listed, unless --categories or --dates is given. Ctrl-C ends the search and keeps the best equations so
    far; a second Ctrl-C stops at once without a result. If --epochs is the only limit, the same seed gives
    the same equations.

    \b
    Examples:
      ddsr fit planets.csv --target period --time 10
      ddsr fit flow.tsv.gz -t drag --features speed,radius --out run
      ddsr fit enzyme.csv -t v --formula "Vmax * S / (Km + S)"
    """
    if options["out"] is not None and options["no_save"]:
        raise click.UsageError("--out and --no-save cannot be combined")
    if drop_missing and options["missing"] == "impute":
        raise click.UsageError("--drop-missing and --missing impute cannot be combined")
    options["missing"] = "drop" if drop_missing else options["missing"]
    if not options["quiet"]:
        click.echo(printable(f"reading {data}"), err=True)  # before the slow imports
    from ddsr.cli.fitting import run_fit, run_fits
    from ddsr.cli.reading import Columns

    if len(targets) == 1:
        only = Columns(targets[0], features or None, ignore, weights, counts, errors)
        run_fit(data, columns=only, **options)
        return
    if len(set(targets)) < len(targets):
        raise click.UsageError("a column is given twice as --target")
    if errors is not None:
        raise click.UsageError("--errors has the errors of one target: fit each target by itself")
    others = {
        target: () if features else tuple(each for each in targets if each != target) for target in targets
    }
    columns = [
        Columns(target, features or None, (*ignore, *others[target]), weights, counts) for target in targets
    ]
    run_fits(data, columns, **options)
