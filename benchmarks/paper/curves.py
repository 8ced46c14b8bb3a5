"""Learning curves of GRPO and RSPG: Figures 5 and 8, and the epochs until convergence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.paper.measures import mean_interval
from benchmarks.paper.part import Part, image, table
from benchmarks.paper.printed import CURVES, EPOCHS_FASTER, N_GRID
from benchmarks.paper.runs import GROUND_TRUTH, NOT_RUN, OURS, RSPG, narrowed
from ddsr_bench.report.curves_figure import LINES, best_so_far, curves_by_method
from ddsr_bench.report.figures import drawn
from ddsr_bench.report.groups import group_of
from ddsr_bench.report.palette import colour
from ddsr_bench.report.results import Results
from ddsr_bench.report.table import Cell, TableColumn
from ddsr_bench.runner.curves import read_curve
from ddsr_bench.runner.store import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OBJECTIVES = {OURS: "GRPO", RSPG: "RSPG"}
EXACT = 1 - 1e-6
"""the best reward of an exact fit; files of curves have six digits"""
LEAST_SEEDS = 2
"""runs of each objective, below which there is no standard deviation"""
N_COLUMNS = 4
COLUMNS = (
    TableColumn("objective", "objective"),
    TableColumn("group", "problems"),
    TableColumn("runs", "runs"),
    TableColumn("converged", "converged"),
    TableColumn("median", "median epochs", 0),
    TableColumn("mean", "mean epochs"),
)


class Convergence(NamedTuple):
    """A run with a curve: the epoch in which its best reward became 1, or its last one."""

    row: Row
    epoch: float
    is_exact: bool


def figure_5(results: Results) -> Part:
    """Return the three problems of the paper's text."""
    ready = [problem for problem in CURVES if n_seeds(results, problem) >= LEAST_SEEDS]
    absent = [problem for problem in CURVES if problem not in ready]
    lines = [_not_run(absent)] if absent else []
    return _figure(results, ready, "paper-curves.svg", len(CURVES), lines)


def figure_8(results: Results) -> Part:
    """Return the 20 problems with the most seeds; the paper does not name its own."""
    runs = narrowed(results, GROUND_TRUTH, [OURS, RSPG], 0.0)
    seeds = {problem: n_seeds(runs, problem) for problem in sorted({row.problem for row in runs.rows})}
    ready = sorted((name for name in seeds if seeds[name] >= LEAST_SEEDS), key=lambda name: -seeds[name])
    chosen = sorted(ready[:N_GRID])
    lines = []
    if not chosen:
        lines = [_not_run(())]
    elif len(chosen) < N_GRID:
        lines = [f"{len(chosen)} of {N_GRID} problems were run."]
    return _figure(results, chosen, "paper-curves-grid.svg", N_COLUMNS, lines)


def convergence(results: Results) -> Part:
    """Return the epochs of runs that converge, and the difference between GRPO and RSPG."""
    found = {method: converged(results, method) for method in OBJECTIVES}
    if not any(found.values()):
        return Part.of_lines([_not_run(())])
    rows = [
        _cells(OBJECTIVES[method], group, [run for run in runs if group in ("all", group_of(run.row))])
        for method, runs in found.items()
        for group in (*GROUND_TRUTH, "all")
        if runs
    ]
    notes = [
        "Without noise. A run has converged at the first epoch whose best reward so far is 1, where the "
        "search ends. Medians and means are over the runs that converged; brackets: Student's 95 % "
        "intervals.",
        *_without_curve(results),
        *_difference(found[OURS], found[RSPG]),
    ]
    return Part(table(COLUMNS, [row for row in rows if row["runs"]], notes))


def converged(results: Results, method: str) -> list[Convergence]:
    """Return the convergence of a method's runs without noise that have a learning curve."""
    found = []
    for row in narrowed(results, GROUND_TRUTH, [method], 0.0).rows:
        curve = read_curve(results.curves[row.key])
        if curve is not None:
            exact = curve.epoch[curve.best_reward >= EXACT]
            epochs = exact if len(exact) else curve.epoch[-1:]
            found.append(Convergence(row, float(epochs.iloc[0]), len(exact) > 0))
    return found


def n_seeds(results: Results, problem: str) -> int:
    """Return how many seeds of a problem have curves of both objectives."""
    return len({row.seed for row in _paired(results, problem).rows})


