"""Methods by noise level, one's own beside those that were published."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ddsr_bench.report.groups import NOT_IN_SRBENCH, ground_truth_names, group_of, is_friedman, names_of
from ddsr_bench.report.measures import (
    accuracy_rate,
    complexities,
    mean,
    middle,
    n_errors,
    paper_rate,
    r2_or_zero,
    srbench_rate,
)
from ddsr_bench.report.provenance import Origin, provenance
from ddsr_bench.report.published import PublishedFit, PublishedRates, Source, published_fits, published_rates
from ddsr_bench.report.rates import Rate
from ddsr_bench.report.table import Cell, Table, TableColumn
from ddsr_bench.runner.store import Row

OWN = "here"
"""the source of what the stores hold"""
SOURCE_NAMES: dict[Source, str] = {"SRBench": "SRBench", "paper": "DDSR paper"}
TIMES = (TableColumn("time_median_s", "median time (s)"), TableColumn("time_mean_s", "mean time (s)"))
RATE_COLUMNS = (
    TableColumn("method", "method"),
    TableColumn("noise", "noise"),
    TableColumn("source", "source"),
    TableColumn("problems", "problems"),
    TableColumn("runs", "runs"),
    TableColumn("errors", "errors"),
    TableColumn("solved_srbench", "solved, SRBench's rule (%)", is_rate=True),
    TableColumn("solved_paper", "solved, paper's rule (%)", is_rate=True),
    TableColumn("accuracy", "R² > 0.999 (%)", is_rate=True),
    TableColumn("complexity_median", "median complexity", 1),
    TableColumn("complexity_mean", "mean complexity", 1),
    *TIMES,
    TableColumn("budget", "budget"),
    TableColumn("threads", "threads"),
)
FIT_COLUMNS = (
    TableColumn("method", "method"),
    TableColumn("noise", "noise"),
    TableColumn("source", "source"),
    TableColumn("problems", "data sets"),
    TableColumn("runs", "runs"),
    TableColumn("errors", "errors"),
    TableColumn("r2_mean", "mean R²", 3),
    TableColumn("r2_median", "median R²", 3),
    TableColumn("size_mean", "mean size"),
    *TIMES,
    TableColumn("budget", "budget"),
    TableColumn("threads", "threads"),
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
    cells: list[tuple[Cell, ...]] = []
    for noise in noises:
        at_noise = [row for row in chosen if row.noise == noise]
        cells += [_own_rates(method, noise, runs, len(names)) for method, runs in by_method(at_noise)]
        if source:
            cells += [_published_rates(row) for row in published_at([noise], source)]
    notes = (INTERVALS, *([PUBLISHED_NOTES[source]] if source else []), *provenance(chosen, origins))
    return Table(title, RATE_COLUMNS, tuple(cells), notes)


def _own_rates(method: str, noise: float, runs: Sequence[Row], n_suite: int) -> tuple[Cell, ...]:
    return (
        method,
        f"{noise:g}",
        OWN,
        coverage(runs, n_suite),
        len(runs),
        n_errors(runs),
        srbench_rate(runs),
        paper_rate(runs),
        accuracy_rate(runs),
        middle(complexities(runs)),
        mean(complexities(runs)),
        middle(row.wall_s for row in runs),
        mean(row.wall_s for row in runs),
        budgets(runs),
        thread_counts(runs),
    )


def _published_rates(row: PublishedRates) -> tuple[Cell, ...]:
    solved = Rate(row.symbolic_rate)
    return (
        row.method,
        f"{row.noise:g}",
        SOURCE_NAMES[row.source],
        str(row.problems),
        None,
        None,
        solved if row.source == "SRBench" else None,
        solved if row.source == "paper" else None,
        Rate(row.accuracy_rate),
        row.complexity_median,
        row.complexity_mean,
        row.time_median_s,
        row.time_mean_s,
        None,
        None,
    )


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
    cells: list[tuple[Cell, ...]] = []
    for noise in sorted({row.noise for row in rows}):
        at_noise = [row for row in rows if row.noise == noise]
        cells += [_own_fit(method, noise, runs, n_suite) for method, runs in by_method(at_noise)]
        cells += [_published_fit(row) for row in published if noise == 0]
    notes = (
        "R² on test, size and time: medians over a data set's trials, then means or medians over data sets.",
        "A run without a finite R² counts as 0, which predicting the mean gives.",
        *provenance(rows, origins),
    )
    return Table(title, FIT_COLUMNS, tuple(cells), notes)


def _own_fit(method: str, noise: float, runs: Sequence[Row], n_suite: int | None) -> tuple[Cell, ...]:
    r2, sizes, times = black_box_fit(runs)
    n_sets = len({row.problem for row in runs})
    return (
        method,
        f"{noise:g}",
        OWN,
        str(n_sets) if n_suite is None else coverage(runs, n_suite),
        len(runs),
        n_errors(runs),
        mean(r2),
        middle(r2),
        mean(sizes),
        middle(times),
        mean(times),
        budgets(runs),
        thread_counts(runs),
    )


def _published_fit(row: PublishedFit) -> tuple[Cell, ...]:
    fits = (row.r2_mean, row.r2_median, row.size_mean, row.time_median_s, row.time_mean_s)
    source = SOURCE_NAMES[row.source]
    return (row.method, "0", source, str(row.problems), None, None, *fits, None, None)


def coverage(runs: Sequence[Row], n_suite: int) -> str:
    """How many of a suite's problems have a run."""
    n_problems = len({row.problem for row in runs})
    return str(n_suite) if n_problems == n_suite else f"{n_problems} of {n_suite}"


def budgets(runs: Sequence[Row]) -> str | None:
    """What the runs were given; None where no row tells."""
    return "; ".join(sorted({row.budget for row in runs if row.budget})) or None


def thread_counts(runs: Sequence[Row]) -> str:
    """Of a run; several where they differ."""
    return ", ".join(str(count) for count in sorted({row.threads for row in runs}))
