from math import inf

import numpy as np
import pytest

from ddsr.engine import Engine
from ddsr.expression import Expression, Vocabulary
from ddsr.expression.definitions import read_operators
from ddsr.grammar.limits import limits_of
from ddsr.grammar.rules import read_rules
from ddsr.price.model import Model
from ddsr.selection.guards.poles import have_poles
from ddsr.selection.judge import Judge

VOCABULARY = Vocabulary(["x", "y"], ["+", "-", "*", "/", "^", "sin", "cos", "exp", "sqrt", "square", "tan"])
ROWS = np.column_stack([np.linspace(-2, 2, 50), np.linspace(1, 3, 50)])  # x has both signs and is never 0


def has_pole(text: str, vocabulary: Vocabulary = VOCABULARY) -> bool:
    return bool(have_poles([Expression.parse(text, vocabulary)], ROWS)[0])


@pytest.mark.parametrize(
    "text",
    [
        "1 / x",
        "y / (x - 0.3)",
        "1 / x^2",
        "1 / square(x)",
        "x^-2",
        "sin(y / (y * x))",
        "exp(1 / cos(4 * y))",
        "1 / (y / (1 / x))",
        "tan(2 * x)",
    ],
)
def test_a_divisor_of_both_signs_is_a_pole(text: str) -> None:
    assert has_pole(text)


@pytest.mark.parametrize(
    "text",
    ["x * y", "1 / y", "1 / (1 + x^2)", "x / exp(x)", "x^2", "1 / (x - 3)", "y / (x * 0 + 2)", "tan(x / 2)"],
)
def test_a_divisor_of_one_sign_is_not_a_pole(text: str) -> None:
    assert not has_pole(text)


def test_poles_are_found_per_expression() -> None:
    texts = ["1 / x", "1 / y", "x", "1 / y + 1 / x"]
    expressions = [Expression.parse(text, VOCABULARY) for text in texts]
    assert have_poles(expressions, ROWS).tolist() == [True, False, False, True]


def test_a_tangent_needs_no_cosine_in_the_vocabulary() -> None:
    assert has_pole("tan(2 * x)", Vocabulary(["x", "y"], ["+", "*", "tan"]))


def test_a_variable_may_be_called_like_an_operator() -> None:
    vocabulary = Vocabulary(["div", "pow"], ["+", "/"])
    assert not has_pole("div / pow", vocabulary)
    assert has_pole("pow / div", vocabulary)


def test_expressions_may_have_operators_of_their_own() -> None:
    operators = read_operators(["+", "-", "*", "/", "pole(x) = 1 / (x - 1)"])
    vocabulary = Vocabulary(("x", "y"), operators)
    texts = ("pole(x)", "pole(x + 9)", "y / (x - 1)", "y / (x + 9)")
    expressions = [Expression.parse(text, vocabulary) for text in texts]
    rows = np.array([[0.5, 1.0], [1.5, 2.0]])
    assert have_poles(expressions, rows).tolist() == [True, False, True, False]


def test_a_pole_between_a_zero_and_the_data_counts() -> None:
    """Grids miss poles at which the sign stays the same."""
    rows = np.random.default_rng(0).uniform(1.0, 3.0, size=(60, 2))
    rules = read_rules("zero at x = 0")
    y = rows.prod(axis=1) / (rows[:, 0] - 0.5123) ** 2
    limits = limits_of(rules, VOCABULARY, rows, y)
    for rule, is_finite in ((None, True), (limits, False)):
        engine = Engine(VOCABULARY, rows, y, limits=rule, has_offset=False)
        model = Model.free(Expression.parse("x * y / (x - 0.5123)^2", VOCABULARY))
        (judged,) = Judge(engine, inf, None).start([model])
        assert judged.is_finite_between_rows is is_finite
