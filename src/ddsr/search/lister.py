"""Lists equations on the front: with scale and offset written out, or omitted if they are not needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from ddsr.data.row_samples import Audited
from ddsr.deadline import NEVER, Deadline, TimeIsUp
from ddsr.engine import Engine, FitOptions, Floats, Scores, values
from ddsr.expression import Batch, Expression
from ddsr.grammar import Grammar
from ddsr.grammar.listing import Listing
from ddsr.search.front import FrontEntry, ParetoFront, rows_by_size
from ddsr.search.hall_of_fame import HallOfFame

Found = Scores | HallOfFame
# Limits on equations refitted at once without scale or offset, and on rows times equations.
MOST_PLAIN, MOST_PLAIN_ROWS = 48, 20_000_000
PLAIN_FIT = FitOptions(max_steps=30, tolerance=1e-10)
LEAST_GAIN = 1e-6  # relative gain below which a form is not fitted
MOST_TRIED = 20  # maximum number of expressions of one size to try until one may be listed


@dataclass(frozen=True)
class Lister:
    """Turns scored expressions into entries of the front."""

    engine: Engine
    listing: Listing

    @classmethod
    def of(cls, engine: Engine, grammar: Grammar) -> Lister:
        """Make the lister for a search with this engine and grammar."""
        return cls(engine, Listing(grammar))

    @cached_property
    def _some(self) -> Audited:
        """Return the rows to estimate errors on."""
        return Audited.of(self.engine.dataset, self.engine.seed)

    def entry(self, expression: Expression, nrmse: float, scale: float, offset: float) -> FrontEntry | None:
        """Return the entry of `scale * expression + offset`; None if the rules refuse it."""
        equation = self.listing.written(expression, scale, offset, self.engine.spread)
        return None if equation is None else FrontEntry(equation, nrmse)

    def entries(self, found: Found, rows: Iterable[int] | None = None) -> Iterator[FrontEntry]:
        """Yield entries for these rows, or all, that have a finite error and may be listed."""
        for row in range(len(found)) if rows is None else rows:
            if np.isfinite(found.nrmse[row]):
                measures = (float(column[row]) for column in (found.nrmse, found.scale, found.offset))
                entry = self.entry(found.batch[row], *measures)
                if entry is not None:
                    yield entry

    def merge(
        self, front: ParetoFront, found: Found, others: Iterable[Found] = (), deadline: Deadline = NEVER
    ) -> ParetoFront:
        """Return the front with the best new expression of each size.

        Equations are also fitted without their offset, their scale or both. Otherwise forms such as
        `a * x / (b + x)`, which need neither, lose to forms that need both. `others` are only fitted in
        this way.
        """
        front = self.enter(front, self._best_of_each_size(found))
        return self.enter(front, self._plain(front, (found, *others), deadline))

    def enter(self, front: ParetoFront, entries: Iterable[FrontEntry]) -> ParetoFront:
        """Return the front with these entries, each simplified if its shorter form is allowed and finite."""
        shortened = (self._shortened(entry, front) for entry in entries)
        return front.with_entries(entry for entry in shortened if entry is not None)

    def _shortened(self, entry: FrontEntry, front: ParetoFront) -> FrontEntry | None:
        """Return the entry in its shorter form, or unchanged; None if neither is finite on every row.

        A function can be finite in one form only: exp(a - b) where exp(a) * exp(-b) overflows.
        """
        written = entry.expression
        for expression in dict.fromkeys((self.listing.shortened(written), written)):
            is_new = entry.nrmse < front.least_error(len(expression))
            if not is_new or self.engine.is_finite(expression):
                return replace(entry, expression=expression)
        return None

    def relisted(self, front: ParetoFront, baseline: ParetoFront) -> ParetoFront:
        """Return a saved front without the entries that may not be listed; earlier versions had some."""
        entries = self.relisted_entries(front.entries)
        return front if entries == front.entries else self.enter(baseline, entries)

    def relisted_entries(self, entries: Iterable[FrontEntry]) -> tuple[FrontEntry, ...]:
        """Return the entries that may be listed, with scale and offset written out."""
        return tuple(new for new in map(self._relisted, entries) if new is not None)

    def _relisted(self, entry: FrontEntry) -> FrontEntry | None:
        if entry.scale != 1.0 or entry.offset != 0.0:
            return self.entry(entry.expression, entry.nrmse, entry.scale, entry.offset)
        return entry if self.listing.allows(entry.expression) else None

    def _best_of_each_size(self, found: Found) -> Iterator[FrontEntry]:
        for rows in rows_by_size(found):
            yield from islice(self.entries(found, rows[:MOST_TRIED]), 1)

    def _plain(
        self, front: ParetoFront, sources: Sequence[Found], deadline: Deadline
    ) -> Iterator[FrontEntry]:
        """Yield equations fitted without offset, scale or both that may improve the front."""
        forms = self._plain_forms(front, sources)
        n_most = min(MOST_PLAIN, max(1, MOST_PLAIN_ROWS // self.engine.n_rows))
        if not forms or deadline.has_passed:
            return
        try:
            scores = self.engine.score(Batch.of(forms[:n_most]), options=PLAIN_FIT, deadline=deadline)
        except TimeIsUp:
            return
        yield from self.entries(scores)

    def _plain_forms(self, front: ParetoFront, sources: Sequence[Found]) -> list[Expression]:
        """Return forms without offset, scale or both, sorted by unfitted error relative to the front's."""
        known = {form.tokens: (form, nrmse) for form, nrmse in self._scaled_expressions(front, sources)}
        if not known:
            return []
        pairs = list(known.values())
        rows, target, weights, *_ = self._some
        on_rows, is_finite = values([form for form, _ in pairs], rows, self.engine.n_threads)
        ranked: dict[tuple[int, ...], tuple[float, Expression]] = {}
        for place in np.flatnonzero(is_finite):
            expression, nrmse = pairs[place]
            for scale, offset in _plain_fits(on_rows[place], target, weights):
                size = len(expression) + _n_tokens(scale, offset)
                bar = front.least_error(size)
                if not nrmse < (1.0 - LEAST_GAIN) * bar:
                    continue
                form = self.listing.written(expression, scale, offset, self.engine.spread)
                error = _error(scale * on_rows[place] + offset, target, weights) / bar
                if form is not None and error < ranked.get(form.tokens, (np.inf,))[0]:
                    ranked[form.tokens] = error, form
        return [form for _, form in sorted(ranked.values(), key=lambda pair: pair[0])]

    def _scaled_expressions(
        self, front: ParetoFront, sources: Sequence[Found]
    ) -> Iterator[tuple[Expression, float]]:
        """Yield expressions with a scale or offset that may improve the front without them."""
        for found in sources:
            sizes = found.batch.sizes
            is_plain = (found.scale == 1.0) & (found.offset == 0.0)
            bars = {size: front.least_error(int(size)) for size in np.unique(sizes) + 2}
            is_better = found.nrmse < (1.0 - LEAST_GAIN) * np.array([bars[size + 2] for size in sizes])
            of_use = np.isfinite(found.nrmse) & ~is_plain & is_better
            # most rows of a batch are bad
            best = (
                [rows[0] for rows in rows_by_size(found)] if isinstance(found, Scores) else range(len(found))
            )
            yield from ((found.batch[row], float(found.nrmse[row])) for row in best if of_use[row])


def _plain_fits(on_rows: Floats, target: Floats, weights: Floats) -> Iterator[tuple[float, float]]:
    """Yield (scale, offset): the best scale alone, the best offset alone, and neither."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        scale = float(np.sum(weights * on_rows * target) / np.sum(weights * on_rows * on_rows))
        offset = float(np.average(target - on_rows, weights=weights))
    if np.isfinite(scale) and scale != 0.0:
        yield scale, 0.0
    if np.isfinite(offset):
        yield 1.0, offset
    yield 1.0, 0.0


def _n_tokens(scale: float, offset: float) -> int:
    """Return the number of tokens that a scale and an offset add to an expression."""
    return 2 * (scale != 1.0) + 2 * (offset != 0.0)


def _error(predicted: Floats, target: Floats, weights: Floats) -> float:
    """Return the root mean squared error."""
    with np.errstate(over="ignore"):
        return float(np.sqrt(np.average((target - predicted) ** 2, weights=weights)))
