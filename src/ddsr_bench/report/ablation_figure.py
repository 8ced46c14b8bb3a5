"""Bars of solution and accuracy rates on the same runs, with one panel per group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ddsr.errors import BenchError
from ddsr_bench.report.ablation import ALL, Comparison, compare
from ddsr_bench.report.groups import WITHOUT_EQUATION
from ddsr_bench.report.measures import accuracy_rate, srbench_rate
from ddsr_bench.report.palette import colour
from ddsr_bench.report.rates import Rate, interval_bars
from ddsr_bench.report.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEASURES = {"solved (SRBench)": srbench_rate, "R² > 0.999": accuracy_rate}
HATCHES = ("", "//", "..", "xx", "--", "++", "\\\\")
"""patterns that distinguish bars without colours"""


def draw(results: Results) -> Figure:
    """Draw the runs of all noise levels together."""
    from matplotlib.figure import Figure

    comparison = compare(results)
    groups = [group for group in comparison.groups if group not in {ALL, *WITHOUT_EQUATION}]
    if not groups:
        raise BenchError("the figure ablation shows solution rates, which black-box runs do not have")
    figure = Figure(figsize=(1.2 + 4.2 * len(groups), 3.6), layout="constrained")
    panels = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    for panel, group in zip(panels, groups, strict=True):
        _draw_group(panel, group, comparison)
    panels[0].set_ylabel("runs (%)")
    panels[0].set_ylim(0, 100)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(3, len(labels)))
    return figure


def _draw_group(panel: Axes, group: str, comparison: Comparison) -> None:
    width = 0.8 / len(comparison.runs)
    places = np.arange(len(MEASURES))
    part = comparison.part(group)
    for number, (method, runs) in enumerate(part.items()):
        rates = [rate_of_runs(runs) or Rate(0.0) for rate_of_runs in MEASURES.values()]
        panel.bar(
            places - 0.4 + width * (number + 0.5),
            [rate.percent for rate in rates],
            yerr=interval_bars(rates),
            width=width,
            color=colour(number),
            edgecolor="white",
            hatch=HATCHES[number % len(HATCHES)],
            error_kw={"elinewidth": 1, "capsize": 2},
            label=method,
        )
    panel.set_xticks(places, list(MEASURES))
    panel.set_title(f"{group} ({len(next(iter(part.values())))} runs each)")
    panel.grid(visible=False, axis="x")
