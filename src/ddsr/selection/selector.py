"""The final choice: the best candidates made shorter as long as their description length falls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import Engine, values
from ddsr.errors import ExpressionError
from ddsr.expression import OPERATORS, Batch, Expression, Vocabulary
from ddsr.selection.description import DescriptionLength, PreciseLength
from ddsr.selection.front import FrontEntry, ParetoFront
from ddsr.selection.model import Model
from ddsr.selection.moves import alternatives, settled_together
from ddsr.selection.rational import rational_forms
from ddsr.selection.simple_numbers import is_exact, near
from ddsr.selection.spelling import spelled, with_exponentials

WORK_A_CALL = 25_000_000  # rows × steps × models after which the clock is looked at: tenths of a second
ROUND_STEPS, ROUND_TOLERANCE = 25, 1e-10  # of a fit that decides on a move
# The move that shortens most is not always the one that leads to the shortest. A model whose error alone
# outweighs the whole of another is followed all the same, so that it reads well, but on one way only.
BEAM_WIDTH = 3
N_AT_ONCE = 3
N_RATIONAL, MOST_FORMS = 3, 12  # models that are written as ratios of polynomials, and forms tried of each
# Two writings of one function that differ by less than a small whole number: the plainer one is taken.
NATS_FOR_PLAINNESS = 4.0
ROUNDING_OF_ERROR = 1e-9  # relative: errors so near are the same
# On a few rows a constant may cost more to write than it explains; still nobody wants 1 for the mean of y.
MOST_NRMSE = 1.05
LEAST_GAIN = 1e-6  # nats; less is rounding
# A simple number is tried for a constant unless it would cost more of the data than any code can win back.
MOST_NATS_LOST = 40.0
# Standard errors within which a simple number is likely meant, and the nats of one simple enough for it.
LIKELY_ERRORS, MOST_NATS_OF_LIKELY = 2.5, 8.0


IsAllowed = Callable[[Expression], bool]


@dataclass(frozen=True)
class Selected:
    """A candidate with what became of it."""

    expression: Expression
    is_free: tuple[bool, ...]
    """for each constant, breadth-first: fitted to the data, not settled at a simple number"""
    nrmse: float
    description_length: float
    """nats, up to a term that all candidates share"""
    is_finite_between_rows: bool = True
    """finite, too, where the columns of X are shuffled: each in its range, in other company"""


@dataclass(frozen=True)
class _Judged:
    model: Model
    nrmse: float
    length: float
    information: NDArray[np.float64]
    is_finite_between_rows: bool
    n_rows: int

    @property
    def rank(self) -> float:
        """Less is better: what is undefined between the rows has to halve the error to win."""
        return self.length + (0.0 if self.is_finite_between_rows else self.n_rows * log(2.0))

    @property
    def unit_uncertainty(self) -> NDArray[np.float64]:
        """Standard error of each constant, the others fitted too, per one of the mean residual."""
        n_constants = len(self.model.is_fixed)
        information = self.information[:n_constants, :n_constants]
        slope = np.sqrt(np.diagonal(information))
        is_steep = ~np.isfinite(slope)  # the least change of such a constant changes everything
        scale = np.where(is_steep | (slope <= 0.0), 1.0, slope)
        correlation = np.where(is_steep | is_steep[:, None], 0.0, information) / scale / scale[:, None]
        variance = np.diagonal(np.linalg.pinv(correlation, rcond=1e-12, hermitian=True))
        return np.where(is_steep, 0.0, np.sqrt(np.maximum(variance, 0.0)) / scale)

    def selected(self, is_allowed: IsAllowed | None) -> Selected:
        model = spelled(self.model, is_allowed)
        is_free = tuple(not is_fixed for is_fixed in model.is_fixed)
        return Selected(model.expression, is_free, self.nrmse, self.length, self.is_finite_between_rows)


def select(
    candidates: Iterable[Expression],
    engine: Engine,
    n_shortest: int = 8,
    n_most_accurate: int = 3,
    *,
    length: DescriptionLength | None = None,
    deadline: float = inf,
    is_allowed: IsAllowed | None = None,
) -> tuple[Selected, ...]:
    """The candidates by rising description length, the first being the choice.

    Those that are not finite on `Engine.shuffled_rows` have to halve the error of those that are.

    All are refitted on all rows. The `n_shortest` of least description length and the `n_most_accurate` are
    made shorter for as long as that falls: constants are settled at simple numbers, terms and factors are
    left out, and the best are cancelled as ratios of polynomials. No candidate ends with a longer description
    than it began with. `deadline` is on the monotonic clock: what is known by then is returned. Nothing that
    `is_allowed` refuses is made of a candidate.
    """
    judge = _Judge(engine, length or PreciseLength.on(engine), deadline, is_allowed)
    models = [Model.free(expression) for expression in _in_one_vocabulary(candidates, engine)]
    judged = judge.start(models)
    if not judged:
        raise ExpressionError("no candidate has a finite value on every row: there is nothing to select")
    settled = judge.settled_together(judged)
    ranked = sorted(judged, key=lambda one: _rank(settled.get(one.model.key) or one))
    first, others = _different(ranked, n_shortest)
    by_error = sorted(others, key=lambda one: max(one.nrmse, judge.least_nrmse))
    given, rest = first + by_error[:n_most_accurate], by_error[n_most_accurate:]
    chosen: list[_Judged] = []
    for begin in range(0, len(given), N_AT_ONCE):  # the likeliest first: there may be no time for the others
        chosen += _shorten_both(given[begin : begin + N_AT_ONCE], settled, judge)
    chosen = _cancelled(chosen, judge)
    chosen = judge.polish(_with_settled_rates(chosen, judge))
    ranked = sorted(_best_of_each(chosen + rest), key=_rank)
    return tuple(one.selected(is_allowed) for one in ranked)


def front_of(found: Sequence[Selected]) -> tuple[ParetoFront, FrontEntry]:
    """What was selected as a Pareto front, and the choice: it is on it even if a smaller one errs less."""
    entries = [
        FrontEntry(one.expression, one.nrmse, 1.0, 0.0, one.is_free, one.description_length) for one in found
    ]
    chosen, least_error, front = entries[0], inf, []
    for entry in sorted(entries, key=lambda each: (each.size, each.nrmse)):
        # the choice in another writing differs from it by rounding
        is_twin = entry.size == chosen.size and entry.nrmse >= (1.0 - ROUNDING_OF_ERROR) * chosen.nrmse
        if entry is chosen or (entry.nrmse < least_error and not is_twin):
            front.append(entry)
            least_error = min(least_error, entry.nrmse)
    return ParetoFront(tuple(front)), chosen


class _Judge:
    """Refits and measures models, as long as there is time."""

    def __init__(
        self, engine: Engine, length: DescriptionLength, deadline: float, is_allowed: IsAllowed | None
    ) -> None:
        self.engine, self.length, self.deadline, self.is_allowed = engine, length, deadline, is_allowed
        self.given: set[tuple[int, ...]] = set()
        self.signs = engine.positive_variables, engine.nonnegative_variables
        self.least_nrmse = PreciseLength.on(engine).least_nrmse

    @property
    def is_late(self) -> bool:
        return time.monotonic() >= self.deadline

    def start(self, models: Sequence[Model]) -> list[_Judged]:
        """Each candidate as it is, refitted, or simplified after that: whichever is shortest."""
        self.given = {model.expression.tokens for model in models}
        given = self._measure(models, max_steps=0)
        refitted = self.measure([one.model for one in given], 100, 1e-14)
        # by length alone: constants that nobody has fitted yet do not win by being finite
        fitted = _best_of_each(given + refitted, key=_length)
        # not before the fit: a constant that is still to be fitted is no 1 to be left out
        simpler = [Model.free(one.model.expression.simplified(*self.signs)) for one in fitted]
        changed = [other for one, other in zip(fitted, simpler, strict=True) if other.key != one.model.key]
        found = {one.model.key: one for one in _best_of_each(self.measure(changed, 100, 1e-14))}
        return _best_of_each(
            min(one, found.get(other.key, one), key=_rank) for one, other in zip(fitted, simpler, strict=True)
        )

    def measure(self, models: Sequence[Model], max_steps: int, tolerance: float) -> list[_Judged]:
        """Refit what there is time for and is allowed; what is not finite is left out."""
        judged: list[_Judged] = []
        if self.is_allowed is not None:
            models = [model for model in models if self._may_be(model.expression, self.is_allowed)]
        n_at_once = max(1, WORK_A_CALL // (self.engine.n_rows * max_steps))
        for begin in range(0, len(models), n_at_once):
            if self.is_late:
                break
            judged += self._measure(models[begin : begin + n_at_once], max_steps, tolerance)
        return judged

    def _may_be(self, expression: Expression, is_allowed: IsAllowed) -> bool:
        # a scale and an offset may break a rule that the expression inside obeys: it is as it was found
        return expression.tokens in self.given or is_allowed(expression)

    def _measure(self, models: Sequence[Model], max_steps: int, tolerance: float = 0.0) -> list[_Judged]:
        if not models:
            return []
        batch = Batch.of(model.expression for model in models)
        is_fixed = np.ones(batch.constants.shape, dtype=bool)
        for row, model in enumerate(models):
            is_fixed[row, : len(model.is_fixed)] = model.is_fixed
        scores = self.engine.refit(batch, is_fixed, max_steps=max_steps, tolerance=tolerance)
        assert scores.information is not None  # a refit always has it
        _, is_finite = values(scores.batch, self.engine.shuffled_rows, self.engine.n_threads)
        judged = []
        for row, model in enumerate(models):
            if np.isfinite(scores.nrmse[row]):
                fitted = Model(scores.batch[row], model.is_fixed)
                nrmse, information = float(scores.nrmse[row]), scores.information[row]
                length = self.length(fitted, nrmse, information)
                judged.append(
                    _Judged(fitted, nrmse, length, information, bool(is_finite[row]), self.engine.n_counted)
                )
        return judged

    def alternatives(self, one: _Judged) -> list[Model]:
        """The models one move away, without those whose constant the data refuse; none after the end."""
        if self.is_late:
            return []
        reach = self._standard_error(one) * np.sqrt(2 * MOST_NATS_LOST)
        values = one.model.expression.constants

        def is_plausible(constant: int, value: float) -> bool:
            return value in (0.0, 1.0, -1.0) or bool(abs(value - values[constant]) <= reach[constant])

        simpler = self.simplified(one.model)
        return [*alternatives(one.model, is_plausible), *([] if simpler.key == one.model.key else [simpler])]

    def settled_together(self, models: Sequence[_Judged]) -> dict[object, _Judged]:
        """By key, those shorter with all constants settled at once that could well be simple numbers.

        One fit tells which of many candidates are worth the rounds of moves.
        """
        settled = {one.model.key: settled_together(one.model, self._likely_number(one)) for one in models}
        new = _distinct(model for model in settled.values() if model is not None)
        found = {one.model.key: one for one in self.measure(new, ROUND_STEPS, ROUND_TOLERANCE)}
        shorter: dict[object, _Judged] = {}
        for one in models:
            model = settled[one.model.key]
            other = None if model is None else found.get(model.key)
            if other is not None and _is_shorter(other, one):
                shorter[one.model.key] = other
        return shorter

    def _likely_number(self, one: _Judged) -> Callable[[int, float], float | None]:
        reach = LIKELY_ERRORS * self._standard_error(one)

        def choose(constant: int, value: float) -> float | None:
            if abs(value) <= reach[constant]:
                return 0.0
            numbers = (number.value for number in near(value) if number.nats < MOST_NATS_OF_LIKELY)
            return next((number for number in numbers if abs(number - value) <= reach[constant]), None)

        return choose

    def _standard_error(self, one: _Judged) -> NDArray[np.float64]:
        error = max(one.nrmse, self.least_nrmse) * self.engine.spread / np.sqrt(self.engine.n_counted)
        return np.asarray(error * one.unit_uncertainty)

    def simplified(self, model: Model) -> Model:
        """What settled constants make of it: with exponents of 1.5 instead of 1.498 powers may cancel."""
        return _rewritten_as(model, model.expression.simplified(*self.signs))

    def rational_forms(self, one: _Judged) -> list[_Judged]:
        """The shortest of the same values as ratios of polynomials, as far as there is time."""
        forms: list[Expression] = []
        for form in rational_forms(one.model.expression, self.engine.positive_variables):
            if self.is_late or len(forms) == MOST_FORMS:
                break
            forms.append(form)
        models = _distinct(_rewritten_as(one.model, form) for form in forms)
        return self.measure(models, ROUND_STEPS, ROUND_TOLERANCE)

    def length_of_data(self, one: _Judged) -> float:
        """Nats that the error alone takes."""
        return float(self.engine.n_counted * np.log(max(one.nrmse, self.least_nrmse)))

    def polish(self, models: list[_Judged]) -> list[_Judged]:
        """Fit what is free to convergence."""
        polished = self.measure([one.model for one in models], 100, 1e-14)
        better = {one.model.key: one for one in polished}
        return [min(one, better.get(one.model.key, one), key=_rank) for one in models]


def _shorten(models: list[_Judged], judge: _Judge) -> list[_Judged]:
    """Each model in rounds: the few moves that shorten it most are taken, each alone, until none does."""
    best = list(models)
    beams = [[one] for one in models]
    known_already: dict[object, _Judged | None] = {}
    while any(beams) and not judge.is_late:
        moves = [[(one, other) for one in beam for other in judge.alternatives(one)] for beam in beams]
        new = _distinct(other for beam in moves for _, other in beam if other.key not in known_already)
        found = {one.model.key: one for one in judge.measure(new, ROUND_STEPS, ROUND_TOLERANCE)}
        known_already |= {model.key: found.get(model.key) for model in new}
        for lineage, beam in enumerate(moves):
            shorter = []
            for one, other in beam:
                judged = known_already.get(other.key)
                if judged is not None and _is_shorter(judged, one):
                    shorter.append(judged)
            beams[lineage] = sorted(_best_of_each(shorter), key=_rank)
            best[lineage] = min([best[lineage], *beams[lineage]], key=_rank)
        shortest = min((one.length for one in best), default=inf)
        for lineage, one in enumerate(best):
            width = 1 if judge.length_of_data(one) > shortest else BEAM_WIDTH
            beams[lineage] = beams[lineage][:width]
    return best


def _shorten_both(models: list[_Judged], settled: dict[object, _Judged], judge: _Judge) -> list[_Judged]:
    """Each from where it is and from its settled form, if it has one: whichever ends shorter."""
    partners = [settled.get(one.model.key) for one in models]
    shortened = iter(_shorten(models + [one for one in partners if one is not None], judge))
    from_here = [next(shortened) for _ in models]
    return [
        one if partner is None else min(one, next(shortened), key=_rank)
        for one, partner in zip(from_here, partners, strict=True)
    ]


def _different(ranked: Sequence[_Judged], n: int) -> tuple[list[_Judged], list[_Judged]]:
    """The first `n` that are different functions, and the others; equal errors belong to one function."""
    first: list[_Judged] = []
    others: list[_Judged] = []
    for one in ranked:
        is_known = any(abs(one.nrmse - known.nrmse) <= ROUNDING_OF_ERROR * known.nrmse for known in first)
        (others if is_known or len(first) == n else first).append(one)
    return first, others


def _cancelled(models: list[_Judged], judge: _Judge) -> list[_Judged]:
    """The best few in the shortest of their rational forms; of equally short ones, the plainest."""
    ranked = sorted(models, key=_rank)
    for place, one in enumerate(ranked[:N_RATIONAL]):
        if judge.is_late:
            break
        forms = [one, *judge.rational_forms(one)]
        forms = [form for form in forms if form.is_finite_between_rows >= one.is_finite_between_rows]
        most = min(form.length for form in forms) + NATS_FOR_PLAINNESS
        tied = [form for form in forms if form.length <= most]
        ranked[place] = min(tied, key=lambda form: _plainness(form.model.expression))
    return ranked


def _with_settled_rates(models: list[_Judged], judge: _Judge) -> list[_Judged]:
    """Those with a fitted base c^f as exp(k * f), which is how they are shown, with k settled if that pays.

    As with all that is a matter of writing, the description length stays that of the model as it was.
    """
    rewritten = {one.model.key: with_exponentials(one.model) for one in models}
    changed = [model for key, model in rewritten.items() if model.key != key]
    begun = judge.measure(changed, ROUND_STEPS, ROUND_TOLERANCE)
    ended = zip(begun, _shorten(begun, judge), strict=True)
    found = {one.model.key: end for one, end in ended}
    settled = []
    for one in models:
        end = found.get(rewritten[one.model.key].key, one)
        is_as_finite = end.is_finite_between_rows >= one.is_finite_between_rows
        settled.append(replace(end, length=min(one.length, end.length)) if is_as_finite else one)
    return settled


def _plainness(expression: Expression) -> tuple[int, int, int]:
    """Less reads better: places where a variable stands, nodes of the SymPy form, then divisions."""
    vocabulary = expression.vocabulary
    n_places = sum(token >= vocabulary.first_variable for token in expression.tokens)
    n_divisions = sum(vocabulary.names[token] == "div" for token in expression.tokens)
    return n_places, expression.complexity(), n_divisions


def _rank(one: _Judged) -> float:
    return one.rank


def _length(one: _Judged) -> float:
    return one.length


def _is_shorter(one: _Judged, other: _Judged) -> bool:
    """Whether it is shorter, no less defined between the rows, and no model that the mean of y beats."""
    is_as_finite = one.is_finite_between_rows >= other.is_finite_between_rows
    is_of_use = one.nrmse <= max(MOST_NRMSE, other.nrmse)
    return is_as_finite and is_of_use and one.length < other.length - LEAST_GAIN


def _best_of_each(models: Iterable[_Judged], key: Callable[[_Judged], Any] = _rank) -> list[_Judged]:
    """Of those that differ by their free constants alone, the best one."""
    best: dict[object, _Judged] = {}
    for one in models:
        known = best.setdefault(one.model.key, one)
        if key(one) < key(known):
            best[one.model.key] = one
    return list(best.values())


def _rewritten_as(model: Model, expression: Expression) -> Model:
    """The expression with those constants settled that come from settled ones."""
    settled, has_free = model.fixed_constants, bool(model.free_constants)
    is_fixed = (not has_free or value in settled or is_exact(value) for value in expression.constants)
    return Model(expression, tuple(is_fixed))


def _distinct(models: Iterable[Model]) -> list[Model]:
    return list({model.key: model for model in models}.values())


def _in_one_vocabulary(candidates: Iterable[Expression], engine: Engine) -> list[Expression]:
    """The candidates over a vocabulary that has all their operators: scales and offsets may need more."""
    listed = list(candidates)
    if not listed:
        raise ExpressionError("give at least one candidate to select from")
    vocabularies = [engine.vocabulary, *(expression.vocabulary for expression in listed)]
    used = {name for vocabulary in vocabularies for name in vocabulary.operators}
    common = Vocabulary(
        engine.vocabulary.variables,
        [name for name in OPERATORS if name in used],
        has_one=any(vocabulary.has_one for vocabulary in vocabularies),
        has_constant=any(vocabulary.has_constant for vocabulary in vocabularies),
    )
    return [Expression.from_tree(common, expression.tree) for expression in listed]
