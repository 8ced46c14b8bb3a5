"""Probabilities of the forms given the data, from their description lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, isclose, isfinite, sqrt

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.engine import Engine, values
from ddsr.expression import Expression, Kind, Node
from ddsr.price.rounding import SAME_FUNCTION
from ddsr.price.structure_code import describe
from ddsr.search.front import FrontEntry, measured_information
from ddsr.selection.judged import Selected
from ddsr.selection.parting import Noise, Parting, parting

# Factor that turns description lengths into -log probabilities. It could differ from 1, since the lengths are
# not exact: the code is learned, and constants are priced one by one.
SHARPNESS = 1.0
MOST_FORMS = 20
LEAST_WEIGHT = 1e-4
# Maximum number of forms to refit for comparison, of rows for these fits, and of their steps.
MOST_COMPARED, MOST_ROWS_COMPARED, STEPS_TO_COMPARE = 40, 1000, 50
SAME_FIT, SAME_VALUES = 1e-5, 1e-2  # relative errors, and differences as a share of the error
LEAST_ERROR = 1e-9  # NRMSE; smaller errors differ between notations
LARGEST_EXPONENT = 6.0  # largest whole exponent that belongs to the form


@dataclass(frozen=True, eq=False)
class Form:
    """A form that explains the data, with its constants."""

    entry: FrontEntry
    weight: float
    """share of the probability of all measured forms"""
    information: Floats | None
    """`Scores.information` of all constants, fixed ones too; None if not measured"""
    parting: Parting | None = None
    """where it differs from the chosen form; None for the chosen one and if not searched"""

    @property
    def is_measured(self) -> tuple[bool, ...]:
        """Whether each constant was measured, even if it was later fixed at a simple number."""
        return tuple(not is_part for is_part in structural_constants(self.entry.equation))

    def n_degrees(self, n_observed: int) -> int:
        """Return the degrees of freedom of the residuals, at least 1."""
        return max(n_observed - sum(self.is_measured), 1)

    def error(self, spread: float, n_observed: int) -> float:
        """Return the standard deviation of the residuals."""
        return self.entry.nrmse * spread * sqrt(n_observed / self.n_degrees(n_observed))


def forms_of(found: Sequence[Selected], engine: Engine, noise: str = "constant") -> tuple[Form, ...]:
    """Return the likeliest forms, best first; equations that differ only in their constants are one form.

    The first of `found` is the chosen one. `noise` is the kind of error, see `Problem`.
    """
    kept = _distinct(found)
    if not kept:
        return ()
    least = kept[0].description_length
    chances = {one: exp(-SHARPNESS * (one.description_length - least)) for one in kept}
    likely = [one for one in kept if chances[one] >= LEAST_WEIGHT * sum(chances.values())]
    shown = _families(likely[:MOST_COMPARED], found[0], engine)
    others = [one for one in kept if one not in likely[:MOST_COMPARED]]
    whole = sum(chances[one] for one in (*shown, *others))
    forms = []
    for one, written in list(shown.items())[:MOST_FORMS]:
        information = measured_information(written.expression, engine)
        forms.append(Form(written.entry, chances[one] / whole, information))
    return _with_partings(forms, found[0], engine, noise)


def _distinct(found: Sequence[Selected]) -> list[Selected]:
    """Return the shortest equation of each form, shortest first; forms differ in structure and error."""
    best: dict[object, Selected] = {}
    errors: list[float] = []
    for one in sorted(found, key=lambda each: each.description_length):
        is_known = any(isclose(one.nrmse, error, rel_tol=SAME_FUNCTION) for error in errors)
        if one.is_finite_between_rows and not is_known:
            best.setdefault(form_key(one.expression), one)
            errors.append(one.nrmse)
    return list(best.values())


def _families(candidates: Sequence[Selected], choice: Selected, engine: Engine) -> dict[Selected, Selected]:
    """Drop equations that become an earlier one once all their constants are fitted.

    So `7.5 / (1 + 2 / x)` has the form of `7.4 * x / (1.9 + x)`, although its notation differs and one of its
    constants was fixed. Values are the equations to show: the choice itself, if it has that form.
    """
    families: dict[Selected, Selected] = {}
    fits: dict[Selected, tuple[float, Floats]] = {}
    for one in candidates:
        fit = _fitted_freely(one.expression, engine) if engine.n_rows <= MOST_ROWS_COMPARED else None
        twin = None if fit is None else next((each for each in fits if _is_same(fits[each], fit)), None)
        if twin is None:
            families[one] = one
            if fit is not None:
                fits[one] = fit
        elif one is choice:
            families[twin] = one
    return families


def _fitted_freely(expression: Expression, engine: Engine) -> tuple[float, Floats] | None:
    """Fit all constants except those that belong to the form; return the error and the values."""
    is_fixed = np.array([structural_constants(expression)], dtype=bool).reshape(1, -1)
    scores = engine.refit([expression], is_fixed, max_steps=STEPS_TO_COMPARE)
    error = float(scores.nrmse[0])
    return (error, values(scores.batch, engine.rows)[0][0]) if isfinite(error) else None


def _is_same(one: tuple[float, Floats], other: tuple[float, Floats]) -> bool:
    """Return whether two fits have the same error and differ by far less than it."""
    (error, predicted), (other_error, other_predicted) = one, other
    error, other_error = max(error, LEAST_ERROR), max(other_error, LEAST_ERROR)
    if not isclose(error, other_error, rel_tol=SAME_FIT):
        return False
    return bool(np.ptp(predicted - other_predicted) <= SAME_VALUES * error * np.ptp(predicted))


def form_of(equation: Expression, nrmse: float, forms: Sequence[Form]) -> Form | None:
    """Return the form of an equation; None if it is not among the likely ones."""
    for form in forms:  # another notation of the same function has the same error
        if isclose(form.entry.nrmse, nrmse, rel_tol=SAME_FUNCTION):
            return form
    key = form_key(equation)
    return next((form for form in forms if form_key(form.entry.equation) == key), None)


def _with_partings(forms: Sequence[Form], choice: Selected, engine: Engine, noise: str) -> tuple[Form, ...]:
    chosen = form_of(choice.expression, choice.nrmse, forms)
    if chosen is None:
        return tuple(forms)
    error = chosen.error(engine.spread, engine.n_observed)
    measured = Noise.of(engine, error, noise == "relative")
    equation = chosen.entry.equation
    return tuple(
        form
        if form is chosen
        else replace(form, parting=parting(equation, form.entry.equation, engine.rows, measured))
        for form in forms
    )


def form_key(expression: Expression) -> object:
    """Return a key that is equal for equations that differ only in constants or notation."""
    if expression.is_filled:
        return tuple(form_key(part) for part in expression.parts)
    is_free = [not is_part for is_part in structural_constants(expression)]
    described = describe([expression], [is_free])[0]
    return described.choices, described.numbers, described.variables


def structural_constants(expression: Expression) -> list[bool]:
    """Return whether each constant, breadth-first, belongs to the form: a 1 or a small whole exponent."""
    found: list[bool] = []
    nodes: list[tuple[Node, bool]] = [(expression.tree, False)]
    for node, is_exponent in nodes:  # grows while it is walked
        if node.kind is Kind.CONSTANT:
            is_whole = node.value == round(node.value) and abs(node.value) <= LARGEST_EXPONENT
            found.append(node.value == 1.0 or (is_exponent and is_whole))
        is_power = node.operation == "pow"
        nodes.extend((child, is_power and place == 1) for place, child in enumerate(node.children))
    return found
