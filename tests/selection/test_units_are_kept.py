"""What selection and notation make of expressions with consistent units is consistent, too."""

import numpy as np
import pytest

from ddsr import Expression, Vocabulary
from ddsr.data.dataset import Dataset
from ddsr.data.units import Units
from ddsr.engine import Engine, core_units
from ddsr.expression import Batch
from ddsr.grammar import Grammar
from ddsr.grammar.listing import Listing
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.selection.select import select
from ddsr.selection.usual_notation import in_usual_notation
from unit_cases import holds_in_all_units

pytest.importorskip("pint")
AIR = {"p": "Pa", "h": "m", "M": "kg/mol", "g": "m/s^2", "R": "J/mol/K", "T": "K", "rho": "kg/m^3", "a": ""}
VOCABULARY = Vocabulary(list(AIR))
ROWS = np.random.default_rng(0).uniform(0.6, 2.4, (40, len(AIR)))
# the grammar draws no powers of quantities with a unit
WRITTEN = {
    "Pa": (
        "0.31 * rho * (1.3 * g * h)^1.5 / sqrt(g * h)",
        "2.2 * p * exp(-1.9 * M * g * h / (R * T)) + 0.4 * p",
    ),
    "": ("(g * h)^1.5 / (p / rho)^1.5 + 0.3", "(0.2 + 1.4 * a) / (1.1 + 2.3 * a + 0.1 * rho * g * h / p)"),
    "m/s": ("2.1 * sqrt(1.9 * g * h + 0.4 * p / rho)", "(p / rho)^0.5 * (0.7 + 1.2 * a^2.1)"),
}


@pytest.mark.parametrize("target", WRITTEN)
def test_selection_keeps_units(target: str) -> None:
    units = Units.of(list(AIR), AIR, target)
    grammar = Grammar(VOCABULARY, 17, 6, (), core_units(units))
    random = np.random.default_rng(1)
    drawn = Batch.from_tokens(VOCABULARY, grammar.sample(40, 0))
    given = [each.with_constants(2.0 * random.normal(size=each.n_constants)) for each in drawn]
    given += [Expression.parse(text, VOCABULARY) for text in WRITTEN[target]]
    given = [each for each in given if Listing(grammar).allows(each)]
    y = given[-1].to_callable()(ROWS)
    y += 0.02 * np.std(y) * random.normal(size=len(y))
    engine = Engine(VOCABULARY, Dataset.of(ROWS, y, names=VOCABULARY.variables, units=units))
    allows = Listing(grammar).allows
    found = [each.expression for each in select(given, engine, 8, 2, is_allowed=allows)]
    front = ParetoFront(tuple(FrontEntry(each, 0.1 / size) for size, each in enumerate(given[-8:], 1)))
    found += [entry.equation for entry in in_usual_notation(front, engine, allows)]
    assert len(found) > 10 and all(map(allows, found))
    assert [str(each) for each in found if not holds_in_all_units(each, units)] == []
