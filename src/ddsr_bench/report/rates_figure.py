"""Solution and accuracy rates: one line per method, one mark per noise level, with published methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ddsr.errors import BenchError
from ddsr_bench.report.groups import (
    NOT_IN_SRBENCH,
    WITHOUT_EQUATION,
    by_method,
    by_noise,
    ground_truth_names,
    group_of,
)
from ddsr_bench.report.measures import accuracy_rate, srbench_rate
from ddsr_bench.report.palette import OURS, colour, marker
from ddsr_bench.report.published import drawn_once, figure_name, published_rates
from ddsr_bench.report.rates import Rate, interval_bars
from ddsr_bench.report.results import Results
from ddsr_bench.runner.store import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class RatePoint(NamedTuple):
    """A method at a noise level."""

    method: str
    noise: float
    is_own: bool
    solved: Rate
    accurate: Rate


def draw(results: Results) -> Figure:
    """Draw two panels with the same methods, the best at the lowest noise level on top."""
    from matplotlib.figure import Figure

    names = ground_truth_names() - NOT_IN_SRBENCH
    of_srbench = [row for row in results.rows if row.problem in names]
    rows = of_srbench or [row for row in results.rows if group_of(row) not in WITHOUT_EQUATION]
    if not rows:
        raise BenchError("solution rates need runs on problems with known equations, but there are none")
    points = _own_points(rows)
    noises = sorted({point.noise for point in points})
    title = f"{len({row.problem for row in rows})} problems"
    if of_srbench:
        points += [
            RatePoint(figure_name(row), row.noise, False, Rate(row.symbolic_rate), Rate(row.accuracy_rate))
            for row in drawn_once(published_rates())
            if row.noise in noises
        ]
        title = f"SRBench's ground truth: filled, {title} of its {len(names)}; hollow, published"
    methods = _by_rate(points)
    figure = Figure(figsize=(9, 1.4 + 0.26 * len(methods)), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for panel, name in zip(panels, ("solved", "accurate"), strict=True):
        _draw_panel(panel, points, methods, noises, name)
    panels[0].set(xlabel="symbolic solution rate (%)")
    panels[1].set(xlabel="accuracy rate, R² on test > 0.999 (%)")
    panels[0].set_yticks(range(len(methods)), [label for label, _ in methods])
    panels[0].set_ylim(-0.7, len(methods) - 0.3)
    for tick, (_, is_own) in zip(panels[0].get_yticklabels(), methods, strict=True):
        tick.set(color=OURS if is_own else "black", fontweight="bold" if is_own else "normal")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(noises))
    figure.suptitle(title)
    return figure


def _own_points(rows: Sequence[Row]) -> list[RatePoint]:
    points = []
    for method, runs in by_method(rows):
        for noise, at_noise in by_noise(runs):
            solved, accurate = srbench_rate(at_noise), accuracy_rate(at_noise)
            assert solved is not None and accurate is not None  # there are runs
            points.append(RatePoint(method, noise, True, solved, accurate))
    return points


def _by_rate(points: Sequence[RatePoint]) -> list[tuple[str, bool]]:
    """Return the methods from the lowest rate, since the axis goes up."""
    lowest: dict[tuple[str, bool], RatePoint] = {}
    for point in sorted(points, key=lambda point: point.noise):
        lowest.setdefault((point.method, point.is_own), point)
    return sorted(lowest, key=lambda method: lowest[method].solved.percent)


def _draw_panel(
    panel: Axes,
    points: Sequence[RatePoint],
    methods: Sequence[tuple[str, bool]],
    noises: Sequence[float],
    name: str,
) -> None:
    height = {method: place for place, method in enumerate(methods)}
    for place, noise in enumerate(noises):
        # Shift the noise levels, so that the marks of a method do not hide each other.
        shift = 0.16 * ((len(noises) - 1) / 2 - place)
        label: str | None = f"noise {noise:g}"
        for is_own in (True, False):
            chosen = [point for point in points if (point.noise, point.is_own) == (noise, is_own)]
            rates: list[Rate] = [getattr(point, name) for point in chosen]
            panel.errorbar(
                [rate.percent for rate in rates],
                [height[point.method, is_own] + shift for point in chosen],
                xerr=interval_bars(rates) if is_own and rates else None,
                fmt=marker(place),
                color=colour(place),
                markerfacecolor=colour(place) if is_own else "white",
                markersize=6 if is_own else 4.5,
                elinewidth=1.2,
                capsize=2,
                label=label if chosen else None,
            )
            label = None if chosen else label
    panel.set_xlim(-2, 102)
