"""The grids on which rules on values are checked, and all limits of a search for the native core.

A grid has lines of points: along a line, one input runs through its range in the data, and the other inputs
have the values of a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from ddsr import _core
from ddsr.errors import GrammarError
from ddsr.expression.vocabulary import Vocabulary
from ddsr.grammar.form_rules import FormRule, NoOffset, constant_limits, form_rules
from ddsr.grammar.value_rules import (
    ONE_INPUT,
    Concave,
    Convex,
    Decreasing,
    Increasing,
    OfInput,
    Symmetric,
    ValueRange,
    ValueRule,
    ZeroAt,
)

POINTS_IN_LINE, POINTS_IN_ONLY_LINE = 33, 129
MOST_LINES = 100
MOST_POINTS = 6600
"""maximum number of points of the lines in all inputs; there is at least one line in each"""
MOST_ROWS = 500
"""maximum number of rows at which values are checked as they are"""
MOST_ROWS_COMPARED = 20_000
"""number of rows among which the other inputs of the lines are chosen"""
TOLERANCE = 1e-9
"""differences of values that count as rounding, relative to the range of y"""

KINDS = {
    Increasing: _core.ValueCheck.rises,
    Decreasing: _core.ValueCheck.falls,
    Convex: _core.ValueCheck.convex,
    Concave: _core.ValueCheck.concave,
}
Floats = NDArray[np.float64]
Check = tuple[_core.ValueCheck, int, float, float]


def limits_of(rules: Iterable[object], vocabulary: Vocabulary, X: Floats, y: Floats) -> _core.Limits | None:
    """Return what rules on form and values demand on these data; None if there are no such rules."""
    kept = [rule for rule in rules if isinstance(rule, (FormRule, ValueRule))]
    if not kept:
        return None
    grids = _Grids(vocabulary, X, [rule for rule in kept if isinstance(rule, ZeroAt)])
    checks = [check for rule in kept if isinstance(rule, ValueRule) for check in grids.checks(rule)]
    tolerance = TOLERANCE * float(np.ptp(y))
    form = form_rules(vocabulary, kept)
    return _core.Limits(constant_limits(kept), form, X.shape[1], grids.grids, checks, tolerance)


def check_values(rules: Iterable[object], y: Floats) -> None:
    """Refuse a range of y that has no value of the data."""
    low, high = float(y.min()), float(y.max())
    for rule in rules:
        if isinstance(rule, ValueRange) and not any(rule.holds(value) for value in y.tolist()):
            raise GrammarError(
                f"rule '{rule}': no value of y is in this range; they go from {low:g} to {high:g}"
            )


def allow_offset(rules: Iterable[object]) -> bool:
    """Return whether a free offset may be fitted.

    Nearly every offset would break a rule that fixes the value at some point. Expressions can still contain
    constants as terms.
    """
    return not any(isinstance(rule, (NoOffset, ZeroAt, ValueRange)) for rule in rules)


class _Grids:
    """The grids of some rules; rules on the same input share one."""

    def __init__(self, vocabulary: Vocabulary, X: Floats, zeros: Iterable[ZeroAt] = ()) -> None:
        self.vocabulary = vocabulary
        n_rows = len(X)
        every = X[:: 1 + n_rows // MOST_ROWS_COMPARED]
        # in random order, so that the first lines are a sample of all
        self.X = every[np.random.default_rng(0).permutation(len(every))]
        self.low, self.high = X.min(axis=0), X.max(axis=0)
        self.of_data = np.array([self.low, self.high])
        for zero in zeros:  # an increasing equation has no pole between its zero and the data
            column = self._column(zero.variable)
            self.low[column] = min(self.low[column], zero.value)
            self.high[column] = max(self.high[column], zero.value)
        self.grids: list[tuple[Floats, int]] = []
        self._line_grids: dict[int, int] = {}

    def checks(self, rule: ValueRule) -> list[Check]:
        """Return the checks of a rule, and add their grids."""
        if isinstance(rule, ONE_INPUT):
            return [self._course(rule)]
        match rule:
            case ZeroAt(variable, value):
                return self._zero(self._column(variable), value)
            case Symmetric(first, second):
                pairs = self._exchanged(self._column(first), self._column(second))
                return [(_core.ValueCheck.alike, pairs, -inf, inf)]
            case _:
                return self._range(rule)

    def _zero(self, column: int, value: float) -> list[Check]:
        """Return the check at the zero, and one for poles between it and the data."""
        at_zero = _core.ValueCheck.zero, self._at(column, value), -inf, inf
        nearest = float(np.clip(value, *self.of_data[:, column]))
        if nearest == value:
            return [at_zero]
        return [at_zero, (_core.ValueCheck.no_pole, self._lines_between(column, value, nearest), -inf, inf)]

    def _course(self, rule: OfInput) -> Check:
        return KINDS[type(rule)], self._lines(self._column(rule.variable)), -inf, inf

    def _range(self, rule: ValueRange) -> list[Check]:
        low = -inf if rule.low is None else float(rule.low)
        high = inf if rule.high is None else float(rule.high)
        grids = [self._added(self.X[:MOST_ROWS], 1)]
        grids += [self._lines(column) for column in range(len(self.vocabulary.inputs))]
        return [(_core.ValueCheck.within, grid, low, high) for grid in grids]

    def _column(self, name: str) -> int:
        return self.vocabulary.token(name) - self.vocabulary.first_variable

    def _others(self, columns: Sequence[int], most: int) -> Floats:
        """Return rows that differ in the other columns."""
        others = np.delete(self.X, columns, axis=1)
        _, first = np.unique(others, axis=0, return_index=True)
        return self.X[np.sort(first)[:most]]

    def _lines(self, column: int) -> int:
        if column not in self._line_grids:
            ends = float(self.low[column]), float(self.high[column])
            self._line_grids[column] = self._lines_between(column, *ends)
        return self._line_grids[column]

    def _lines_between(self, column: int, first: float, last: float) -> int:
        most = max(1, min(MOST_LINES, MOST_POINTS // (POINTS_IN_LINE * self.X.shape[1])))
        rows = self._others([column], most)
        n = POINTS_IN_LINE if len(rows) > 1 else POINTS_IN_ONLY_LINE
        points = np.repeat(rows, n, axis=0)
        points[:, column] = np.tile(np.linspace(first, last, n), len(rows))
        return self._added(points, n)

    def _at(self, column: int, value: float) -> int:
        rows = self._others([column], MOST_ROWS)
        rows[:, column] = value
        return self._added(rows, 1)

    def _exchanged(self, first: int, second: int) -> int:
        rows = self.X[:MOST_ROWS]
        pairs = np.repeat(rows, 2, axis=0)
        pairs[1::2, [first, second]] = rows[:, [second, first]]
        return self._added(pairs, 2)

    def _added(self, points: Floats, in_line: int) -> int:
        self.grids.append((np.ascontiguousarray(points, dtype=np.float64), in_line))
        return len(self.grids) - 1
