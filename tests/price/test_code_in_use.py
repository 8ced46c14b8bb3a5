"""Another structure code during a measurement replaces the package's own prices everywhere."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.corpus import read_formula

import ddsr
from ddsr import Engine, Expression, Vocabulary
from ddsr.expression import OPERATORS
from ddsr.price import TableCode
from ddsr.price import noise as noise_module
from ddsr.price.code_in_use import code_in_use, priced_by
from ddsr.price.description_length import nats_of_structure
from ddsr.price.structure_code import describe
from ddsr.price.table_code import Reading

VOCABULARY = Vocabulary(["x"], tuple(OPERATORS))


@pytest.fixture(scope="module")
def other() -> TableCode:
    formulas = [read_formula(text, ["x"], ["a", "b"]) for text in ("a * x + b", "a * x^2", "sin(a * x) / b")]
    reading = Reading.of(describe([expression], [is_free])[0] for expression, is_free in formulas)
    return TableCode.learned(reading, reading)


def test_another_code_is_used_only_within_the_block(other):
    shipped = TableCode.shipped()
    assert code_in_use() is shipped
    with priced_by(other):
        assert code_in_use() is other
        with priced_by(shipped):
            assert code_in_use() is shipped
        assert code_in_use() is other
    assert code_in_use() is shipped
    with pytest.raises(ZeroDivisionError), priced_by(other):
        raise ZeroDivisionError
    assert code_in_use() is shipped


def test_the_choice_prices_by_it(other):
    expression = Expression.parse("7.3 * x / (1.9 + x)", VOCABULARY)
    usual = nats_of_structure(expression, (False, False))
    with priced_by(other):
        within = nats_of_structure(expression, (False, False))
        assert within == pytest.approx(other.prices([expression], [[True, True]])[0])
    assert nats_of_structure(expression, (False, False)) == usual != within


def test_the_enumeration_uses_it(other, monkeypatch):
    codes = []

    class Spy(noise_module.CheapForms):
        def __init__(self, engine, code, most_nats, most):
            codes.append(code)
            super().__init__(engine, code, most_nats, most)

    monkeypatch.setattr(noise_module, "CheapForms", Spy)
    X = np.linspace(1.0, 2.0, 12)[:, None]
    engine = Engine(VOCABULARY, X, 3.1 * X[:, 0] + 0.01 * np.sin(40 * X[:, 0]))
    with priced_by(other):
        noise_module.find_noise(engine, 20)
    assert codes and set(codes) == {other}


def test_only_code_in_use_reads_the_shipped_code():
    """A module that does would use the shipped prices within a block, too."""
    package = Path(ddsr.__file__).parent
    asking = [path.name for path in package.rglob("*.py") if "TableCode.shipped()" in path.read_text("utf-8")]
    assert asking == ["code_in_use.py"]
