"""The results in README.md: ddsr beside the best published methods on SRBench's ground truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ddsr.errors import BenchError
from ddsr_bench.report.figures import drawn
from ddsr_bench.report.groups import by_method, ground_truth_names
from ddsr_bench.report.measures import budgets, srbench_rate, thread_counts
from ddsr_bench.report.palette import OURS, PUBLISHED
from ddsr_bench.report.published import PublishedRates, published_rates
from ddsr_bench.report.rates import Rate, interval_bars
from ddsr_bench.report.results import Results
from ddsr_bench.runner.store import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_BARS = 7
"""published methods in the figure"""
NOISES = (0.0, 0.01)
"""noise levels in the figure"""
LABELS = {0.0: "no noise", 0.01: "noise 0.01"}


def recovery_sentences(results: Results) -> str:
    """Write how often the search finds the equation by SRBench's rule, beside the best published rates."""
    rows = _ground_truth(results)
    levels = sorted({row.noise for row in rows})
    own = [srbench_rate([row for row in rows if row.noise == noise]) for noise in levels]
    best = [max(row.symbolic_rate for row in published_rates() if row.noise == noise) for noise in levels]
    threads = f"{thread_counts(rows)} thread{'' if thread_counts(rows) == '1' else 's'}"
    return (
        f"With {budgets(rows)} per problem and {threads}, ddsr solves\n"
        f"{_at_levels(own, levels)}\nof the {len(ground_truth_names())} problems of SRBench with a known "
        "equation.\nThe best published rates, measured on other hardware, are\n"
        f"{_at_levels([Rate(each) for each in best], levels)}.\n"
    )


def _at_levels(rates: Sequence[Rate | None], levels: Sequence[float]) -> str:
    parts = [
        f"{rate.percent:.0f} % {'without noise' if noise == 0.0 else f'at noise {noise:g}'}"
        for rate, noise in zip(rates, levels, strict=True)
        if rate is not None
    ]
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


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
