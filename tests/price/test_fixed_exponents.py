"""Exponents that units or rules make a part of the structure are not counted as fitted."""

import numpy as np
import pytest

from ddsr import Expression, Grammar, Vocabulary
from ddsr.config import DefaultConfig
from ddsr.data.dataset import Dataset
from ddsr.engine import Engine, FitOptions
from ddsr.grammar.rules import read_rules
from ddsr.price.model import Model, with_fixed_exponents
from ddsr.search.engines import engine_of

VOCABULARY = Vocabulary(["t", "x"], ("+", "*", "^"))
ROWS = np.random.default_rng(0).uniform(1.0, 3.0, size=(30, 2))


def engine_with(rule: str) -> Engine:
    data = Dataset.of(ROWS, ROWS[:, 0] * ROWS[:, 1], names=VOCABULARY.variables)
    grammar = Grammar(VOCABULARY, rules=read_rules(rule))
    return engine_of(grammar, data, DefaultConfig(), FitOptions(), seed=0, n_threads=1)


@pytest.mark.parametrize(
    ("rule", "are_fixed"),
    [
        ("exponents from 1 to 3", False),
        ("whole exponents", True),
        ("whole exponents from -2 to 3", True),
    ],
)
def test_whole_exponents_are_fixed(rule, are_fixed):
    expression = Expression.parse("x * t^1.0 + 2.5 * x^2.0", VOCABULARY)
    (model,) = with_fixed_exponents([Model.free(expression)], engine_with(rule))
    is_fixed = dict(zip(expression.constants, model.is_fixed, strict=True))
    assert is_fixed == {1.0: are_fixed, 2.0: are_fixed, 2.5: False}
