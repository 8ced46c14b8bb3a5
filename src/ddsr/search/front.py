"""The Pareto front: the most accurate expression of each size, unless a smaller one is as accurate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ddsr.data.efficiency import efficiency
from ddsr.engine import Engine, Scores, values
from ddsr.errors import RunError
from ddsr.expression import Batch, Expression, Node, Vocabulary
from ddsr.expression.printing import SHORT_PRECISION, Precision
from ddsr.price.rounding import EXACT, is_lower
from ddsr.search.hall_of_fame import HallOfFame
from ddsr.storage.saved import Saved

# Price of one token: twice its nats, as squared errors are priced.
NATS_PER_TOKEN = 5.4
# An exact equation must fit this many rows more than it has constants. One row may fit by chance, since
# many equations are tried. core/evolution/hall_of_fame.cpp has the same rule, without scale and offset.
N_SPARE_ROWS = 2
# Fields of `FrontEntry` after the expression, in order.
MEASURES = ("nrmse", "scale", "offset", "is_free", "nats")


@dataclass(frozen=True)
class FrontEntry:
    """One equation of the front with its error.

    Scale and offset differ from 1 and 0 only in files of earlier versions, and before an equation is listed.
    """

    expression: Expression
    nrmse: float
    scale: float = 1.0
    offset: float = 0.0
    is_free: tuple[bool, ...] | None = None
    """whether each constant of the expression is fitted instead of fixed; None: all are fitted"""
    nats: float | None = None
    """measured description length; None: `description_length` estimates it"""
    precision: Precision = field(default=SHORT_PRECISION, compare=False)
    """significant digits of the constants of `equation` in short texts"""

    def __repr__(self) -> str:
        return f"FrontEntry({self.short_text()!r}, nrmse={self.nrmse:.2g})"

    @property
    def size(self) -> int:
        """The complexity: the number of tokens of the equation, scale and offset included."""
        return len(self.equation)

    @property
    def equation(self) -> Expression:
        """The expression with its scale and offset written out.

        With a scale of 0 only the offset remains.
        """
        if self.scale == 1.0 and self.offset == 0.0:
            return self.expression
        vocabulary = _with_arithmetic(self.expression.vocabulary)
        if self.scale == 0.0:
            return Expression.from_tree(vocabulary, Node.constant(self.offset))
        scaled = Node.operator("mul", Node.constant(self.scale), self.expression.tree)
        return Expression.from_tree(vocabulary, Node.operator("add", scaled, Node.constant(self.offset)))

    def short_text(self) -> str:
        """Return the equation as text, with constants of few digits."""
        is_bare = self.scale == 1.0 and self.offset == 0.0
        equation = self.equation if is_bare else self.equation.simplified()
        return equation.text(self.precision if is_bare else SHORT_PRECISION)

    def is_exact(self, below: float, n_rows: int) -> bool:
        """Return whether the error is below this limit, with enough rows to exclude chance."""
        n_free = self.equation.n_constants if self.is_free is None else sum(self.is_free)
        return self.nrmse < below and n_free + N_SPARE_ROWS <= n_rows

    def description_length(self, n_rows: int) -> float:
        """Return the description length in nats: measured, or estimated up to a term shared by all equations.

        The estimate is N log(RMSE) + log(N)/2 per constant + NATS_PER_TOKEN/2 per token.
        """
        if self.nats is not None:
            return self.nats
        residual = n_rows * np.log(max(self.nrmse, EXACT))
        constants = 0.5 * np.log(n_rows) * self.equation.n_constants
        return float(residual + constants + 0.5 * NATS_PER_TOKEN * self.size)


@dataclass(frozen=True)
class ParetoFront:
    """Entries by rising size and falling error. A front is immutable: `merge` returns a new one."""

    entries: tuple[FrontEntry, ...] = ()

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[FrontEntry]:
        return iter(self.entries)

    def merge(self, scores: Scores | HallOfFame) -> ParetoFront:
        """Return the front with these scores added, without the checks of `Lister`."""
        return self.with_entries(
            [_entry(scores, rows[0]) for rows in rows_by_size(scores) if np.isfinite(scores.nrmse[rows[0]])]
        )

    def with_entries(self, entries: Iterable[FrontEntry]) -> ParetoFront:
        """Return the front with these entries added. An entry better by rounding alone replaces nothing."""
        new = [entry for entry in entries if is_lower(entry.nrmse, self.least_error(entry.size))]
        front: list[FrontEntry] = []
        for entry in sorted((*self.entries, *new), key=lambda each: (each.size, each.nrmse)):
            if not front or is_lower(entry.nrmse, front[-1].nrmse):
                front.append(entry)
        return ParetoFront(tuple(front))

    def least_error(self, size: int) -> float:
        """Return the least NRMSE of entries with at most this many tokens; infinite if there are none."""
        return min((entry.nrmse for entry in self.entries if entry.size <= size), default=np.inf)

    def saved(self) -> Saved:
        """Return the entries as saved state."""
        return saved_entries(self.entries)

    @classmethod
    def restored(cls, saved: Saved, vocabulary: Vocabulary) -> ParetoFront:
        """Restore a saved front."""
        return cls(restored_entries(saved, vocabulary))

    def gain_over(self, known: ParetoFront) -> float:
        """Return how far log(NRMSE) fell, summed over all sizes. An empty front has an NRMSE of 1."""
        largest = max((entry.size for front in (self, known) for entry in front), default=0)
        return float(np.sum(known._log_errors(largest) - self._log_errors(largest)))

    def _log_errors(self, largest: int) -> NDArray[np.float64]:
        """Return log(NRMSE) of the best entry of at most 1, 2, … tokens."""
        errors = np.zeros(largest)
        for entry in self.entries:
            errors[entry.size - 1 :] = np.log(max(entry.nrmse, EXACT))
        return np.minimum.accumulate(errors)

    def most_accurate(self) -> FrontEntry:
        """Return the entry with the least error; if several are exact up to rounding, the smallest."""
        self._check_not_empty()
        return min(self.entries, key=lambda entry: (max(entry.nrmse, EXACT), entry.size))

    def best(self, n_rows: int) -> FrontEntry:
        """Return the entry with the least description length on `n_rows` rows."""
        self._check_not_empty()
        return min(self.entries, key=lambda entry: entry.description_length(n_rows))

    def _check_not_empty(self) -> None:
        if not self.entries:
            raise LookupError("the front is empty: no expression with a finite error was found yet")


def rows_by_size(scores: Scores | HallOfFame) -> list[list[int]]:
    """Group rows by the size of the expression, smallest first; in each group the least error is first."""
    sizes = scores.batch.sizes
    order = np.lexsort((scores.nrmse, sizes))
    edges = np.flatnonzero(np.diff(sizes[order])) + 1
    return [rows.tolist() for rows in np.split(order, edges) if len(rows)]


def entries_of(found: Scores | HallOfFame) -> tuple[FrontEntry, ...]:
    """Return entries for all expressions with a finite error, keeping scale and offset separate."""
    return tuple(_entry(found, int(row)) for row in np.flatnonzero(np.isfinite(found.nrmse)))


def information_of(entry: FrontEntry, engine: Engine) -> NDArray[np.float64] | None:
    """Return the information matrix of an equation's constants: see `Scores.information`."""
    is_fixed = [not is_free for is_free in entry.is_free or (True,) * entry.equation.n_constants]
    return measured_information(entry.equation, engine, np.array([is_fixed], dtype=bool))


