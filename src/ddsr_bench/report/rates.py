"""Rates with their uncertainty, and a test whether two paired rates differ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Rate(NamedTuple):
    """Percentage, with its 95 % interval if the number of runs is known."""

    percent: float
    low: float | None = None
    high: float | None = None
    of: str | None = None
    """the part of the problems that it covers, if not all"""


def rate_of(hits: Iterable[bool]) -> Rate | None:
    """Return the percentage of hits, with Wilson's interval; None without runs."""
    from scipy.stats import binomtest

    flags = list(hits)
    if not flags:
        return None
    interval = binomtest(sum(flags), len(flags)).proportion_ci(method="wilson")
    return Rate(100 * sum(flags) / len(flags), 100 * float(interval.low), 100 * float(interval.high))


def interval_bars(rates: Iterable[Rate]) -> list[list[float]]:
    """Return the lengths of the intervals below and above the rates, as error bars for matplotlib."""
    pairs = [
        (rate.percent - rate.low, rate.high - rate.percent)
        if rate.low is not None and rate.high is not None
        else (0.0, 0.0)
        for rate in rates
    ]
    return [[below for below, _ in pairs], [above for _, above in pairs]]


def paired_p_value(hits: Iterable[bool], baseline: Iterable[bool]) -> float:
    """Return the two-sided p-value of McNemar's exact test; 1 if the hits do not differ."""
    from scipy.stats import binomtest

    pairs = list(zip(hits, baseline, strict=True))
    n_gained = sum(ours and not theirs for ours, theirs in pairs)
    n_lost = sum(theirs and not ours for ours, theirs in pairs)
    return float(binomtest(n_gained, n_gained + n_lost).pvalue) if n_gained + n_lost else 1.0
