"""Methods on the same runs: the same problem, noise level and seed, or the run does not count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ddsr.errors import BenchError
from ddsr_bench.report.groups import WITHOUT_EQUATION, Group, group_of
from ddsr_bench.report.measures import (
    accuracy_rate,
    complexities,
    is_accurate,
    mean,
    middle,
    n_errors,
    paper_rate,
    r2_or_zero,
    srbench_rate,
)
from ddsr_bench.report.rates import paired_p_value
from ddsr_bench.report.results import Results
from ddsr_bench.report.table import Cell, Table, TableColumn
from ddsr_bench.runner.store import Row

ORDER: tuple[Group, ...] = ("Feynman", "Strogatz", "Nguyen", "other", "black box", "own data")
ALL = "all"
"""every group whose equations are known"""

COLUMNS = (
    TableColumn("group", "group"),
    TableColumn("noise", "noise"),
    TableColumn("method", "method"),
    TableColumn("runs", "runs"),
    TableColumn("errors", "errors"),
    TableColumn("solved_srbench", "solved, SRBench's rule (%)", is_rate=True),
    TableColumn("solved_paper", "solved, paper's rule (%)", is_rate=True),
    TableColumn("accuracy", "R² > 0.999 (%)", is_rate=True),
    TableColumn("complexity_median", "median complexity", 1),
    TableColumn("r2_mean", "mean R²", 4),
    TableColumn("time_median_s", "median time (s)"),
)
P_VALUES = (TableColumn("p_solved", "p, solved"), TableColumn("p_accuracy", "p, R² > 0.999"))


@dataclass(frozen=True)
class Comparison:
    """Runs that all methods have: `runs[method]` are in the same order for all of them."""

    runs: dict[str, list[Row]]
    n_left_out: int

    def part(self, group: str, noise: float) -> dict[str, list[Row]]:
        """Those of a group at a noise level, still in the same order."""
        return {
            method: [row for row in rows if row.noise == noise and _is_in(row, group)]
            for method, rows in self.runs.items()
        }

    @property
    def noises(self) -> list[float]:
        """From the lowest on."""
        return sorted({row.noise for rows in self.runs.values() for row in rows})

    @property
    def groups(self) -> list[str]:
        """Those that have runs; all of them together last, where there are several."""
        present = {group_of(row) for rows in self.runs.values() for row in rows}
        named: list[str] = [group for group in ORDER if group in present]
        return [*named, ALL] if len(present - WITHOUT_EQUATION) > 1 else named


def compare(results: Results) -> Comparison:
    """Pair the runs of all methods."""
    methods = results.methods
    if len(methods) < 2:
        raise BenchError(f"a comparison needs two methods, but there is only {methods[0]}")
    by_method = {
        method: {(row.problem, row.noise, row.seed): row for row in results.rows if row.method == method}
        for method in methods
    }
    shared = sorted(set.intersection(*(set(runs) for runs in by_method.values())))
    if not shared:
        raise BenchError(
            f"no combination of problem, noise level and seed was run with all of {', '.join(methods)}"
        )
    runs = {method: [rows[run] for run in shared] for method, rows in by_method.items()}
    return Comparison(runs, len(results.rows) - len(shared) * len(methods))


def ablation_table(results: Results, baseline: str | None = None) -> Table:
    """Every group and noise level; with a baseline, p-values of the paired runs against it."""
    if baseline is not None:
        results.check_method(baseline)
    comparison = compare(results)
    cells = [
        row
        for group in comparison.groups
        for noise in comparison.noises
        for row in _rows(group, noise, comparison.part(group, noise), baseline)
    ]
    n_paired = len(next(iter(comparison.runs.values())))
    notes = [
        f"Runs that all methods have: {n_paired} of each; {comparison.n_left_out} others are left out.",
        "Brackets: Wilson's 95 % intervals. Every run counts, failed ones too.",
        "Mean R²: negative ones and those of failed runs count as 0.",
    ]
    if baseline is not None:
        notes.append(
            f"p: McNemar's exact test against {baseline}; solved by SRBench's rule, runs as independent."
        )
    columns = COLUMNS if baseline is None else (*COLUMNS, *P_VALUES)
    return Table("Methods on the same runs", columns, tuple(cells), tuple(notes))


def _rows(
    group: str, noise: float, part: dict[str, list[Row]], baseline: str | None
) -> list[tuple[Cell, ...]]:
    is_known = group not in WITHOUT_EQUATION
    cells: list[tuple[Cell, ...]] = []
    for method, runs in part.items():
        if not runs:
            continue
        row: tuple[Cell, ...] = (
            group,
            f"{noise:g}",
            method,
            len(runs),
            n_errors(runs),
            srbench_rate(runs) if is_known else None,
            paper_rate(runs) if is_known else None,
            accuracy_rate(runs),
            middle(complexities(runs)),
            mean(max(0.0, r2_or_zero(run)) for run in runs),
            middle(run.wall_s for run in runs),
        )
        cells.append(row + _p_values(runs, part, method, baseline, is_known))
    return cells


def _p_values(
    runs: Sequence[Row], part: dict[str, list[Row]], method: str, baseline: str | None, is_known: bool
) -> tuple[Cell, ...]:
    if baseline is None:
        return ()
    if method == baseline:
        return (None, None)
    solved, accurate = (
        paired_p_value(map(is_hit, runs), map(is_hit, part[baseline])) for is_hit in (_is_solved, is_accurate)
    )
    return (solved if is_known else None, accurate)


def _is_solved(row: Row) -> bool:
    return bool(row.solved_srbench)


def _is_in(row: Row, group: str) -> bool:
    found = group_of(row)
    return found == group or (group == ALL and found not in WITHOUT_EQUATION)
