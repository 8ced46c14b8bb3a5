"""Contradictions between rules, which are refused before a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import inf

from ddsr.errors import GrammarError
from ddsr.grammar.form_rules import ConstantRange, Exponents, MaxDepth, NoOffset
from ddsr.grammar.value_rules import Decreasing, Increasing, ValueRange, ZeroAt


def check_consistent(rules: Sequence[object]) -> None:
    """Refuse pairs of rules that only a constant equation, or none, can obey."""
    for first, second in combinations(rules, 2):
        for contradict in CONTRADICTIONS:
            reason = contradict(first, second) or contradict(second, first)
            if reason:
                both = f"the rules '{first}' and '{second}' contradict each other"
                raise GrammarError(f"{both}: {reason}; leave one of them out")


def check_template(rules: Sequence[object]) -> None:
    """Refuse rules on the sum at the root, which a template fixes."""
    for rule in rules:
        if isinstance(rule, (NoOffset, MaxDepth)):
            raise GrammarError(
                f"rule '{rule}' does not apply to a template: write the template so, or drop it"
            )


def _courses(one: object, other: object) -> str:
    if isinstance(one, Increasing) and isinstance(other, Decreasing) and one.variable == other.variable:
        return f"only an equation that does not depend on {one.variable} obeys both"
    return ""


def _ranges(one: object, other: object) -> str:
    for kind in (ConstantRange, Exponents, ValueRange):
        if isinstance(one, kind) and isinstance(other, kind):
            low = max(-inf if end is None else end for end in (one.low, other.low))
            high = min(inf if end is None else end for end in (one.high, other.high))
            if low > high:
                return "their ranges have no number in common"
    return ""


def _whole(one: object, other: object) -> str:
    if isinstance(one, Exponents) and isinstance(other, Exponents) and one.whole:
        try:
            Exponents(True, other.low, other.high)
        except GrammarError:
            return "there is no whole number in this range"
    return ""


def _zero(one: object, other: object) -> str:
    if not (isinstance(one, ZeroAt) and isinstance(other, ValueRange)):
        return ""
    is_within = (other.low is None or other.low <= 0) and (other.high is None or other.high >= 0)
    return "" if is_within else "0 is not in this range"


CONTRADICTIONS: tuple[Callable[[object, object], str], ...] = (_courses, _ranges, _whole, _zero)
