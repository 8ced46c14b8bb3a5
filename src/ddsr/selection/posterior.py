"""How likely each form is, given the data: weights from the description lengths of all that was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isclose

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import Engine
from ddsr.expression import Expression, Kind, Node
from ddsr.price.structure_code import tell
from ddsr.selection.front import FrontEntry
from ddsr.selection.judged import Selected

# A description length is nats of a code, and e^-nats a probability. Lengths of forms that share data and
# constants are not exact: the code is learned, and constants are priced one by one.
SHARPNESS = 1.0
MOST_FORMS = 20
LEAST_WEIGHT = 1e-4
SAME_FUNCTION = 1e-6  # relative: errors so near belong to one function in two writings
LARGEST_EXPONENT = 6.0  # of a whole exponent that belongs to the form


@dataclass(frozen=True, eq=False)
class Form:
    """A form that explains the data, with its constants."""

    entry: FrontEntry
    weight: float
    """its share of the probability of all forms that were measured"""
    information: NDArray[np.float64] | None
    """see `Scores.information`, of all constants, settled ones too; None where it was not measured"""

    @property
    def is_measured(self) -> tuple[bool, ...]:
        """For each constant: the data gave it, though it may have been settled at a simple number since."""
        return tuple(not is_part for is_part in structural_constants(self.entry.equation))


def forms_of(found: Sequence[Selected], engine: Engine) -> tuple[Form, ...]:
    """The likeliest forms, the likeliest first; equations that differ by their constants are one form."""
    best: dict[object, Selected] = {}
    errors: list[float] = []
    for one in sorted(found, key=lambda each: each.description_length):
        is_known = any(isclose(one.nrmse, error, rel_tol=SAME_FUNCTION) for error in errors)
        if one.is_finite_between_rows and not is_known:
            best.setdefault(form_key(one.expression), one)
            errors.append(one.nrmse)
    kept = list(best.values())
    if not kept:
        return ()
    least = kept[0].description_length
    chances = [exp(-SHARPNESS * (one.description_length - least)) for one in kept]
    whole = sum(chances)
    forms = []
    for one, chance in zip(kept[:MOST_FORMS], chances, strict=False):
        if chance < LEAST_WEIGHT * whole:
            break
        entry = FrontEntry(one.expression, one.nrmse, 1.0, 0.0, one.is_free, one.description_length)
        scores = engine.refit([one.expression], max_steps=0)
        forms.append(
            Form(entry, chance / whole, None if scores.information is None else scores.information[0])
        )
    return tuple(forms)


def form_key(expression: Expression) -> object:
    """Equal for equations that differ by the values of their constants alone, in any writing."""
    is_free = [not is_part for is_part in structural_constants(expression)]
    told = tell([expression], [is_free])[0]
    return told.choices, told.numbers, told.variables


def structural_constants(expression: Expression) -> list[bool]:
    """For each constant, breadth-first: it belongs to the form, as a 1 or a small whole exponent does."""
    found: list[bool] = []
    nodes: list[tuple[Node, bool]] = [(expression.tree, False)]
    for node, is_exponent in nodes:  # grows while it is walked
        if node.kind is Kind.CONSTANT:
            is_whole = node.value == round(node.value) and abs(node.value) <= LARGEST_EXPONENT
            found.append(node.value == 1.0 or (is_exponent and is_whole))
        nodes.extend((child, node.name == "pow" and place == 1) for place, child in enumerate(node.children))
    return found
