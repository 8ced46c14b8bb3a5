"""The command `ddsr`: each command imports what it needs, so that `ddsr --help` answers at once."""

import sys
from io import TextIOWrapper
from typing import Any

import click

from ddsr.command.demo import demo
from ddsr.command.failure import CommandGroup
from ddsr.command.fit import fit
from ddsr.command.options import Seconds, read_all_names, read_all_numbers, read_names
from ddsr.command.predict import predict
from ddsr.command.prior import prior
from ddsr.command.report import report
from ddsr.command.resume import resume
from ddsr.command.show import show
from ddsr.terminal import plain_console, printable, printable_lines


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ddsr", message="%(prog)s %(version)s")
def main() -> None:
    """Find the equation behind data: symbolic regression by masked discrete diffusion."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what an old terminal cannot show is a question mark there
            stream.reconfigure(errors="replace")


for command in (fit, show, predict, report, resume, demo, prior):
    main.add_command(command)


@main.group(cls=CommandGroup)
def bench() -> None:
    """Measure methods on problems whose equations are known."""


@bench.command("run")
@click.option(
    "--suite",
    "suites",
    multiple=True,
    callback=read_all_names,
    default=["ground-truth"],
    show_default=True,
    help="Suites, or CSVs of formulas or of data, by commas.",
)
@click.option(
    "--problem",
    "names",
    multiple=True,
    callback=read_all_names,
    help="Problems of the suites, by commas (default: all).",
)
@click.option("--draw", type=click.IntRange(1), help="So many problems of the suite, drawn by --draw-seed.")
@click.option("--draw-seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of --draw.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    callback=read_all_names,
    default=["ddsr"],
    show_default=True,
    help="Presets or peers, by commas.",
)
@click.option(
    "--noise",
    "noises",
    multiple=True,
    callback=read_all_numbers,
    default=["0"],
    show_default=True,
    help="Shares of the RMS, by commas.",
)
@click.option("--trials", type=click.IntRange(1), default=1, show_default=True, help="Seeds 0, 1, … of each.")
@click.option(
    "--time", "seconds", type=Seconds(min_open=True), default=None, help="Seconds of search in each run."
)
@click.option("--epochs", type=click.IntRange(1), default=None, help="Epochs of each run, at most.")
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Runs at a time, each a process."
)
@click.option(
    "--stack",
    type=click.IntRange(1),
    help="Run this many searches of the preset paper in each process, on one GPU, in one batch.",
)
@click.option("--cluster", help="Address of a dask scheduler, or local:N, in place of --jobs.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="Of each run.")
@click.option("--device", default="cpu", show_default=True, help="Where the networks run.")
@click.option("--memory", type=click.FloatRange(0, min_open=True), help="GiB at which a run is killed.")
@click.option("--data", type=click.Path(file_okay=False), default=None, help="pmlb's cache folder.")
@click.option("--store", type=click.Path(file_okay=False), required=True, help="Folder of the results.")
def bench_run(
    suites: tuple[str, ...],
    methods: tuple[str, ...],
    noises: tuple[float, ...],
    data: str | None,
    **settings: Any,
) -> None:
    """Run what the store does not hold yet. Each run is a process, and a line of results.jsonl.

    The same command goes on after it was stopped or killed. Runs without --time go on within their search.
    """
    from ddsr.bench.command import run_suite

    run_suite(plain_console(), suites, methods, noises, data, **settings)


def _chosen_runs(function: Any) -> Any:
    """The stores to read, and which of their runs."""
    choose = click.option("--method", "methods", callback=read_names, help="Only these, separated by commas.")
    return click.argument("stores", metavar="STORE...", nargs=-1, required=True)(choose(function))


@bench.command("table")
@_chosen_runs
@click.option(
    "--format",
    type=click.Choice(["markdown", "csv", "html"]),
    default="markdown",
    show_default=True,
    help="Of the table.",
)
@click.option(
    "--by",
    type=click.Choice(["noise", "method", "overview"]),
    default="noise",
    show_default=True,
    help="Every run by noise level, methods on the runs that all of them have, or noise levels side by side.",
)
@click.option("--best", type=click.IntRange(0), help="With --by overview: so many published rows a source.")
@click.option("--baseline", default=None, help="With --by method: p-values against this method.")
@click.option("--out", type=click.Path(dir_okay=False), default=None, help="File; by default the terminal.")
def bench_table(stores: tuple[str, ...], methods: tuple[str, ...], out: str | None, **settings: Any) -> None:
    """Rates, complexity and time of every method, beside what was published.

    STORE is a folder of results, or LABEL=FOLDER to tell the same methods of two folders apart.
    """
    from ddsr.bench.report.command import make_table, read_chosen, save

    results = read_chosen(stores, methods)
    text = make_table(results, **settings)
    for warning in results.warnings:
        click.echo(printable(warning), err=True)
    if out is None:
        click.echo(printable_lines(text), nl=False)
    else:
        save(out, text.encode())


@bench.command("plot")
@_chosen_runs
@click.option(
    "--kind", type=click.Choice(["rates", "pareto", "ablation", "curves"]), required=True, help="Of figure."
)
@click.option("--problem", default=None, help="Only the runs of this problem.")
@click.option("--out", type=click.Path(dir_okay=False), required=True, help="An .svg or a .png.")
def bench_plot(
    stores: tuple[str, ...], methods: tuple[str, ...], kind: str, problem: str | None, out: str
) -> None:
    """Draw rates, R² against size, an ablation, or learning curves."""
    from ddsr.bench.report.command import read_chosen, save_figure

    save_figure(read_chosen(stores, methods, problem), kind, out)


@bench.command("report")
@_chosen_runs
@click.option("--title", default="Benchmark", show_default=True, help="Of the page.")
@click.option("--baseline", default=None, help="P-values against this method.")
@click.option("--out", type=click.Path(dir_okay=False), required=True, help="An .html file.")
def bench_report(
    stores: tuple[str, ...], methods: tuple[str, ...], title: str, baseline: str | None, out: str
) -> None:
    """Write one page with all tables and figures in it, which needs no other file."""
    from ddsr.bench.report.command import read_chosen, save_page

    save_page(read_chosen(stores, methods), title, baseline, out)
