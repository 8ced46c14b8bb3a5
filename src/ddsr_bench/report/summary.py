"""Methods by noise level, one's own beside those that were published."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ddsr_bench.report.groups import NOT_IN_SRBENCH, ground_truth_names, group_of, is_friedman, names_of
from ddsr_bench.report.measures import (
    COMPLEXITIES,
    GIVEN,
    RATES,
    RUNS,
    TIMES,
    complexities,
    mean,
    measured,
    middle,
    r2_or_zero,
)
from ddsr_bench.report.provenance import Origin, provenance
from ddsr_bench.report.published import PublishedFit, PublishedRates, Source, published_fits, published_rates
from ddsr_bench.report.rates import Rate
from ddsr_bench.report.table import Cell, Table, TableColumn
from ddsr_bench.runner.store import Row

OWN = "here"
"""the source of what the stores hold"""
SOURCE_NAMES: dict[Source, str] = {"SRBench": "SRBench", "paper": "DDSR paper"}
METHOD = (TableColumn("method", "method"), TableColumn("noise", "noise"), TableColumn("source", "source"))
RATE_COLUMNS = (
    *METHOD,
    TableColumn("problems", "problems"),
    *(*RUNS, *RATES, *COMPLEXITIES, *TIMES, *GIVEN),
)
FIT_COLUMNS = (
    *METHOD,
    TableColumn("problems", "data sets"),
    *RUNS,
    TableColumn("r2_mean", "mean R²", 3),
    TableColumn("r2_median", "median R²", 3),
    TableColumn("size_mean", "mean size"),
    *(*TIMES, *GIVEN),
)
PUBLISHED_NOTES: dict[Source, str] = {
    "SRBench": "SRBench: from its result files; rates are means over problems of the share of trials.",
    "paper": "DDSR paper: its tables as printed; complexities and times are means.",
}
INTERVALS = "Brackets: Wilson's 95 % intervals. Every run counts, failed ones too."


def summary_tables(rows: Sequence[Row], origins: Sequence[Origin] = ()) -> list[Table]:
    """A table for each suite that has runs; the ground truth has one for each of its two denominators."""
    whole = ground_truth_names()
    known = whole | names_of("Nguyen")
    black_box, own = ([row for row in rows if group_of(row) == group] for group in ("black box", "own data"))
    others = {row.problem for row in rows if group_of(row) == "other"} - known
    tables = [
        _rate_table(rows, origins, "Ground truth, all 133 problems", whole, "paper"),
        _rate_table(rows, origins, "Ground truth, SRBench's 130 problems", whole - NOT_IN_SRBENCH, "SRBench"),
        _rate_table(rows, origins, "Nguyen's problems", names_of("Nguyen")),
        _rate_table(rows, origins, "Other problems", others),
        black_box_table(black_box, origins, "Black box", published_fits(), len(names_of("black box"))),
        *_black_box_parts(black_box, origins),
        black_box_table(own, origins, "Own data"),
    ]
    return [table for table in tables if table.rows]


def by_method(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Runs of each method, in the order in which the methods first appear."""
    order = {method: place for place, method in enumerate(dict.fromkeys(row.method for row in rows))}
    ordered = sorted(rows, key=lambda row: order[row.method])
    return [(method, list(runs)) for method, runs in groupby(ordered, key=lambda row: row.method)]


def published_at(noises: Sequence[float], source: Source) -> list[PublishedRates]:
    """What a source has at these noise levels."""
    return [row for row in published_rates() if row.source == source and row.noise in noises]


def _rate_table(
    rows: Sequence[Row],
    origins: Sequence[Origin],
    title: str,
    names: frozenset[str] | set[str],
    source: Source | None = None,
) -> Table:
    chosen = [row for row in rows if row.problem in names]
    noises = sorted({row.noise for row in chosen})
    cells: list[dict[str, Cell]] = []
    for noise in noises:
        at_noise = [row for row in chosen if row.noise == noise]
        cells += [_own_rates(method, noise, runs, len(names)) for method, runs in by_method(at_noise)]
        if source:
            cells += [_published_rates(row) for row in published_at([noise], source)]
    notes = (INTERVALS, *([PUBLISHED_NOTES[source]] if source else []), *provenance(chosen, origins))
    return Table.of(title, RATE_COLUMNS, cells, notes)


