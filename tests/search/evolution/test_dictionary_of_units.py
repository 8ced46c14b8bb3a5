"""The dictionary with units: every entry has a unit, and groups of many columns are among them."""

import numpy as np
import pytest

from ddsr import Vocabulary, _core
from ddsr.data.units import Units
from ddsr.engine import Engine, core_units, values
from ddsr.expression import Batch
from evolution_cases import options
from unit_cases import in_other_units

pytest.importorskip("pint")
AIR = {"p": "Pa", "h": "m", "M": "kg/mol", "g": "m/s^2", "R": "J/mol/K", "T": "K"}
UNITS = Units.of(list(AIR), AIR, "Pa")
ROWS = np.random.default_rng(0).uniform(0.6, 2.4, (30, 6))
ROWS[:, 4] = 1.3  # a known constant


@pytest.fixture(scope="module")
def entries() -> Batch:
    engine = Engine(Vocabulary(list(AIR)), ROWS, ROWS[:, 0])
    found = _core.dictionary(engine.vocabulary.core, engine.data, options(), 0, core_units(UNITS))
    return Batch(engine.vocabulary, *found)


def test_every_entry_has_a_unit(entries: Batch) -> None:
    before, after = values(entries, ROWS)[0], values(entries, in_other_units(UNITS, ROWS)[0])[0]
    with np.errstate(all="ignore"):
        factors = after / before
    is_known = np.isfinite(factors).all(axis=1) & (np.abs(before).min(axis=1) > 1e-3)
    assert is_known.mean() > 0.5
    spread = np.ptp(factors[is_known], axis=1) / np.abs(factors[is_known]).mean(axis=1)
    assert spread.max() < 1e-6


def test_groups_of_many_columns_are_entries(entries: Batch) -> None:
    columns = {each.variables_used for each in entries}
    assert ("h", "M", "g", "R", "T") in columns  # h M g / (R T) is a number


def test_entries_of_equal_shape_but_other_units_are_kept(entries: Batch) -> None:
    texts = {str(each) for each in entries}
    assert "T" in texts and texts & {"T * R", "R * T"}


def test_there_are_groups_of_some_of_many_columns() -> None:
    many = AIR | {f"q{number}": "A" for number in range(8)}
    rows = np.random.default_rng(1).uniform(0.6, 2.4, (30, len(many)))
    engine = Engine(Vocabulary(list(many)), rows, rows[:, 0])
    units = core_units(Units.of(list(many), many, "Pa"))
    found = Batch(
        engine.vocabulary, *_core.dictionary(engine.vocabulary.core, engine.data, options(), 0, units)
    )
    assert len(found) <= 1.1 * options().dictionary_size
    assert any(len(each.variables_used) == 4 for each in found)
