"""Refits of models on all rows, and the measurements that the choice is based on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from ddsr.deadline import Deadline
from ddsr.engine import Engine, values
from ddsr.expression import Batch, Expression
from ddsr.price.description_length import FEW_ROWS, DescriptionLength
from ddsr.price.model import Model, with_fixed_exponents
from ddsr.price.rounding import SAME_FUNCTION, rounding_of
from ddsr.price.simple_numbers import is_exact, near
from ddsr.selection.canonical import canonical
from ddsr.selection.guards.domain import are_defined
from ddsr.selection.guards.extrapolation import nats_of_growth
from ddsr.selection.guards.leverage import nats_of_leverage
from ddsr.selection.guards.lone_rows import nats_of_lone_rows
from ddsr.selection.guards.outliers import outliers_of
from ddsr.selection.guards.poles import have_poles
from ddsr.selection.guards.rounding import depend_on_rounding
from ddsr.selection.guards.swings import Paths, swing
from ddsr.selection.judged import (
    LEAST_GAIN,
    IsAllowed,
    Judged,
    best_of_each,
    is_shorter,
    length_of,
    rank_of,
)
from ddsr.selection.moves.alternatives import alternatives, fixed_together, with_moved_constants
from ddsr.selection.moves.shared_factors import NatsLost
from ddsr.selection.notation import as_roots, with_phases_in_a_turn
from ddsr.selection.rational.forms import rational_forms
from ddsr.selection.samples import Samples

WORK_A_CALL = 25_000_000  # rows × steps × models between checks of the clock: tenths of a second
STEPS_OF_AN_AUDIT = 50  # cost of the checks for poles and leverages, in steps of a fit
ROUND_STEPS, ROUND_TOLERANCE = 25, 1e-10  # limits of fits that decide on a move
MOST_FORMS = 12  # ratios of polynomials that are tried per model
MOST_ROWS_COMPARED = 1000  # rows on which two notations are compared
N_ALWAYS_TIDIED = 3  # number of the best models to simplify even after the deadline
# Limits within which a simple number is likely meant, in standard errors and in nats.
LIKELY_ERRORS, MOST_NATS_OF_LIKELY = 2.5, 8.0
TOLERATED = 0.2  # error on a left-out row that is accepted in small tables, in spreads of y
SMALLEST = 1e-300  # least standard error, for constants whose smallest change changes everything

NO_LIMITS: Mapping[object, float] = {}


class Judge:
    """Refits and measures models until the deadline."""

    def __init__(
        self,
        engine: Engine,
        deadline: float,
        is_allowed: IsAllowed | None,
        samples: Samples | None = None,
    ) -> None:
        self.engine, self.deadline, self.is_allowed = engine, deadline, is_allowed
        self.samples = samples or Samples(engine)
        self.length = DescriptionLength.on(engine)
        self.has_few_rows = engine.n_rows <= FEW_ROWS
        self.given: set[tuple[int, ...]] = set()
        self.signs = engine.positive_variables, engine.nonnegative_variables
        self.least_nrmse = rounding_of(engine)
        self._known_paths: dict[frozenset[str], Paths] = {}

    @property
    def is_late(self) -> bool:
        """Whether the deadline has passed."""
        return time.monotonic() >= self.deadline

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - time.monotonic()

    @contextmanager
    def hurried(self, share: float) -> Iterator[None]:
        """Limit the block to this share of the time left; restore the deadline afterwards."""
        deadline, now = self.deadline, time.monotonic()
        self.deadline = now + share * (deadline - now)
        try:
            yield
        finally:
            self.deadline = deadline

    def written(self, models: Sequence[Model]) -> list[Model]:
        """Return the models in canonical notation, without duplicates."""
        return distinct(self._each_written(models))

    def _each_written(self, models: Sequence[Model]) -> list[Model]:
        written = [
            other if self._allows(other) else model
            for model, other in zip(models, canonical(models), strict=True)
        ]
        if not models or len(self.signs[1]) == len(self.engine.vocabulary.variables):
            return written
        # roots of products cannot be split if the factors may be negative
        pairs = zip(models, written, self._are_same(models, written), strict=True)
        return [other if is_same else model for model, other, is_same in pairs]

    def _are_same(self, models: Sequence[Model], others: Sequence[Model]) -> list[bool]:
        """Return whether each pair of models has the same values on the rows, or on a sample of many rows."""
        some = self.engine.rows[:: 1 + self.engine.n_rows // MOST_ROWS_COMPARED]
        first, second = (
            values(Batch.of(model.expression for model in each), some, self.engine.n_threads)[0]
            for each in (models, others)
        )
        least = SAME_FUNCTION * self.engine.spread
        with np.errstate(all="ignore"):
            are_near = np.isclose(first, second, rtol=SAME_FUNCTION, atol=least, equal_nan=True)
        return [bool(each) for each in np.all(are_near, axis=1).tolist()]

    def start(self, models: Sequence[Model]) -> list[Judged]:
        """Return each candidate as given or refitted, whichever is shorter."""
        self.given = {model.expression.tokens for model in models}
        # two starts from one form may end at different constants
        models = self._each_written(with_fixed_exponents(models, self.engine))
        given = sorted(self._audited(self._measure(models, max_steps=0)), key=length_of)
        refitted = self.measure([one.model for one in given], 100, 1e-14)
        # Compare lengths only: constants that were never fitted must not win by being finite.
        return best_of_each(best_of_each(given + refitted, key=length_of))

    def measure(
        self,
        models: Sequence[Model],
        max_steps: int,
        tolerance: float,
        longest: Mapping[object, float] = NO_LIMITS,
    ) -> list[Judged]:
        """Refit the allowed models until the deadline, and drop those without a finite error.

        Models longer than `longest` allows for their key are not audited: the audit only adds to the length.
        """
        judged: list[Judged] = []
        models = [model for model in models if self._allows(model)]
        work_each = self.engine.n_rows * max_steps + len(self.samples.audited.rows) * STEPS_OF_AN_AUDIT
        n_at_once = max(1, WORK_A_CALL // work_each)
        for begin in range(0, len(models), n_at_once):
            if self.is_late:
                break
            measured = self._measure(models[begin : begin + n_at_once], max_steps, tolerance)
            judged += self._audited(
                [one for one in measured if one.length <= longest.get(one.model.key, inf)]
            )
            judged += [one for one in measured if one.length > longest.get(one.model.key, inf)]
        return judged

    def _allows(self, model: Model) -> bool:
        # a scale or offset may break a rule that the expression inside obeys, so given models are allowed
        expression = model.expression
        return self.is_allowed is None or expression.tokens in self.given or self.is_allowed(expression)

    def _measure(self, models: Sequence[Model], max_steps: int, tolerance: float = 0.0) -> list[Judged]:
        """Refit models without auditing them."""
        if not models:
            return []
        models = with_fixed_exponents(models, self.engine)
        batch = Batch.of(model.expression for model in models)
        is_fixed = ~batch.mask(model.is_free for model in models)
        scores = self.engine.refit(
            batch, is_fixed, max_steps=max_steps, tolerance=tolerance, deadline=Deadline(self.deadline)
        )
        assert scores.information is not None  # a refit always has it
        fitted_expressions = list(scores.batch)
        is_finite = are_defined(fitted_expressions, self.samples)
        outliers = outliers_of(fitted_expressions, self.samples, self.least_nrmse)
        judged = []
        for row, model in enumerate(models):
            if np.isfinite(scores.nrmse[row]):
                fitted = Model(scores.batch[row], model.is_fixed)
                nrmse, information = float(scores.nrmse[row]), scores.information[row]
                length = self.length(fitted, nrmse, information) - outliers[row].saved
                measured = fitted, nrmse, length, information, bool(is_finite[row]), self.engine.n_counted
                judged.append(Judged(*measured, outliers[row]))
        return judged

    def _audited(self, judged: Sequence[Judged]) -> list[Judged]:
        """Add the expected cost of unseen rows to each length, and check for poles and swings."""
        models = [one.model for one in judged]
        tolerated = TOLERATED * self.engine.spread if self.has_few_rows else 0.0
        # guards check only rows to which the law applies
        unseen = nats_of_leverage(models, self.samples, [one.outliers.rows for one in judged], tolerated)
        unseen += nats_of_growth(models, self._mean_squares(judged), self.samples)
        expressions = [model.expression for model in models]
        has_pole = have_poles(expressions, self._rows_without_poles, self.engine.n_threads)
        swings = np.zeros(len(models), dtype=bool)
        if self.has_few_rows:  # in large tables, neighbouring rows are near
            swings = swing(expressions, self._paths(expressions), self.engine.n_threads)
        swings = swings | depend_on_rounding(expressions, self.engine)
        return [
            replace(
                one,
                length=one.length + (float(nats) if one.nrmse > self.least_nrmse else self._lone(one)),
                is_finite_between_rows=one.is_finite_between_rows and not (is_infinite or is_swinging),
                is_audited=True,
                swings=bool(is_swinging),
            )
            for one, nats, is_infinite, is_swinging in zip(judged, unseen, has_pole, swings, strict=True)
        ]

    @cached_property
    def _rows_without_poles(self) -> NDArray[np.float64]:
        """Rows among which there may be no pole: those of the data, and where equations must be 0."""
        rows, limits = self.samples.audited.rows, self.engine.limits
        return rows if limits is None else np.vstack([rows, limits.zero_points()])

    def _paths(self, expressions: Sequence[Expression]) -> Paths:
        """Return the paths along the columns that these expressions use; there may be thousands of others."""
        used = frozenset(name for expression in expressions for name in expression.variables_used)
        if used not in self._known_paths:
            names = self.engine.vocabulary.variables
            columns = (column for column, name in enumerate(names) if name in used)
            self._known_paths[used] = Paths.among(self.engine.rows, columns)
        return self._known_paths[used]

    def _lone(self, one: Judged) -> float:
        # exact fits have no leverage to check, but their constants may fit single rows
        return nats_of_lone_rows(one.model, self.samples, self.least_nrmse)

    def _mean_squares(self, judged: Sequence[Judged]) -> NDArray[np.float64]:
        """Return the mean square of the residuals of each model, without its outliers."""
        errors = np.array([one.nrmse * np.sqrt(one.outliers.share_left) for one in judged])
        with np.errstate(over="ignore"):  # for huge errors
            return np.asarray((np.maximum(errors, self.least_nrmse) * self.engine.spread) ** 2)

    def alternatives(self, one: Judged) -> list[Model]:
        """Return the models one move away that the data allow; none after the deadline."""
        if self.is_late:
            return []
        others = alternatives(one.model, self._nats_lost(one))
        return [model for model in self.written(list(others)) if model.key != one.model.key]

    def with_moved_constants(self, one: Judged) -> list[Model]:
        """Return the models in which a fitted constant becomes a simple number in another place.

        Rounded constants are fitted again first: 9.87 does not show that it is the square of pi.
        """
        if self.is_late:
            return []
        freed = self._measure(list(one.model.freed()), ROUND_STEPS, ROUND_TOLERANCE)
        moved = distinct(
            moved
            for start in (one, *freed)
            if start.model.free_constants
            for moved in with_moved_constants(start.model, self._nats_lost(start))
        )
        return self.written(moved)

    def _nats_lost(self, one: Judged) -> NatsLost:
        errors: list[float] = self._standard_error(one).tolist()
        fitted = one.model.expression.constants

        def nats_lost(constant: int, value: float) -> float:
            if value == fitted[constant]:
                return 0.0
            n_errors = abs(value - fitted[constant]) / max(errors[constant], SMALLEST)
            return 0.5 * n_errors * n_errors  # the operator ** would raise an error on overflow

        return nats_lost

    def fixed_together(self, models: Sequence[Judged]) -> dict[object, Judged]:
        """Return, by key, the models that are shorter with all likely constants fixed at once.

        One fit per candidate shows which candidates are worth the rounds of moves.
        """
        fixed: dict[object, Model | None] = {}
        for one in sorted(models, key=rank_of):  # best first, in case time runs out
            if self.is_late:
                break
            together = fixed_together(one.model, self._likely_number(one))
            fixed[one.model.key] = self.written([together])[0] if together else None
        new = distinct(model for model in fixed.values() if model is not None)
        found = {one.model.key: one for one in self.measure(new, ROUND_STEPS, ROUND_TOLERANCE)}
        shorter: dict[object, Judged] = {}
        for one in models:
            model = fixed.get(one.model.key)
            other = None if model is None else found.get(model.key)
            if other is not None and is_shorter(other, one):
                shorter[one.model.key] = other
        return shorter

    def _likely_number(self, one: Judged) -> Callable[[int, float], float | None]:
        reach = LIKELY_ERRORS * self._standard_error(one)

        def choose(constant: int, value: float) -> float | None:
            if abs(value) <= reach[constant]:
                return 0.0
            numbers = (number.value for number in near(value) if number.nats < MOST_NATS_OF_LIKELY)
            return next((number for number in numbers if abs(number - value) <= reach[constant]), None)

        return choose

    def _standard_error(self, one: Judged) -> NDArray[np.float64]:
        error = max(one.nrmse, self.least_nrmse) * self.engine.spread / np.sqrt(self.engine.n_counted)
        return np.asarray(error * one.unit_uncertainty)

    def simplest(self, expression: Expression) -> Expression:
        """Return the expression simplified, with roots for functions of inverse functions."""
        simpler = as_roots(expression.simplified(*self.signs), *self.signs)
        return with_phases_in_a_turn(simpler)  # smaller phases may be simple numbers

    def tidied(self, models: list[Judged]) -> list[Judged]:
        """Return each model in its simplest form, unless that is longer.

        The best few are always simplified, the others if there is time: it takes hundredths of a second.
        """
        ranked = sorted(models, key=rank_of)
        some = ranked[:N_ALWAYS_TIDIED] if self.is_late else ranked
        simplest = [rewritten_as(one.model, self.simplest(one.model.expression)) for one in some]
        tidy = dict(zip((one.model.key for one in some), self._each_written(simplest), strict=True))
        changed = distinct(model for key, model in tidy.items() if model.key != key and self._allows(model))
        found = {one.model.key: one for one in self._audited(self._measure(changed, max_steps=0))}
        ended = []
        for one in ranked:
            other = found.get(tidy[one.model.key].key) if one.model.key in tidy else None
            ended.append(one if other is None or not self._is_as_good(other, one) else other)
        return ended

    def _is_as_good(self, other: Judged, one: Judged) -> bool:
        """Return whether a model with the same values up to rounding is not longer than another."""
        is_as_near = max(other.nrmse, self.least_nrmse) <= (1.0 + SAME_FUNCTION) * max(
            one.nrmse, self.least_nrmse
        )
        is_as_finite = other.is_finite_between_rows >= one.is_finite_between_rows
        return is_as_near and is_as_finite and other.length <= one.length + LEAST_GAIN

    def rational_forms(self, one: Judged) -> list[Judged]:
        """Return the shortest equivalent ratios of polynomials, while there is time."""
        forms: list[Expression] = []
        for form in rational_forms(
            one.model.expression, self.engine.positive_variables, lambda: self.seconds_left
        ):
            if self.is_late or len(forms) == MOST_FORMS:
                break
            forms.append(form)
        models = self.written(distinct(rewritten_as(one.model, form) for form in forms))
        return self.measure(models, ROUND_STEPS, ROUND_TOLERANCE)

    def length_of_data(self, one: Judged) -> float:
        """Return the nats of the residuals alone."""
        return float(self.engine.n_counted * np.log(max(one.nrmse, self.least_nrmse)))

    def polish(self, models: list[Judged]) -> list[Judged]:
        """Fit the free constants to convergence."""
        polished = self.measure([one.model for one in models], 100, 1e-14)
        better = {one.model.key: one for one in polished}
        return [min(one, better.get(one.model.key, one), key=rank_of) for one in models]


def rewritten_as(model: Model, expression: Expression) -> Model:
    """Return the expression as a model in which constants that come from fixed ones are fixed."""
    fixed, has_free = model.fixed_constants, bool(model.free_constants)
    is_fixed = (not has_free or value in fixed or is_exact(value) for value in expression.constants)
    return Model(expression, tuple(is_fixed))


def distinct(models: Iterable[Model]) -> list[Model]:
    """Return the models without duplicates."""
    return list({model.key: model for model in models}.values())
