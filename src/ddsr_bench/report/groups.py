"""Which suite a problem belongs to, by its name."""

from __future__ import annotations

from functools import cache
from typing import Literal

from ddsr_bench.problems.suites import load_suite
from ddsr_bench.runner.store import Row

Group = Literal["Feynman", "Strogatz", "Nguyen", "black box", "own data", "other"]

SUITE_OF_GROUP: dict[Group, str] = {
    "Feynman": "feynman",
    "Strogatz": "strogatz",
    "Nguyen": "nguyen",
    "black box": "black-box",
}
WITHOUT_EQUATION: frozenset[str] = frozenset({"black box", "own data"})
"""groups in which nothing can be solved"""
NOT_IN_SRBENCH = frozenset({"feynman_I_26_2", "feynman_I_30_5", "feynman_test_10"})
"""of the ground truth: the 133 problems of the paper are 130 in SRBench's tables"""


@cache
def names_of(group: Group) -> frozenset[str]:
    """The problems of a group that ships with ddsr."""
    return frozenset(problem.name for problem in load_suite(SUITE_OF_GROUP[group]))


def ground_truth_names() -> frozenset[str]:
    """All 133."""
    return names_of("Feynman") | names_of("Strogatz")


def is_friedman(problem: str) -> bool:
    """Whether a black-box set is made by one of Friedman's formulas: more than half of SRBench's are."""
    return "_fri_c" in problem


def group_of(row: Row) -> Group:
    """The group of a run's problem; without a verdict by design, it is a table of the user's own."""
    for group in SUITE_OF_GROUP:
        if row.problem in names_of(group):
            return group
    return "own data" if row.solved_srbench is None else "other"