def measured_information(
    equation: Expression, engine: Engine, is_fixed: NDArray[np.bool_] | None = None
) -> NDArray[np.float64] | None:
    """Return the information matrix of the constants that are not fixed, by default of all.

    With the variance of the errors by their loss, it gives the covariance that the residuals show.
    """
    scores = engine.refit([equation], is_fixed, max_steps=0)
    if scores.information is None:
        return None
    data = engine.dataset
    if data.loss.is_squared:
        return np.asarray(scores.information[0])
    residuals = engine.target - values([equation], engine.rows, engine.n_threads)[0][0]
    error = float(scores.nrmse[0]) * engine.spread
    factor = efficiency(data.loss, error, residuals, data.weighting.weights)
    return np.asarray(scores.information[0] * factor)


def saved_entries(entries: Sequence[FrontEntry]) -> Saved:
    """Return entries as arrays and lists, without the vocabulary that they share."""
    if not entries:
        return {"names": None}
    batch = Batch.of([entry.expression for entry in entries])
    columns = {name: [getattr(entry, name) for entry in entries] for name in MEASURES}
    names = list(batch.vocabulary.names)
    return {"names": names, "tokens": batch.tokens, "constants": batch.constants, **columns}


def restored_entries(saved: Saved, vocabulary: Vocabulary) -> tuple[FrontEntry, ...]:
    """Restore saved entries."""
    if saved["names"] is None:
        return ()
    if saved["names"] != list(vocabulary.names):
        raise RunError("the saved front has another vocabulary")
    batch = Batch(vocabulary, saved["tokens"], saved["constants"])
    rows = zip(batch, *(saved[name] for name in MEASURES), strict=True)
    entries = tuple(FrontEntry(*row) for row in rows)
    for entry in entries:
        _check_numbers(entry)
    # files hold tuples as lists
    return tuple(replace(each, is_free=each.is_free and tuple(each.is_free)) for each in entries)


def _check_numbers(entry: FrontEntry) -> None:
    """Raise ValueError for values that only a damaged or altered file has."""
    for name in ("nrmse", "scale", "offset", "nats"):
        value = getattr(entry, name)
        is_missing = name == "nats" and value is None
        if not (is_missing or isinstance(value, float) or type(value) is int and abs(value) < 2**53):
            raise ValueError(f"{name} is {value!r}")
    if not entry.nrmse >= 0.0:
        raise ValueError(f"nrmse is {entry.nrmse!r}")
    if entry.is_free is not None and not all(isinstance(each, bool) for each in entry.is_free):
        raise ValueError(f"is_free is {entry.is_free!r}")


@lru_cache(maxsize=16)  # slow for thousands of variables
def _with_arithmetic(vocabulary: Vocabulary) -> Vocabulary:
    """Return the vocabulary with the operators of a scale and an offset."""
    missing = [name for name in ("add", "mul") if name not in vocabulary.operators]
    return Vocabulary(vocabulary.variables, (*vocabulary.definitions, *missing), vocabulary.has_one)


def _entry(scores: Scores | HallOfFame, row: int) -> FrontEntry:
    return FrontEntry(
        scores.batch[row],
        float(scores.nrmse[row]),
        float(scores.scale[row]),
        float(scores.offset[row]),
    )
