"""The results in README.md: ddsr beside the best published methods on SRBench's ground truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ddsr.errors import BenchError
from ddsr_bench.report.figures import drawn
from ddsr_bench.report.groups import by_method, ground_truth_names
from ddsr_bench.report.measures import budgets, srbench_rate, thread_counts
from ddsr_bench.report.overview import overview_tables
from ddsr_bench.report.palette import OURS, PUBLISHED
from ddsr_bench.report.published import PublishedRates, published_rates
from ddsr_bench.report.rates import Rate, interval_bars
from ddsr_bench.report.results import Results
from ddsr_bench.report.summary import OWN
from ddsr_bench.report.table import Cell, Table, to_markdown
from ddsr_bench.runner.store import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BEST = 3
"""published methods of each source in the table"""
N_BARS = 7
"""published methods in the figure"""
NOISES = (0.0, 0.01)
"""noise levels in the figure"""
COLUMNS = ("method", "source", "noise_0", "noise_0.001", "noise_0.01", "noise_0.1", "time_mean_s")
LABELS = {0.0: "no noise", 0.01: "noise 0.01"}


def compact_table(results: Results) -> str:
    """One row per method, in Markdown, with a line on how the rates were measured."""
    table = overview_tables(results, BEST)[0]
    keys = [column.key for column in table.columns]
    places = [keys.index(key) for key in COLUMNS]
    rows: dict[tuple[Cell, Cell], tuple[Cell, ...]] = {}
    for row in table.rows:
        # The first row of one's own method is by SRBench's rule on all problems.
        rows.setdefault((row[0], row[1]), tuple(_plain(row[place]) for place in places))
    columns = tuple(table.columns[place] for place in places)
    short = Table("", columns, tuple(rows.values()), _how_measured(results))
    return to_markdown([short]).partition("\n\n")[2]


def _plain(cell: Cell) -> Cell:
    """Remove the interval of a rate."""
    if isinstance(cell, Rate):
        return Rate(cell.percent, of=cell.of)
    return "this repository" if cell == OWN else cell


def _how_measured(results: Results) -> tuple[str, ...]:
    rows = _ground_truth(results)
    n_seeds = len({row.seed for row in rows})
    seeds = "one run" if n_seeds == 1 else f"{n_seeds} runs"
    return (
        f"Share (%) of SRBench's {len(ground_truth_names())} problems with a known equation that are solved, "
        "by noise level.",
        f"ddsr: SRBench's rule, {seeds} per problem and level, time limit {budgets(rows)}, threads per run: "
        f"{thread_counts(rows)}.",
        f"Others: the best {BEST} methods in SRBench's result files (at most 130 of the problems) and in the "
        "DDSR paper's tables, measured on other hardware. The figure shows a method that is in both with its "
        "higher rate without noise.",
    )


class Bar(NamedTuple):
    """The rates of a method at the noise levels of the figure; None without runs."""

    label: str
    is_own: bool
    rates: tuple[Rate | None, ...]


def recovery_figure(results: Results) -> bytes:
    """Draw solution rates as bars in an SVG; equal results give equal bytes."""
    return drawn(_draw, results, "svg")


def bars(results: Results) -> list[Bar]:
    """One's own methods, then the best published ones.

    If a method is in both sources, the one with the higher rate without noise is shown.
    """
    rows = _ground_truth(results)
    own = [
        Bar(
            method, True, tuple(srbench_rate([row for row in runs if row.noise == noise]) for noise in NOISES)
        )
        for method, runs in by_method(rows)
    ]
    taken = {bar.label.lower() for bar in own}
    return own + [_published_bar(levels, taken) for levels in best_published()]


def best_published() -> list[list[PublishedRates]]:
    """The noise levels of each method and source, the highest rate without noise first."""
    by_name: dict[tuple[str, str], list[PublishedRates]] = {}
    for row in published_rates():
        by_name.setdefault((row.method, row.source), []).append(row)
    ordered = sorted(by_name.values(), key=lambda levels: -_at(levels, 0.0).symbolic_rate)
    best: dict[str, list[PublishedRates]] = {}
    for levels in ordered:
        best.setdefault(levels[0].method, levels)
    return list(best.values())[:N_BARS]


def _at(levels: Sequence[PublishedRates], noise: float) -> PublishedRates:
    return next(row for row in levels if row.noise == noise)


def _published_bar(levels: Sequence[PublishedRates], taken: set[str]) -> Bar:
    method = levels[0].method
    label = f"{method} ({levels[0].source})" if method.lower() in taken else method
    return Bar(label, False, tuple(Rate(_at(levels, noise).symbolic_rate) for noise in NOISES))


def _ground_truth(results: Results) -> list[Row]:
    rows = [row for row in results.rows if row.problem in ground_truth_names()]
    if not rows:
        raise BenchError("README needs rates on the ground-truth suite, but no such run is kept")
    return rows


def _draw(results: Results) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    shown = bars(results)
    figure = Figure(figsize=(7.2, 0.7 + 0.38 * len(shown)), layout="constrained")
    axes = figure.subplots()
    for place, bar in enumerate(shown):
        _draw_bar(axes, place, bar)
    axes.set_yticks(range(len(shown)), [bar.label for bar in shown])
    for tick, bar in zip(axes.get_yticklabels(), shown, strict=True):
        tick.set(color=OURS if bar.is_own else "black", fontweight="bold" if bar.is_own else "normal")
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_xlim(0, 100)
    axes.set_xlabel(f"recovered (% of SRBench's {len(ground_truth_names())} known equations)")
    handles = [
        Patch(color=PUBLISHED, alpha=_shade(number), label=LABELS[noise])
        for number, noise in enumerate(NOISES)
    ]
    axes.legend(handles=handles, loc="lower right")
    return figure


def _shade(number: int) -> float:
    """Lighter for more noise."""
    return (1.0, 0.45)[number]


def _draw_bar(axes: Axes, place: int, bar: Bar) -> None:
    height = 0.8 / len(NOISES)
    for number, rate in enumerate(bar.rates):
        if rate is None:
            continue
        at = place - 0.4 + height * (number + 0.5)
        axes.barh(
            at,
            rate.percent,
            height=height,
            color=OURS if bar.is_own else PUBLISHED,
            alpha=_shade(number),
            xerr=interval_bars([rate]) if bar.is_own else None,
            error_kw={"elinewidth": 1, "capsize": 2},
        )
        end = rate.percent if rate.high is None else rate.high
        axes.text(end + 1, at, f"{rate.percent:.0f}", va="center", fontsize=7.5)
