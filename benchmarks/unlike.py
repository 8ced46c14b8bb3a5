"""Report runs on the hard laws by class: `python -m benchmarks.unlike STORE... --baseline METHOD`.

The runs are made by `ddsr bench run --suite benchmarks/unlike-develop.csv` or `unlike-report.csv`. Each class
and noise level has a row per method: the rates over the runs that all methods have, and p-values of McNemar's
exact test against the baseline.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from benchmarks.unlike_form import forms_found
from benchmarks.unlike_laws import FAULTS, FILES, Law, read_laws
from ddsr.errors import BenchError
from ddsr_bench.report.ablation import compare
from ddsr_bench.report.command import read_chosen
from ddsr_bench.report.groups import by_method
from ddsr_bench.report.measures import RATES, RUNS, TIMES, measured
from ddsr_bench.report.rates import paired_p_value, rate_of
from ddsr_bench.report.results import Results
from ddsr_bench.report.table import Cell, Table, TableColumn, to_markdown
from ddsr_bench.runner.store import Key, Row

ALL = "all"
COLUMNS = (
    TableColumn("class", "class"),
    TableColumn("noise", "noise"),
    TableColumn("method", "method"),
    *RUNS,
    TableColumn("form", "form (%)", is_rate=True),
    *(*RATES, TIMES[0]),
)
P_VALUES = (TableColumn("p_form", "p, form"), TableColumn("p_solved", "p, solved"))
NOTES = (
    "Brackets: Wilson's 95 % intervals. Every run counts, including failed ones.",
    "Form: the expression becomes the law when its constants are fitted to rows without noise, with at most "
    "one constant more.",
)


@dataclass(frozen=True)
class ClassRuns:
    """The runs that all methods have; `runs[method]` has the same order for all methods."""

    runs: dict[str, list[Row]]
    laws: dict[str, Law]
    has_form: dict[Key, bool]

    @classmethod
    def of(cls, results: Results, laws: dict[str, Law], jobs: int | None = None) -> ClassRuns:
        """Pair the runs on the laws, and judge the forms of their expressions."""
        known = replace(results, rows=[row for row in results.rows if row.problem in laws])
        if not known.rows:
            raise BenchError("the stores have no runs on these laws")
        runs = compare(known).runs if len(known.methods) > 1 else dict(by_method(known.rows))
        rows = [row for each in runs.values() for row in each]
        found = forms_found(rows, laws, jobs)
        return cls(runs, laws, {row.key: is_form for row, is_form in zip(rows, found, strict=True)})

    @property
    def paired(self) -> list[Row]:
        """The runs of one method."""
        return next(iter(self.runs.values()))

    def cells(self, baseline: str | None) -> Iterator[dict[str, Cell]]:
        """Yield the rows of the table: every class, noise level and method."""
        for kind in (*FAULTS, ALL):
            for noise in sorted({row.noise for row in self.paired}):
                part = {method: self._part(method, kind, noise) for method in self.runs}
                for method, rows in part.items():
                    if rows:
                        start: dict[str, Cell] = {"class": kind, "noise": f"{noise:g}", "method": method}
                        yield start | self._rates(rows) | self._p_values(rows, part.get(baseline or method))

    def _part(self, method: str, kind: str, noise: float) -> list[Row]:
        return [
            row
            for row in self.runs[method]
            if row.noise == noise and kind in (ALL, self.laws[row.problem].kind)
        ]

    def _rates(self, rows: Sequence[Row]) -> dict[str, Cell]:
        return {**measured(rows), "form": rate_of(self.has_form[row.key] for row in rows)}

    def _p_values(self, rows: Sequence[Row], others: Sequence[Row] | None) -> dict[str, Cell]:
        if others is None or others[0].method == rows[0].method:
            return {}
        hits: dict[str, Callable[[Row], bool]] = {
            "p_form": lambda row: self.has_form[row.key],
            "p_solved": lambda row: bool(row.solved_srbench),
        }
        return {name: paired_p_value(map(is_hit, rows), map(is_hit, others)) for name, is_hit in hits.items()}


def class_table(
    results: Results, half: str | None = None, baseline: str | None = None, jobs: int | None = None
) -> Table:
    """Return the rates by class, noise level and method."""
    if baseline is not None:
        results.check_method(baseline)
    found = ClassRuns.of(results, {law.problem.name: law for law in read_laws(half)}, jobs)
    n_paired = len(found.paired)
    seeds = ", ".join(map(str, sorted({row.seed for row in found.paired})))
    notes = [
        f"{n_paired} runs of each method, with the seeds {seeds}; "
        f"{len(results.rows) - n_paired * len(found.runs)} others are left out.",
        *NOTES,
    ]
    if baseline is not None:
        notes.append(f"p: McNemar's exact test against {baseline}; solved by SRBench's rule.")
    columns = COLUMNS if baseline is None else (*COLUMNS, *P_VALUES)
    return Table.of(f"Hard laws: {half or 'both halves'}", columns, found.cells(baseline), notes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("stores", nargs="+", metavar="STORE", help="folder of results, or LABEL=FOLDER")
    options.add_argument("--half", choices=tuple(FILES), help="use only this half of the laws")
    options.add_argument("--method", type=lambda text: text.split(","), default=(), metavar="NAME,…")
    options.add_argument("--baseline", metavar="NAME", help="method to compute p-values against")
    options.add_argument("--jobs", type=int, help="number of processes that judge forms")
    chosen = options.parse_args(arguments)
    try:
        results = read_chosen(chosen.stores, chosen.method)
        table = class_table(results, chosen.half, chosen.baseline, chosen.jobs)
    except BenchError as error:
        options.error(str(error))
    for warning in results.warnings:
        print(warning, file=sys.stderr)
    print(to_markdown([table]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
