"""What was run of what the paper ran, and with which settings."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.paper.ablations import VARIANTS
from benchmarks.paper.curves import LEAST_SEEDS, OBJECTIVES, n_seeds
from benchmarks.paper.part import Part, table
from benchmarks.paper.printed import N_GRID, hyperparameters
from benchmarks.paper.runs import BLACK_BOX, GROUND_TRUTH, NOISES, OURS, at_noise, even, narrowed, suite_names
from ddsr.config import PaperConfig
from ddsr_bench.report.groups import names_of
from ddsr_bench.report.measures import budgets
from ddsr_bench.report.results import Results, commands, provenance
from ddsr_bench.report.table import Cell, TableColumn
from ddsr_bench.runner.store import Row

NOTHING = "not run yet"


def runs_table(results: Results) -> Part:
    """Return how much was run of each part, and where the runs are from."""
    n_whole = len(suite_names(GROUND_TRUTH))
    rows: list[dict[str, Cell]] = []
    for noise in NOISES:
        what = "ground truth, no noise" if noise == 0 else f"ground truth, noise {noise:g}"
        rows.append(_cells(what, OURS, n_whole, at_noise(results, OURS, noise)))
    for group in GROUND_TRUTH:
        for variant in VARIANTS:
            chosen = narrowed(results, [group], [variant.method], 0.0).rows
            rows.append(_cells(f"ablation, {group}", variant.method, len(names_of(group)), chosen))
    problems = {row.problem for row in narrowed(results, GROUND_TRUTH, list(OBJECTIVES), 0.0).rows}
    pairs = sum(n_seeds(results, problem) >= LEAST_SEEDS for problem in problems)
    rows.append(
        {
            "what": f"learning curves, {LEAST_SEEDS} seeds or more",
            "method": " and ".join(f"`{method}`" for method in OBJECTIVES),
            "run": f"{pairs} of {N_GRID} problems" if pairs else NOTHING,
        }
    )
    black_box = narrowed(results, BLACK_BOX, [OURS], 0.0).rows
    rows.append(_cells("black box", OURS, len(suite_names(BLACK_BOX)), black_box))
    columns = (
        TableColumn("what", "part of the paper"),
        TableColumn("method", "method"),
        TableColumn("run", "problems run"),
        TableColumn("seeds", "seeds"),
        TableColumn("budget", "budget of a run"),
    )
    used = narrowed(results, (*GROUND_TRUTH, *BLACK_BOX)).rows
    notes = [provenance(used, results.origins), *commands(used, results.origins)] if used else []
    return Part(table(columns, rows, notes))


def table_2(results: Results) -> Part:
    """Return the hyperparameters, which depend on no run."""
    columns = (
        TableColumn("name", "hyperparameter"),
        TableColumn("printed", "as printed"),
        TableColumn("here", "preset `paper`, here"),
    )
    return Part(table(columns, [row._asdict() for row in hyperparameters(PaperConfig())]))


def _cells(what: str, method: str, n_whole: int, runs: Sequence[Row]) -> dict[str, Cell]:
    cells: dict[str, Cell] = {"what": what, "method": f"`{method}`", "run": NOTHING}
    if runs:
        counted = even(runs)
        n_problems = len({row.problem for row in counted})
        cells |= {"run": f"{n_problems} of {n_whole}", "seeds": len({row.seed for row in counted})}
        cells["budget"] = budgets(counted)
    return cells
