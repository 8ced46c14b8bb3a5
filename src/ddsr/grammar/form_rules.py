"""Rules on the form and the constants of an equation, beyond the tokens that a slot may take.

A fill of the grammar knows the depth, unless rules require several variables. The other rules are checked in
complete expressions, and fits keep constants within their range.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, inf
from numbers import Integral, Real

from ddsr import _core
from ddsr.errors import GrammarError
from ddsr.expression.vocabulary import Vocabulary

SMALLEST = 5e-324
"""the least positive number, the end of the range of positive constants"""


@dataclass(frozen=True)
class Exponents:
    """Require that exponents of `^` are constant; also whole, or within a range.

    `Exponents()` allows `x^2.5`, but not `x^y`. `Exponents(whole=True, low=-3, high=3)` allows `x^-2`.
    """

    whole: bool = False
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.whole, bool):
            raise GrammarError(f"whole must be True or False, got {self.whole!r}")
        check_range(self.low, self.high, "exponents")
        if self.whole and ceil(_or(self.low, -1e300)) > floor(_or(self.high, 1e300)):
            raise GrammarError(f"rule '{self}': there is no whole number in this range")

    def __str__(self) -> str:
        ends = range_text(self.low, self.high)
        return " ".join(["whole"] * self.whole + ["exponents"] + ([ends] if ends else [])) + (
            "" if self.whole or ends else " constant"
        )


@dataclass(frozen=True)
class MaxDepth:
    """Allow at most `n` tokens on any path from the root to a leaf: `a * x + b` has a depth of 3."""

    n: int

    def __post_init__(self) -> None:
        check_count(self.n, "depth")

    def __str__(self) -> str:
        return f"depth at most {self.n}"


@dataclass(frozen=True)
class OperandSize:
    """Allow at most `n` tokens below an operator, in all its operands: `OperandSize("exp", 3)`."""

    operator: str
    n: int

    def __post_init__(self) -> None:
        check_count(self.n, f"number of tokens below {self.operator}")

    def __str__(self) -> str:
        return f"at most {self.n} tokens below {self.operator}"


@dataclass(frozen=True)
class ConstantRange:
    """Require that all constants, except exponents, are at least `low` and at most `high`."""

    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        check_range(self.low, self.high, "constants", needs_end=True)

    def holds(self, value: float) -> bool:
        """Return whether a constant may have this value."""
        return _or(self.low, -inf) <= value <= _or(self.high, inf)

    def __str__(self) -> str:
        if (self.low, self.high) == (SMALLEST, None):
            return "constants positive"
        if (self.low, self.high) == (None, -SMALLEST):
            return "constants negative"
        return f"constants {range_text(self.low, self.high)}"


@dataclass(frozen=True)
class NoOffset:
    """Allow no constant as a term of the equation: `2 * x + 1` has one, `2 * (x + 1)` has none."""

    def __str__(self) -> str:
        return "no offset"


FormRule = Exponents | MaxDepth | OperandSize | ConstantRange | NoOffset


def check_range(low: object, high: object, what: str, needs_end: bool = False) -> None:
    """Refuse ends of a range that are not numbers, or in the wrong order."""
    for end in (low, high):
        is_number = isinstance(end, Real) and not isinstance(end, bool) and -inf < float(end) < inf
        if not (end is None or is_number):
            raise GrammarError(f"the range of {what} must have finite numbers as ends, got {end!r}")
    if isinstance(low, Real) and isinstance(high, Real) and float(low) > float(high):
        raise GrammarError(
            f"the range of {what} ends below its beginning: from {low:g} to {high:g}; swap the numbers"
        )
    if needs_end and low is None and high is None:
        raise GrammarError(f"the range of {what} has no end: give low, high or both")


def check_count(n: object, what: str) -> None:
    """Refuse a number that is not whole or below 1."""
    if not isinstance(n, Integral) or isinstance(n, bool) or n < 1:
        raise GrammarError(f"the largest {what} must be an integer of at least 1, got {n!r}")


def range_text(low: float | None, high: float | None) -> str:
    """Write a range as in the text of a rule."""
    if low is None:
        return "" if high is None else f"at most {high:g}"
    return f"at least {low:g}" if high is None else f"from {low:g} to {high:g}"


def constant_limits(rules: Iterable[object]) -> _core.ConstantLimits:
    """Return the ranges of constants and exponents for the core; several rules apply together."""
    rules = tuple(rules)
    constants = [rule for rule in rules if isinstance(rule, ConstantRange)]
    exponents = [rule for rule in rules if isinstance(rule, Exponents)]
    return _core.ConstantLimits(
        *_common(constants), *_common(exponents), any(rule.whole for rule in exponents)
    )


def form_rules(vocabulary: Vocabulary, rules: Iterable[object]) -> _core.FormRules | None:
    """Return the rules on form for the core; None if there are none."""
    kept = [rule for rule in rules if isinstance(rule, FormRule)]
    if not kept:
        return None
    return _core.FormRules(
        any(isinstance(rule, Exponents) for rule in kept),
        any(isinstance(rule, NoOffset) for rule in kept),
        min((rule.n for rule in kept if isinstance(rule, MaxDepth)), default=0),
        constant_limits(kept),
        [(vocabulary.token(rule.operator), rule.n) for rule in kept if isinstance(rule, OperandSize)],
    )


def _common(rules: Iterable[ConstantRange | Exponents]) -> tuple[float, float]:
    """Return the range that all rules share."""
    ends = [(_or(rule.low, -inf), _or(rule.high, inf)) for rule in rules]
    return max((low for low, _ in ends), default=-inf), min((high for _, high in ends), default=inf)


def _or(end: float | None, otherwise: float) -> float:
    return otherwise if end is None else float(end)
