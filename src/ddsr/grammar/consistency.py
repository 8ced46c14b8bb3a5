"""Contradictions between rules, which are refused before a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import inf

from ddsr.errors import GrammarError
from ddsr.expression.template import Template
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


def check_depth(rules: Sequence[object], required: Sequence[str]) -> None:
    """Refuse a depth that leaves no place for all variables that must appear."""
    for rule in rules:
        if isinstance(rule, MaxDepth) and len(required) > 2 ** (rule.n - 1):
            raise GrammarError(
                f"rule '{rule}' has room for {2 ** (rule.n - 1)} of the variables that must appear, which "
                f"are {_joined(required)}: leave one of the rules out"
            )


def check_template(
    rules: Sequence[object], required: Sequence[str], template: Template, limit_of_constants: int | None
) -> None:
    """Refuse rules on what a template fixes.

    `limit_of_constants` is the smallest number of constants that a rule allows.
    """
    for rule in rules:
        if isinstance(rule, (NoOffset, MaxDepth)):
            raise GrammarError(
                f"rule '{rule}' does not apply to a template: write the template so, or drop it"
            )
    inputs = {name for hole in template.functions for name in hole.inputs}
    for name in required:
        if name in inputs:
            continue
        if name in template.columns:
            raise GrammarError(f"rule 'use {name}': the template already has {name}, so drop the rule")
        listed = _joined([str(hole) for hole in template.functions]) or "there is none"
        raise GrammarError(
            f"rule 'use {name}': {name} is not an input of an unknown function of the template ({listed}); "
            "add it to one, or drop the rule"
        )
    n = len(template.constants)
    if limit_of_constants is not None and limit_of_constants < n:
        raise GrammarError(
            f"a rule allows at most {limit_of_constants} constants, but the template has {n}: "
            f"{_joined([hole.name for hole in template.constants])}"
        )


def _joined(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


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
