"""Equations as they are listed: scale and offset written out, or left out where they are not needed."""

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
# Equations without their scale or offset that are fitted at a time, and rows times equations, at most.
MOST_PLAIN, MOST_PLAIN_ROWS = 48, 20_000_000
PLAIN_FIT = FitOptions(max_steps=30, tolerance=1e-10)
LEAST_GAIN = 1e-6  # relative: a form whose error is lower by less than this is not worth a fit
MOST_TRIED = 20  # of one size, the best first, until one may be listed


@dataclass(frozen=True)
class Lister:
    """Turns what a search scored into entries of the front: equations that may be listed."""

    engine: Engine
    listing: Listing

    @classmethod
    def of(cls, engine: Engine, grammar: Grammar) -> Lister:
        """For a search on the engine's data with this grammar."""
        return cls(engine, Listing(grammar))

    @cached_property
    def _some(self) -> Audited:
        """Rows to estimate errors on."""
        return Audited.of(self.engine.dataset, self.engine.seed)

    def entry(self, expression: Expression, nrmse: float, scale: float, offset: float) -> FrontEntry | None:
        """The equation `scale * expression + offset` as it is listed; None if it may not be."""
        equation = self.listing.written(expression, scale, offset, self.engine.spread)
        return None if equation is None else FrontEntry(equation, nrmse)

    def entries(self, found: Found, rows: Iterable[int] | None = None) -> Iterator[FrontEntry]:
        """Those of the rows, or of all, that may be listed and have a finite error, in their order."""
        for row in range(len(found)) if rows is None else rows:
            if np.isfinite(found.nrmse[row]):
                measures = (float(column[row]) for column in (found.nrmse, found.scale, found.offset))
                entry = self.entry(found.batch[row], *measures)
                if entry is not None:
                    yield entry

    def merge(
        self, front: ParetoFront, found: Found, others: Iterable[Found] = (), deadline: Deadline = NEVER
    ) -> ParetoFront:
        """The front with the best of each size that was found, each without what it does not need.

        Equations are fitted without their offset, their scale or both, since forms such as `a * x / (b + x)`
        would otherwise lose to forms that only look as short. `others` are tried in this way alone.
        """
        front = self.enter(front, self._best_of_each_size(found))
        return self.enter(front, self._plain(front, (found, *others), deadline))

    def enter(self, front: ParetoFront, entries: Iterable[FrontEntry]) -> ParetoFront:
        """The front with these entries, simplified as far as that may be listed and stays finite."""
        shortened = (self._shortened(entry, front) for entry in entries)
        return front.with_entries(entry for entry in shortened if entry is not None)

    def _shortened(self, entry: FrontEntry, front: ParetoFront) -> FrontEntry | None:
        """The entry as it is listed; None if it is finite on every row in no writing.

        The same function can be finite in one writing only: exp(a - b) is where exp(a) * exp(-b) is not.
        """
        written = entry.expression
        for expression in dict.fromkeys((self.listing.shortened(written), written)):
            is_new = entry.nrmse < front.least_error(len(expression))
            if not is_new or self.engine.is_finite(expression):
                return replace(entry, expression=expression)
        return None

    def relisted(self, front: ParetoFront, baseline: ParetoFront) -> ParetoFront:
        """A front that an earlier version may have saved, without what may not be listed."""
        entries = self.relisted_entries(front.entries)
        return front if entries == front.entries else self.enter(baseline, entries)

    def relisted_entries(self, entries: Iterable[FrontEntry]) -> tuple[FrontEntry, ...]:
        """Those that may be listed, with the scale and offset of earlier versions written out."""
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
        """Fitted without offset, scale or both, where the front may have a place for that."""
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
        """The likeliest first: those whose error, before they are fitted, is lowest beside the front's."""
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
        """What has a scale or an offset and could be listed without; no plainer form has a smaller error."""
        for found in sources:
            sizes = found.batch.sizes
            is_plain = (found.scale == 1.0) & (found.offset == 0.0)
            bars = {size: front.least_error(int(size)) for size in np.unique(sizes) + 2}
            is_better = found.nrmse < (1.0 - LEAST_GAIN) * np.array([bars[size + 2] for size in sizes])
            of_use = np.isfinite(found.nrmse) & ~is_plain & is_better
            # of a batch most rows are bad
            best = (
                [rows[0] for rows in rows_by_size(found)] if isinstance(found, Scores) else range(len(found))
            )
            yield from ((found.batch[row], float(found.nrmse[row])) for row in best if of_use[row])


def _plain_fits(on_rows: Floats, target: Floats, weights: Floats) -> Iterator[tuple[float, float]]:
    """Scale and offset: the best scale alone, the best offset alone, and neither."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        scale = float(np.sum(weights * on_rows * target) / np.sum(weights * on_rows * on_rows))
        offset = float(np.average(target - on_rows, weights=weights))
    if np.isfinite(scale) and scale != 0.0:
        yield scale, 0.0
    if np.isfinite(offset):
        yield 1.0, offset
    yield 1.0, 0.0


def _n_tokens(scale: float, offset: float) -> int:
    """That a scale and an offset add to an expression, where it has none of its own."""
    return 2 * (scale != 1.0) + 2 * (offset != 0.0)


def _error(predicted: Floats, target: Floats, weights: Floats) -> float:
    """The root mean squared error."""
    with np.errstate(over="ignore"):
        return float(np.sqrt(np.average((target - predicted) ** 2, weights=weights)))
