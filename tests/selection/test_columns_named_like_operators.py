"""A column may have the name of an operator."""

from functools import cache

import numpy as np
import pytest

from ddsr.engine import Engine
from ddsr.expression import OPERATORS, Expression, Vocabulary
from ddsr.selection.select import select

X = np.random.default_rng(0).uniform(0.6, 2.0, size=(60, 2))
FORMS = (  # with the column in places where selection looks for operators
    "0.25 * log(w + 2.6) - 0.99 + 1.3 * w",
    "2.1 * exp(0.8 * w) + 0.7 * v / (w + 1.9)",
    "sqrt(2.8 * w) * v^1.4 + 3.7 * v + 7.4 * w",
    "1.5708 - atan(w / v) + 0.3 * w",
    "3.8 * v / (w + 3.8) - v * w / (v + w)",
)


USUAL = (
    "mul",
    "sub",
    "div",
    "pow",
    "sqrt",
    "atan",
)  # selection looks for these, and writes them in other ways
NAMES = [pytest.param(name, marks=[] if name in USUAL else pytest.mark.slow) for name in OPERATORS]


@cache
def chosen(name: str, form: str) -> Expression:
    """The choice if the first column has this name."""
    written = Expression.parse(form, Vocabulary(["w", "v"], tuple(OPERATORS)))
    truth = Expression(Vocabulary([name, "v"], tuple(OPERATORS)), written.tokens, written.constants)
    y = written.to_callable()(X) + 0.01 * np.sin(50.0 * X[:, 0])
    return select([truth], Engine(truth.vocabulary, X, y))[0].expression


@pytest.mark.parametrize("name", NAMES)
def test_the_choice_does_not_depend_on_the_name_of_a_column(name):
    for form in FORMS:
        found, usual = chosen(name, form), chosen("w", form)
        assert (found.tokens, found.constants) == (usual.tokens, usual.constants)
