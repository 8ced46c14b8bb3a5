"""Comparison of methods on the same runs: same problem, noise level and seed."""

from __future__ import annotations

from dataclasses import dataclass

from ddsr.errors import BenchError
from ddsr_bench.report.groups import WITHOUT_EQUATION, Group, by_method, group_of
from ddsr_bench.report.measures import (
    COMPLEXITIES,
    RATES,
    RUNS,
    TIMES,
    is_accurate,
    mean,
    measured,
    r2_or_zero,
)
from ddsr_bench.report.rates import paired_p_value
from ddsr_bench.report.results import Results
from ddsr_bench.report.table import Cell, Table, TableColumn
from ddsr_bench.runner.store import Row

ORDER: tuple[Group, ...] = ("Feynman", "Strogatz", "Nguyen", "other", "black box", "own data")
ALL = "all"
"""all groups with known equations"""
COLUMNS = (
    TableColumn("group", "group"),
    TableColumn("noise", "noise"),
    TableColumn("method", "method"),
    *(*RUNS, *RATES, COMPLEXITIES[0]),
    TableColumn("r2_mean", "mean R²", 4),
    TIMES[0],
)
P_VALUES = (TableColumn("p_solved", "p, solved"), TableColumn("p_accuracy", "p, R² > 0.999"))


@dataclass(frozen=True)
class Comparison:
    """Runs that all methods have; `runs[method]` has the same order for all methods."""

    runs: dict[str, list[Row]]
    n_left_out: int

    def part(self, group: str, noise: float | None = None) -> dict[str, list[Row]]:
        """Return the runs of a group, at one noise level or all, in the same order."""
        return {
            method: [row for row in rows if noise in (None, row.noise) and _is_in(row, group)]
            for method, rows in self.runs.items()
        }

    @property
    def noises(self) -> list[float]:
        """The noise levels, from the lowest."""
        return sorted({row.noise for rows in self.runs.values() for row in rows})

    @property
    def groups(self) -> list[str]:
        """The groups that have runs, and all of them together if there are several."""
        present = {group_of(row) for rows in self.runs.values() for row in rows}
        named: list[str] = [group for group in ORDER if group in present]
        return [*named, ALL] if len(present - WITHOUT_EQUATION) > 1 else named


def compare(results: Results) -> Comparison:
    """Pair the runs of all methods."""
    found = {
        method: {(row.problem, row.noise, row.seed): row for row in rows}
        for method, rows in by_method(results.rows)
    }
    if len(found) < 2:
        raise BenchError(f"a comparison needs two methods, but there is only {results.methods[0]}")
    shared = sorted(set.intersection(*map(set, found.values())))
    if not shared:
        raise BenchError(
            f"no combination of problem, noise level and seed was run with all of {', '.join(found)}"
        )
    runs = {method: [rows[run] for run in shared] for method, rows in found.items()}
    return Comparison(runs, len(results.rows) - len(shared) * len(found))


def ablation_table(results: Results, baseline: str | None = None) -> Table:
    """Return a table of every group and noise level, with p-values of the paired runs against a baseline."""
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
        "Brackets: Wilson's 95 % intervals. Every run counts, including failed ones.",
        "Mean R²: negative ones and those of failed runs count as 0.",
    ]
    if baseline is not None:
        notes.append(
            f"p: McNemar's exact test against {baseline}; solved by SRBench's rule, runs as independent."
        )
    columns = COLUMNS if baseline is None else (*COLUMNS, *P_VALUES)
    return Table.of("Methods on the same runs", columns, cells, notes)


def _rows(
    group: str, noise: float, part: dict[str, list[Row]], baseline: str | None
) -> list[dict[str, Cell]]:
    cells: list[dict[str, Cell]] = []
    for method, runs in part.items():
        if not runs:
            continue
        row: dict[str, Cell] = {"group": group, "noise": f"{noise:g}", "method": method, **measured(runs)}
        row["r2_mean"] = mean(max(0.0, r2_or_zero(run)) for run in runs)
        if baseline not in (None, method):
            for key, is_hit in (("p_solved", _is_solved), ("p_accuracy", is_accurate)):
                row[key] = paired_p_value(map(is_hit, runs), map(is_hit, part[str(baseline)]))
        if group in WITHOUT_EQUATION:
            row |= dict.fromkeys(("solved_srbench", "solved_paper", "p_solved"))
        cells.append(row)
    return cells


def _is_solved(row: Row) -> bool:
    return bool(row.solved_srbench)


def _is_in(row: Row, group: str) -> bool:
    found = group_of(row)
    return found == group or (group == ALL and found not in WITHOUT_EQUATION)
