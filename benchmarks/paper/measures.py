"""What the paper measures on the ground truth: printed, and with 95 % intervals from runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from ddsr_bench.report.measures import accuracy_rate, complexities, paper_rate
from ddsr_bench.report.published import PublishedRates
from ddsr_bench.report.rates import Rate
from ddsr_bench.runner.store import Row


class Measure(NamedTuple):
    """One of the paper's three columns of figures."""

    key: str
    title: str
    decimals: int
    """of the printed figures"""
    printed: Callable[[PublishedRates], float | None]
    here: Callable[[Sequence[Row]], Rate | None]


def mean_interval(values: Iterable[float]) -> Rate | None:
    """Return the mean with Student's 95 % interval; None of nothing, no interval of one value."""
    from scipy.stats import t

    known = list(values)
    if len(known) < 2:
        return Rate(known[0]) if known else None
    middle = fmean(known)
    reach = float(t.ppf(0.975, len(known) - 1)) * stdev(known) / len(known) ** 0.5
    return Rate(middle, middle - reach, middle + reach)


MEASURES = (
    Measure("solved", "solution rate (%)", 2, lambda row: row.symbolic_rate, paper_rate),
    Measure("accurate", "accuracy rate (%)", 0, lambda row: row.accuracy_rate, accuracy_rate),
    Measure(
        "complexity",
        "simplified complexity",
        2,
        lambda row: row.complexity_mean,
        lambda rows: mean_interval(complexities(rows)),
    ),
)
