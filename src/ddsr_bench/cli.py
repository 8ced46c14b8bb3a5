"""The commands `ddsr bench …`. Each imports its modules when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ddsr.cli.failure import CommandGroup
from ddsr.cli.options import OneOf, Seconds, read_names, read_numbers
from ddsr.data.printable import plain_console, printable, printable_lines


def read_all_names(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Read the names of an option that can be repeated, without duplicates."""
    if not all(values):
        raise click.BadParameter("give at least one name", ctx, param)
    return tuple(dict.fromkeys(name for value in values for name in read_names(ctx, param, value)))


def read_all_numbers(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[float, ...]:
    """Read the numbers of an option that can be repeated, without duplicates."""
    return tuple(dict.fromkeys(number for value in values for number in read_numbers(ctx, param, value)))


def _names(option: str, name: str, **settings: Any) -> Callable[[Any], Any]:
    """Return an option for names, separated by commas, that can be repeated."""
    return click.option(option, name, multiple=True, callback=read_all_names, **settings)


@click.group(cls=CommandGroup)
def bench() -> None:
    """Measure how often methods recover known equations."""


@bench.command("run")
@_names(
    "--suite",
    "suites",
    default=["ground-truth"],
    metavar="NAME,…",
    help="Suites, or CSV files of formulas or data.",
)
@_names("--problem", "names", metavar="NAME,…", help="Problems of the suites.  [default: all]")
@click.option("--draw", type=click.IntRange(1), metavar="N", help="Number of problems to draw at random.")
@click.option("--draw-seed", type=click.IntRange(0), metavar="N", default=0, help="Random seed of --draw.")
@_names(
    "--method",
    "methods",
    default=["ddsr"],
    metavar="NAME,…",
    help="Methods to run: presets of ddsr with options, such as paper:steps=8, or peers.",
)
@click.option(
    "--noise",
    "noises",
    multiple=True,
    callback=read_all_numbers,
    default=["0"],
    metavar="LEVEL,…",
    help="Noise levels as fractions of the target's RMS.",
)
@click.option(
    "--trials",
    type=click.IntRange(1),
    metavar="N",
    default=1,
    help="Number of runs of each problem, with the seeds 0, 1, ….",
)
@click.option("--first-seed", type=click.IntRange(0), metavar="N", default=0, help="First seed of --trials.")
@click.option(
    "--time", "seconds", type=Seconds(min_open=True), metavar="SECONDS", help="Time limit of each search."
)
@click.option("--epochs", type=click.IntRange(1), metavar="N", help="Maximum number of epochs of each run.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    default=1,
    help="Number of runs in parallel, each in its own process.",
)
@click.option(
    "--stack",
    type=click.IntRange(1),
    metavar="N",
    help="Number of searches of the preset paper that each process runs at once on the GPU. The options "
    "generator=d3pm, start=prior and steps are not supported.",
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Address of a Dask scheduler, or local:N for N local workers. Replaces --jobs.",
)
@click.option(
    "--threads", type=click.IntRange(1), metavar="N", default=1, help="Number of threads of each run."
)
@click.option("--device", metavar="NAME", default="cpu", help="Device for the networks: cpu, cuda or auto.")
@click.option(
    "--units",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="CSV file with the units of the variables to pass to the methods: columns name, role (feature or "
    "target), variable, and one exponent per dimension: m, s, kg, T (K) and V.",
)
@click.option(
    "--memory",
    type=click.FloatRange(0, min_open=True),
    metavar="GIB",
    help="Memory limit of each run; a run above it is killed.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Folder where the package pmlb caches its data sets.",
)
@click.option(
    "--store",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    required=True,
    help="Folder for the results.",
)
def bench_run(**options: Any) -> None:
    """Run methods on problems and save the results.

    Lists are separated by commas. Each result is appended to results.jsonl in the store, a folder. Runs that
    the store already has are skipped, so the same command resumes a benchmark that was stopped or killed.
    Without --time, unfinished searches are resumed, too.
    """
    from ddsr_bench.command import SuiteRun, run_suite

    run_suite(plain_console(), SuiteRun(**options))


def _chosen_runs(function: Any) -> Any:
    """Add the arguments that choose stores and methods."""
    choose = click.option(
        "--method",
        "methods",
        callback=read_names,
        metavar="NAME,…",
        help="Methods to include.  [default: all]",
    )
    return click.argument("stores", metavar="STORE...", nargs=-1, required=True)(choose(function))


@bench.command("table")
@_chosen_runs
@click.option(
    "--format",
    type=OneOf(["markdown", "csv", "html"]),
    default="markdown",
    help="Format of the table.",
)
@click.option(
    "--by",
    type=OneOf(["noise", "method", "overview"]),
    default="noise",
    help="Kind of table. noise: all runs, by noise level. method: comparison of methods on the runs that all "
    "of them have. overview: noise levels side by side.",
)
@click.option(
    "--best",
    type=click.IntRange(0),
    metavar="N",
    help="Maximum number of published rows per source, with --by overview.",
)
@click.option("--baseline", metavar="NAME", help="Method to compute p-values against, with --by method.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="File to write.  [default: print to stdout]",
)
def bench_table(stores: tuple[str, ...], methods: tuple[str, ...], out: str | None, **settings: Any) -> None:
    """Print tables of the results and published ones.

    The tables have rates, complexity and time by method. STORE is a folder of results. Use LABEL=FOLDER to
    compare the same method in two folders.
    """
    from ddsr_bench.report.command import make_table, read_chosen, save

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
    "--kind",
    type=OneOf(["rates", "pareto", "ablation", "curves"]),
    required=True,
    help="Kind of figure.",
)
@click.option("--problem", metavar="NAME", help="Problem whose runs are used.  [default: all]")
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    required=True,
    help="Figure to write: .svg or .png.",
)
def bench_plot(
    stores: tuple[str, ...], methods: tuple[str, ...], kind: str, problem: str | None, out: str
) -> None:
    """Draw a figure of the results.

    A figure shows rates, R² against size, an ablation, or learning curves. STORE is a folder of results, or
    LABEL=FOLDER.
    """
    from ddsr_bench.report.command import read_chosen, save_figure

    save_figure(read_chosen(stores, methods, problem), kind, out)


@bench.command("report")
@_chosen_runs
@click.option("--title", metavar="TEXT", default="Benchmark", help="Title of the page.")
@click.option("--baseline", metavar="NAME", help="Method to compute p-values against.")
@click.option(
    "--out", type=click.Path(dir_okay=False), metavar="FILE", required=True, help="Page to write: .html."
)
def bench_report(
    stores: tuple[str, ...], methods: tuple[str, ...], title: str, baseline: str | None, out: str
) -> None:
    """Write an HTML page with all tables and figures.

    The page is self-contained. STORE is a folder of results, or LABEL=FOLDER.
    """
    from ddsr_bench.report.command import read_chosen, save_page

    save_page(read_chosen(stores, methods), title, baseline, out)
