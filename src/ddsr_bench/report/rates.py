"""Shares of runs with their uncertainty, and whether two paired shares differ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Rate(NamedTuple):
    """Percent, with its 95 % interval where the number of runs behind it is known."""

    percent: float
    low: float | None = None
    high: float | None = None
    of: str | None = None
    """what it is a share of, where that is less than a reader would take it for"""


def wilson(n_hits: int, n_runs: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, in [0, 1]: sound for few runs and for shares of 0 and 1."""
    from scipy.stats import binomtest

    interval = binomtest(n_hits, n_runs).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def rate_of(hits: Iterable[bool]) -> Rate | None:
    """The share of hits among all of them; None without any."""
    flags = list(hits)
    if not flags:
        return None
    low, high = wilson(sum(flags), len(flags))
    return Rate(100 * sum(flags) / len(flags), 100 * low, 100 * high)


def interval_bars(rates: Iterable[Rate]) -> list[list[float]]:
    """How far the intervals reach below and above: two rows, as matplotlib takes error bars."""
    pairs = [
        (rate.percent - low, high - rate.percent) if low is not None and high is not None else (0.0, 0.0)
        for rate in rates
        for low, high in ((rate.low, rate.high),)
    ]
    return [[below for below, _ in pairs], [above for _, above in pairs]]


def paired_p_value(hits: Iterable[bool], baseline: Iterable[bool]) -> float:
    """McNemar's exact test: of the runs that only one of two solves, is the split more uneven than chance's?

    Two-sided; 1 when they differ nowhere.
    """
    from scipy.stats import binomtest

    pairs = list(zip(hits, baseline, strict=True))
    n_gained = sum(ours and not theirs for ours, theirs in pairs)
    n_lost = sum(theirs and not ours for ours, theirs in pairs)
    return float(binomtest(n_gained, n_gained + n_lost).pvalue) if n_gained + n_lost else 1.0
