"""Thresholds for success rates: a test over many seeds states how likely it fails by chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from scipy.stats import binom

CHANCE = 1e-5
"""maximum probability that a test of a rate fails although nothing is wrong"""


def fewest(n: int, rate: float, chance: float = CHANCE) -> int:
    """Largest k for which n runs that each succeed with probability `rate` have fewer than k successes
    with a probability of at most `chance`."""
    return max(k for k in range(n + 1) if binom.cdf(k - 1, n, rate) <= chance)


def assert_rate(succeeds: Callable[[int], object], seeds: Iterable[int], rate: float) -> None:
    """Run once per seed; fail if so few runs succeed as `rate` would give in one of 100,000 tests.

    `rate` is lower than the measured one, so that tests still pass after small changes of the search or of
    rounding, which changes the seeds that succeed.
    """
    outcomes = [bool(succeeds(seed)) for seed in seeds]
    least = fewest(len(outcomes), rate)
    assert least > 0, "so few runs say nothing"
    assert sum(outcomes) >= least, f"{sum(outcomes)} of {len(outcomes)} succeed, {least} must"
