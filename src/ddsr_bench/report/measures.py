"""What is measured of a set of runs. Every run counts, those that failed too."""

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
    """R² on test above 0.999."""
    return row.r2_test is not None and row.r2_test > ACCURATE_ABOVE


def srbench_rate(rows: Sequence[Row]) -> Rate | None:
    """Solved by SRBench's rule."""
    return rate_of(bool(row.solved_srbench) for row in rows)


def paper_rate(rows: Sequence[Row]) -> Rate | None:
    """Solved by the paper's rule."""
    return rate_of(bool(row.solved_paper) for row in rows)


def accuracy_rate(rows: Sequence[Row]) -> Rate | None:
    """Accurate on test."""
    return rate_of(is_accurate(row) for row in rows)


def n_errors(rows: Sequence[Row]) -> int:
    """Runs that crashed or hung, or whose model could not be judged."""
    return sum(row.error is not None for row in rows)


def complexities(rows: Sequence[Row]) -> list[float]:
    """Of the models that could be simplified."""
    return [float(row.complexity) for row in rows if row.complexity is not None]


def r2_or_zero(row: Row) -> float:
    """R² on test; a run without a finite one counts as 0, which predicting the mean gives."""
    return 0.0 if row.r2_test is None else row.r2_test


def mean(values: Iterable[float]) -> float | None:
    """None of nothing."""
    known = list(values)
    return fmean(known) if known else None


def middle(values: Iterable[float]) -> float | None:
    """The median; None of nothing."""
    known = list(values)
    return float(median(known)) if known else None


def budgets(runs: Sequence[Row]) -> str | None:
    """What the runs were given; None where no row tells."""
    return "; ".join(sorted({row.budget for row in runs if row.budget})) or None


def thread_counts(runs: Sequence[Row]) -> str:
    """Of a run; several where they differ."""
    return ", ".join(str(count) for count in sorted({row.threads for row in runs}))


def measured(runs: Sequence[Row]) -> dict[str, Cell]:
    """The cells of runs in the columns above."""
    return {
        "runs": len(runs),
        "errors": n_errors(runs),
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
