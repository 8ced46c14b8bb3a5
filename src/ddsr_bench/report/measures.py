"""Measures of a set of runs, failed ones included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, median

from ddsr_bench.report.rates import Rate, rate_of
from ddsr_bench.report.table import Cell, TableColumn
from ddsr_bench.runner.store import Row

ACCURATE_ABOVE = 0.999
RUNS = (TableColumn("runs", "runs"), TableColumn("errors", "errors"))
RATES = (
    TableColumn("solved_srbench", "solved, SRBench's rule (%)", is_rate=True),
    TableColumn("solved_paper", "solved, paper's rule (%)", is_rate=True),
    TableColumn("accuracy", "R² > 0.999 (%)", is_rate=True),
)
COMPLEXITIES = (
    TableColumn("complexity_median", "median complexity", 1),
    TableColumn("complexity_mean", "mean complexity", 1),
)
TIMES = (TableColumn("time_median_s", "median time (s)"), TableColumn("time_mean_s", "mean time (s)"))
GIVEN = (TableColumn("budget", "budget"), TableColumn("threads", "threads"))


def is_accurate(row: Row) -> bool:
    """Return whether R² on the test data is above 0.999."""
    return row.r2_test is not None and row.r2_test > ACCURATE_ABOVE


def srbench_rate(rows: Sequence[Row]) -> Rate | None:
    """Return the rate of runs solved by SRBench's rule."""
    return rate_of(bool(row.solved_srbench) for row in rows)


def paper_rate(rows: Sequence[Row]) -> Rate | None:
    """Return the rate of runs solved by the paper's rule."""
    return rate_of(bool(row.solved_paper) for row in rows)


def accuracy_rate(rows: Sequence[Row]) -> Rate | None:
    """Return the rate of accurate runs."""
    return rate_of(map(is_accurate, rows))


def complexities(rows: Sequence[Row]) -> list[float]:
    """Return the complexities of the models that could be simplified."""
    return [float(row.complexity) for row in rows if row.complexity is not None]


def r2_or_zero(row: Row) -> float:
    """Return R² on the test data; 0, that of the mean, if it is not finite."""
    return 0.0 if row.r2_test is None else row.r2_test


def mean(values: Iterable[float]) -> float | None:
    """Return the mean; None if there are no values."""
    known = list(values)
    return fmean(known) if known else None


def middle(values: Iterable[float]) -> float | None:
    """Return the median; None if there are no values."""
    known = list(values)
    return float(median(known)) if known else None


def budgets(runs: Sequence[Row]) -> str | None:
    """Return the different limits of the runs as text; None if no row has them."""
    return "; ".join(sorted({row.budget for row in runs if row.budget})) or None


def thread_counts(runs: Sequence[Row]) -> str:
    """Return the different numbers of threads of the runs."""
    return ", ".join(str(count) for count in sorted({row.threads for row in runs}))


def measured(runs: Sequence[Row]) -> dict[str, Cell]:
    """Return the cells of the columns above."""
    return {
        "runs": len(runs),
        "errors": sum(row.error is not None for row in runs),
        "solved_srbench": srbench_rate(runs),
        "solved_paper": paper_rate(runs),
        "accuracy": accuracy_rate(runs),
        "complexity_median": middle(complexities(runs)),
        "complexity_mean": mean(complexities(runs)),
        "time_median_s": middle(row.wall_s for row in runs),
        "time_mean_s": mean(row.wall_s for row in runs),
        "budget": budgets(runs),
        "threads": thread_counts(runs),
    }
