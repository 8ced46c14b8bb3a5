"""The data without known equations: Figure 3 and Table 5 of the paper."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.paper.measures import mean_interval
from benchmarks.paper.part import Part, image, table
from benchmarks.paper.printed import COUNTERPARTS, fits
from benchmarks.paper.runs import BLACK_BOX, NOT_RUN, OURS, even, narrowed, part_of, suite_names
from ddsr_bench.report.figures import render
from ddsr_bench.report.results import Results
from ddsr_bench.report.summary import black_box_fit
from ddsr_bench.report.table import Cell, TableColumn
from ddsr_bench.runner.store import Row

FIGURE = "paper-black-box.svg"


def figure_3(results: Results) -> Part:
    """Return accuracy against size."""
    chosen = own_runs(results)
    status = _status(chosen)
    if not chosen.rows:
        return Part.of_lines(status)
    drawing = image("Mean R² against mean size of the models of all methods on the black box", FIGURE)
    lines = "".join(f"\n- {line}" for line in status)
    return Part(f"{drawing}{lines}\n" if lines else drawing, {FIGURE: lambda: render("pareto", chosen)})


def table_5(results: Results) -> Part:
    """Return mean R² and mean size of all methods."""
    chosen = own_runs(results)
    status = _status(chosen)
    if not chosen.rows:
        return Part.of_lines(status)
    columns = (
        TableColumn("method", "algorithm"),
        TableColumn("r2_printed", "mean R², as printed", 3),
        TableColumn("r2", "mean R², here"),
        TableColumn("size_printed", "mean size, as printed"),
        TableColumn("size", "mean size, here"),
        TableColumn("sets", "data sets, here"),
    )
    rows: list[dict[str, Cell]] = [
        {
            "method": fit.method,
            "r2_printed": fit.r2_mean,
            "size_printed": fit.size_mean,
            **_own_cells([row for row in chosen.rows if row.method == COUNTERPARTS.get(fit.method)]),
        }
        for fit in fits()
    ]
    notes = [
        "As printed: over 120 data sets. Here: medians over a data set's runs, then means over data sets; "
        "brackets: Student's 95 % intervals over data sets.",
        "A run without a finite R² counts as 0, the R² of predicting the mean.",
        *status,
    ]
    return Part(table(columns, rows, notes))


def own_runs(results: Results) -> Results:
    """Return the black-box runs of the methods that the paper has too, without noise added."""
    return narrowed(results, BLACK_BOX, list(COUNTERPARTS.values()), 0.0)


def _own_cells(runs: Sequence[Row]) -> dict[str, Cell]:
    if not runs:
        return {}
    r2, sizes, _ = black_box_fit(even(runs))
    mean_r2 = mean_interval(r2)
    assert mean_r2 is not None  # there are runs
    low, high = mean_r2.low, mean_r2.high
    bounds = "" if low is None else f" [{low:.3f}, {high:.3f}]"
    return {
        "r2": f"{mean_r2.percent:.3f}{bounds}",
        "size": mean_interval(sizes),
        "sets": part_of(runs, BLACK_BOX) or str(len(suite_names(BLACK_BOX))),
    }


def _status(chosen: Results) -> list[str]:
    lines = [] if OURS in chosen.methods else [f"{NOT_RUN}: `{OURS}` on the black box."]
    for method in chosen.methods:
        part = part_of([row for row in chosen.rows if row.method == method], BLACK_BOX)
        if part:
            lines.append(f"`{method}`: {part} data sets of the black box were run.")
    return lines