def draw(results: Results, problems: Sequence[str], n_columns: int) -> Figure:
    """Draw the best reward so far, means over seeds with bands of one standard deviation."""
    from matplotlib.figure import Figure

    n_rows = -(-len(problems) // n_columns)
    figure = Figure(figsize=(10, 0.6 + 2.1 * n_rows), layout="constrained")
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for panel, problem in zip(panels, problems, strict=False):
        _draw_problem(panel, _paired(results, problem))
        panel.set_title(f"{problem} ({n_seeds(results, problem)} seeds)", fontsize=8)
    for panel in panels[len(problems) :]:
        panel.set_visible(False)
    figure.supxlabel("epoch", fontsize=9)
    figure.supylabel("best reward so far", fontsize=9)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels))
    return figure


def _draw_problem(panel: Axes, results: Results) -> None:
    curves = curves_by_method(results)
    epochs = np.arange(1.0, max(curve.epoch.iloc[-1] for runs in curves.values() for curve in runs) + 1)
    for place, (method, runs) in enumerate(sorted(curves.items())):
        values = np.array([best_so_far(curve, epochs) for curve in runs])
        middle, spread = values.mean(axis=0), values.std(axis=0, ddof=1)
        panel.plot(epochs, middle, color=colour(place), linestyle=LINES[place], label=OBJECTIVES[method])
        low, high = np.maximum(middle - spread, 0.0), np.minimum(middle + spread, 1.0)
        panel.fill_between(epochs, low, high, color=colour(place), alpha=0.18, linewidth=0)


def _figure(
    results: Results, problems: Sequence[str], name: str, n_columns: int, lines: Sequence[str]
) -> Part:
    if not problems:
        return Part.of_lines(lines)
    drawing = image(f"Learning curves with GRPO and with RSPG on {len(problems)} problems", name)
    listed = "".join(f"\n- {line}" for line in lines)
    draw_these = partial(draw, problems=problems, n_columns=n_columns)
    return Part(
        f"{drawing}{listed}\n" if listed else drawing,
        {name: lambda: drawn(draw_these, results, "svg")},
    )


def _paired(results: Results, problem: str) -> Results:
    """Return the runs on a problem whose seed has curves of both objectives."""
    chosen = narrowed(results, GROUND_TRUTH, list(OBJECTIVES), 0.0)
    rows = [row for row in chosen.rows if row.problem == problem and results.curves[row.key].is_file()]
    seeds = [{row.seed for row in rows if row.method == method} for method in OBJECTIVES]
    return replace(chosen, rows=[row for row in rows if row.seed in set.intersection(*seeds)])


def _not_run(problems: Sequence[str]) -> str:
    where = f" on {', '.join(problems)}" if problems else ""
    return f"{NOT_RUN}: `{OURS}` and `{RSPG}` with at least {LEAST_SEEDS} of the same seeds{where}."


def _cells(objective: str, group: str, runs: Sequence[Convergence]) -> dict[str, Cell]:
    epochs = [run.epoch for run in runs if run.is_exact]
    return {
        "objective": objective,
        "group": group,
        "runs": len(runs),
        "converged": len(epochs),
        "median": float(median(epochs)) if epochs else None,
        "mean": mean_interval(epochs),
    }


def _without_curve(results: Results) -> list[str]:
    """Return a line on runs that ended before their first epoch."""
    chosen = narrowed(results, GROUND_TRUTH, list(OBJECTIVES), 0.0)
    n_without = sum(not results.curves[row.key].is_file() for row in chosen.rows)
    return [f"Runs without a learning curve: {n_without}."] if n_without else []


def _difference(ours: Sequence[Convergence], theirs: Sequence[Convergence]) -> list[str]:
    """Return lines on the same problems and seeds with both objectives."""
    others = {(run.row.problem, run.row.seed): run for run in theirs}
    pairs = [
        (run, others[run.row.problem, run.row.seed])
        for run in ours
        if (run.row.problem, run.row.seed) in others
    ]
    if not pairs:
        return [f"{NOT_RUN}: `{RSPG}`, whose difference is printed as {EPOCHS_FASTER} epochs."]
    exact = [(mine, other) for mine, other in pairs if mine.is_exact and other.is_exact]
    all_epochs = fmean(other.epoch - mine.epoch for mine, other in pairs)
    lines = [
        f"Pairs of runs of the same problem and seed: {len(pairs)}. GRPO converges in "
        f"{sum(mine.is_exact for mine, _ in pairs)} of them, RSPG in "
        f"{sum(other.is_exact for _, other in pairs)}. Epochs of RSPG minus those of GRPO: "
        f"{all_epochs:+.0f} on average, with the last epoch of runs that do not converge."
    ]
    more = mean_interval(other.epoch - mine.epoch for mine, other in exact)
    if more is not None:
        bounds = "" if more.low is None else f" [{more.low:+.0f}, {more.high:+.0f}]"
        lines.append(
            f"Where both converge ({len(exact)} pairs): {more.percent:+.0f}{bounds}; "
            f"as printed: {EPOCHS_FASTER:+d}."
        )
    return lines
