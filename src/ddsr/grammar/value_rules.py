"""Rules on the values of an equation, which are checked on grids of points.

The grids lie in the ranges of the inputs (`ddsr.grammar.limits`). A check says nothing about other points.
"""

from __future__ import annotations

from dataclasses import dataclass

from ddsr.errors import GrammarError
from ddsr.expression.words import write_name
from ddsr.grammar.form_rules import check_range, range_text


@dataclass(frozen=True)
class _OfInput:
    """A rule on the course of an equation in one input, the others being constant."""

    variable: str

    def __post_init__(self) -> None:
        _check_name(self.variable, self)

    def __str__(self) -> str:
        return f"{type(self).__name__.lower()} in {_written(self.variable)}"


@dataclass(frozen=True)
class Increasing(_OfInput):
    """Require that the equation never falls while an input rises."""


@dataclass(frozen=True)
class Decreasing(_OfInput):
    """Require that the equation never rises while an input rises."""


@dataclass(frozen=True)
class Convex(_OfInput):
    """Require that the slope of the equation in an input never falls."""


@dataclass(frozen=True)
class Concave(_OfInput):
    """Require that the slope of the equation in an input never rises."""


@dataclass(frozen=True)
class ZeroAt:
    """Require that the equation is 0 where an input has this value: `ZeroAt("x")` is f(0) = 0."""

    variable: str
    value: float = 0.0

    def __post_init__(self) -> None:
        _check_name(self.variable, self)
        check_range(self.value, None, "the input")
        if self.value is None:
            raise GrammarError("ZeroAt needs the value of the input, such as 0")

    def __str__(self) -> str:
        return f"zero at {_written(self.variable)} = {self.value:g}"


@dataclass(frozen=True)
class ValueRange:
    """Require that the values of the equation are at least `low` and at most `high`."""

    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        check_range(self.low, self.high, "y", needs_end=True)

    def holds(self, value: float) -> bool:
        """Return whether a value lies in the range."""
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        return f"y {range_text(self.low, self.high)}"


@dataclass(frozen=True)
class Symmetric:
    """Require that the equation stays the same if two inputs are exchanged."""

    first: str
    second: str

    def __post_init__(self) -> None:
        _check_name(self.first, self)
        _check_name(self.second, self)
        if self.first == self.second:
            raise GrammarError(f"rule '{self}': name two different inputs")

    def __str__(self) -> str:
        return f"symmetric in {_written(self.first)}, {_written(self.second)}"


OfInput = Increasing | Decreasing | Convex | Concave
ValueRule = OfInput | ZeroAt | ValueRange | Symmetric
ONE_INPUT = (Increasing, Decreasing, Convex, Concave)


def inputs_of(rule: ValueRule) -> tuple[str, ...]:
    """Return the inputs that a rule names."""
    match rule:
        case Symmetric(first, second):
            return first, second
        case ValueRange():
            return ()
        case _:
            return (rule.variable,)


def _check_name(name: object, rule: object) -> None:
    if not isinstance(name, str):
        raise GrammarError(f"{type(rule).__name__} needs the name of an input, got {name!r}")


def _written(name: str) -> str:
    return write_name(name) if not name.startswith("`") else name
