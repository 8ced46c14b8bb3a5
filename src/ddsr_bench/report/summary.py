"""Tables of methods by noise level, with published methods."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ddsr_bench.report.groups import (
    NOT_IN_SRBENCH,
    by_method,
    by_noise,
    ground_truth_names,
    group_of,
    is_friedman,
    names_of,
)
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
from ddsr_bench.report.published import PublishedFit, PublishedRates, Source, published_fits, published_rates
from ddsr_bench.report.rates import Rate
from ddsr_bench.report.results import Origin, provenance
from ddsr_bench.report.table import Cell, Table, TableColumn
from ddsr_bench.runner.store import Row

OWN = "here"
"""source name of the runs in stores"""
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
INTERVALS = "Brackets: Wilson's 95 % intervals. Every run counts, including failed ones."


def summary_tables(rows: Sequence[Row], origins: Sequence[Origin] = ()) -> list[Table]:
    """Return a table for each suite that has runs; the ground truth has two, with 133 and 130 problems."""
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
    ]
    synthetic, measured_data = (
        [row for row in black_box if is_friedman(row.problem) is kind] for kind in (True, False)
    )
    if synthetic and measured_data:
        tables += [
            black_box_table(synthetic, origins, "Black box, Friedman's sets"),
            black_box_table(measured_data, origins, "Black box, other sets"),
        ]
    tables.append(black_box_table(own, origins, "Own data"))
    return [table for table in tables if table.rows]


def _rate_table(
    rows: Sequence[Row],
    origins: Sequence[Origin],
    title: str,
    names: Collection[str],
    source: Source | None = None,
) -> Table:
    chosen = [row for row in rows if row.problem in names]
    cells: list[dict[str, Cell]] = []
    for noise, at_noise in by_noise(chosen):
        for method, runs in by_method(at_noise):
            cells.append(measured(runs) | _named(method, noise, OWN, coverage(runs, len(names))))
        cells += [
            _published_rates(row) for row in published_rates() if row.source == source and row.noise == noise
        ]
    notes = (INTERVALS, *([PUBLISHED_NOTES[source]] if source else []), provenance(chosen, origins))
    return Table.of(title, RATE_COLUMNS, cells, notes)


def _named(method: str, noise: float, source: str, problems: str) -> dict[str, Cell]:
    """Return the first cells of a row."""
    return {"method": method, "noise": f"{noise:g}", "source": source, "problems": problems}


def _published_rates(row: PublishedRates) -> dict[str, Cell]:
    return (
        row._asdict()
        | _named(row.method, row.noise, SOURCE_NAMES[row.source], str(row.problems))
        | {
            "solved_srbench" if row.source == "SRBench" else "solved_paper": Rate(row.symbolic_rate),
            "accuracy": Rate(row.accuracy_rate),
        }
    )


def black_box_fit(runs: Sequence[Row]) -> tuple[list[float], list[float], list[float]]:
    """Return R², sizes and times by data set: medians over its trials, as in SRBench."""
    trials: dict[str, list[Row]] = {}
    for row in runs:
        trials.setdefault(row.problem, []).append(row)
    r2 = [middle(map(r2_or_zero, rows)) for rows in trials.values()]
    sizes = [middle(complexities(rows)) for rows in trials.values()]
    times = [middle(row.wall_s for row in rows) for rows in trials.values()]
    known = [[value for value in values if value is not None] for values in (r2, sizes, times)]
    return known[0], known[1], known[2]


def black_box_table(
    rows: Sequence[Row],
    origins: Sequence[Origin],
    title: str,
    published: Sequence[PublishedFit] = (),
    n_suite: int | None = None,
) -> Table:
    """Return a table of methods on data sets at each noise level; published results are without noise."""
    cells: list[dict[str, Cell]] = []
    for noise, at_noise in by_noise(rows):
        cells += [_own_fit(method, noise, runs, n_suite) for method, runs in by_method(at_noise)]
        cells += [
            row._asdict() | _named(row.method, 0.0, SOURCE_NAMES[row.source], str(row.problems))
            for row in published
            if noise == 0
        ]
    notes = (
        "R² on test, size and time: medians over a data set's trials, then means or medians over data sets.",
        "A run without a finite R² counts as 0, the R² of predicting the mean.",
        provenance(rows, origins),
    )
    return Table.of(title, FIT_COLUMNS, cells, notes)


def _own_fit(method: str, noise: float, runs: Sequence[Row], n_suite: int | None) -> dict[str, Cell]:
    r2, sizes, times = black_box_fit(runs)
    problems = str(len({row.problem for row in runs})) if n_suite is None else coverage(runs, n_suite)
    return (
        measured(runs)
        | _named(method, noise, OWN, problems)
        | {
            "r2_mean": mean(r2),
            "r2_median": middle(r2),
            "size_mean": mean(sizes),
            "time_median_s": middle(times),
            "time_mean_s": mean(times),
        }
    )


def coverage(runs: Sequence[Row], n_suite: int) -> str:
    """Return how many problems of a suite have runs."""
    n_problems = len({row.problem for row in runs})
    return str(n_suite) if n_problems == n_suite else f"{n_problems} of {n_suite}"
