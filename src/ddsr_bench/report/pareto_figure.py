"""Accuracy against size on the black box, with the Pareto front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ddsr.errors import BenchError
from ddsr_bench.report.groups import by_method, group_of, names_of
from ddsr_bench.report.labels import Label, place_labels
from ddsr_bench.report.measures import mean
from ddsr_bench.report.palette import COLOURS, OURS, PUBLISHED
from ddsr_bench.report.published import drawn_once, figure_name, published_fits
from ddsr_bench.report.results import Results
from ddsr_bench.report.summary import black_box_fit, coverage

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOWEST_R2 = 0.0
"""methods below this R² are named under the figure, to leave room for the others"""


class FitPoint(NamedTuple):
    """A method with the mean size of its models and their mean R² on the test data."""

    method: str
    size: float
    r2: float
    is_own: bool


def draw(results: Results) -> Figure:
    """Draw one point per method; sizes span six decades, so their axis is logarithmic."""
    from matplotlib.figure import Figure

    points = _own_points(results)
    points += [
        FitPoint(figure_name(row), row.size_mean, row.r2_mean, False) for row in drawn_once(published_fits())
    ]
    shown = [point for point in points if point.r2 >= LOWEST_R2]
    figure = Figure(figsize=(9, 6))
    axes = figure.subplots()
    front = pareto_front(shown)
    axes.plot(
        [point.size for point in front],
        [point.r2 for point in front],
        drawstyle="steps-post",
        color=COLOURS[0],
        linewidth=1.2,
        zorder=1,
        label="Pareto front",
    )
    for is_own, label in ((True, "here"), (False, "published")):
        chosen = [point for point in shown if point.is_own == is_own]
        axes.scatter(
            [point.size for point in chosen],
            [point.r2 for point in chosen],
            color=OURS if is_own else PUBLISHED,
            marker="s" if is_own else "o",
            s=42 if is_own else 22,
            label=label,
            zorder=2,
        )
    axes.set(xscale="log", xlabel="mean model size (nodes)", ylabel="mean R² on test", title="Black box")
    axes.margins(x=0.15, y=0.06)
    axes.legend(loc="lower right")
    place_labels(
        axes,
        [
            Label(point.method, point.size, point.r2, OURS if point.is_own else "black", point.is_own)
            for point in shown
        ],
    )
    hidden = [f"{point.method} ({point.r2:.2f})" for point in points if point.r2 < LOWEST_R2]
    if hidden:
        figure.text(0.12, -0.02, f"below the axis: {', '.join(hidden)}", fontsize=8)
    return figure


def pareto_front(points: Sequence[FitPoint]) -> list[FitPoint]:
    """Return the points that are better than all smaller ones, by size."""
    front: list[FitPoint] = []
    for point in sorted(points, key=lambda point: (point.size, -point.r2)):
        if not front or point.r2 > front[-1].r2:
            front.append(point)
    return front


def _own_points(results: Results) -> list[FitPoint]:
    """Return the methods without noise; a name includes the number of data sets if not all were run."""
    rows = [row for row in results.rows if group_of(row) == "black box" and row.noise == 0]
    n_sets = len(names_of("black box"))
    points = []
    for method, runs in by_method(rows):
        r2, sizes, _ = black_box_fit(runs)
        mean_r2, mean_size = mean(r2), mean(sizes)
        name = method if len(r2) == n_sets else f"{method} ({coverage(runs, n_sets)} sets)"
        if mean_r2 is not None and mean_size is not None:
            points.append(FitPoint(name, mean_size, mean_r2, True))
    if not points:
        raise BenchError(
            "the figure pareto shows SRBench's black-box problems without noise, but no run on one of them "
            "has a model with a complexity"
        )
    return points
