"""The goal of a search, at which it ends: conditions on an equation, such as "r2 > 0.99 and size < 10"."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ddsr.errors import MethodError, did_you_mean

MEASURES = ("r2", "loss", "size", "complexity")
RELATIONS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
CONDITION = re.compile(r"\s*(\w+)\s*(<=|>=|<|>)\s*(\S+)\s*")
HOW = "write stop_at like 'r2 > 0.999 and size < 10'"


@dataclass(frozen=True)
class Condition:
    """A limit on one measure of an equation."""

    measure: str
    relation: str
    limit: float

    @classmethod
    def of(cls, text: str) -> Condition:
        """Read a condition such as `r2 > 0.999`."""
        found = CONDITION.fullmatch(text)
        if found is None:
            raise MethodError(f"stop_at: {text.strip()!r} is not a condition: {HOW}")
        measure, relation, limit = found[1].lower(), found[2], found[3]
        if measure not in MEASURES:
            hint = did_you_mean(measure, MEASURES)
            raise MethodError(f"stop_at: unknown measure {measure!r}{hint}; known are: {', '.join(MEASURES)}")
        try:
            value = float(limit)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise MethodError(f"stop_at: {limit!r} is not a number: {HOW}")
        return cls(measure, relation, value)

    def holds(self, measures: Mapping[str, float]) -> bool:
        """Return whether an equation with these measures meets the condition."""
        return bool(RELATIONS[self.relation](measures[self.measure], self.limit))


@dataclass(frozen=True)
class Goal:
    """Conditions that one equation must meet together."""

    conditions: tuple[Condition, ...]

    @classmethod
    def of(cls, text: object) -> Goal | None:
        """Read the conditions of a text, joined by `and`; None for None."""
        if text is None:
            return None
        if not isinstance(text, str):
            raise MethodError(f"stop_at must be a text or None, got {text!r}: {HOW}")
        return cls(tuple(Condition.of(part) for part in re.split(r"\band\b", text)))

    def is_met(self, *, size: int, r2: float, loss: float) -> bool:
        """Return whether an equation meets all conditions."""
        measures = {"r2": r2, "loss": loss, "size": size, "complexity": size}
        return all(condition.holds(measures) for condition in self.conditions)