def _own_rates(method: str, noise: float, runs: Sequence[Row], n_suite: int) -> dict[str, Cell]:
    problems = coverage(runs, n_suite)
    return {"method": method, "noise": f"{noise:g}", "source": OWN, "problems": problems, **measured(runs)}


def _published_rates(row: PublishedRates) -> dict[str, Cell]:
    return row._asdict() | {
        "noise": f"{row.noise:g}",
        "source": SOURCE_NAMES[row.source],
        "problems": str(row.problems),
        "solved_srbench" if row.source == "SRBench" else "solved_paper": Rate(row.symbolic_rate),
        "accuracy": Rate(row.accuracy_rate),
    }


def black_box_fit(runs: Sequence[Row]) -> tuple[list[float], list[float], list[float]]:
    """R², sizes and times of a method, medians over each data set's trials, as SRBench's."""
    by_problem = {
        name: [row for row in runs if row.problem == name] for name in {row.problem for row in runs}
    }
    trials = list(by_problem.values())
    r2 = [middle(map(r2_or_zero, rows)) for rows in trials]
    sizes = [middle(complexities(rows)) for rows in trials]
    times = [middle(row.wall_s for row in rows) for rows in trials]
    known = [[value for value in values if value is not None] for values in (r2, sizes, times)]
    return known[0], known[1], known[2]


def _black_box_parts(rows: Sequence[Row], origins: Sequence[Origin]) -> list[Table]:
    """Friedman's synthetic sets and the others apart, where there are runs on both."""
    synthetic, others = ([row for row in rows if is_friedman(row.problem) is kind] for kind in (True, False))
    if not (synthetic and others):
        return []
    return [
        black_box_table(synthetic, origins, "Black box, Friedman's sets"),
        black_box_table(others, origins, "Black box, other sets"),
    ]


def black_box_table(
    rows: Sequence[Row],
    origins: Sequence[Origin],
    title: str,
    published: Sequence[PublishedFit] = (),
    n_suite: int | None = None,
) -> Table:
    """Methods on data sets at each noise level; what was published, all of it without noise, stands there."""
    cells: list[dict[str, Cell]] = []
    for noise in sorted({row.noise for row in rows}):
        at_noise = [row for row in rows if row.noise == noise]
        cells += [_own_fit(method, noise, runs, n_suite) for method, runs in by_method(at_noise)]
        cells += [_published_fit(row) for row in published if noise == 0]
    notes = (
        "R² on test, size and time: medians over a data set's trials, then means or medians over data sets.",
        "A run without a finite R² counts as 0, which predicting the mean gives.",
        *provenance(rows, origins),
    )
    return Table.of(title, FIT_COLUMNS, cells, notes)


def _own_fit(method: str, noise: float, runs: Sequence[Row], n_suite: int | None) -> dict[str, Cell]:
    r2, sizes, times = black_box_fit(runs)
    n_sets = len({row.problem for row in runs})
    return measured(runs) | {
        "method": method,
        "noise": f"{noise:g}",
        "source": OWN,
        "problems": str(n_sets) if n_suite is None else coverage(runs, n_suite),
        "r2_mean": mean(r2),
        "r2_median": middle(r2),
        "size_mean": mean(sizes),
        "time_median_s": middle(times),
        "time_mean_s": mean(times),
    }


def _published_fit(row: PublishedFit) -> dict[str, Cell]:
    return row._asdict() | {"noise": "0", "source": SOURCE_NAMES[row.source], "problems": str(row.problems)}


def coverage(runs: Sequence[Row], n_suite: int) -> str:
    """How many of a suite's problems have a run."""
    n_problems = len({row.problem for row in runs})
    return str(n_suite) if n_problems == n_suite else f"{n_problems} of {n_suite}"
