"""Models in their usual form: another notation of the same function."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr import Expression, Vocabulary
from ddsr.expression import OPERATORS, Node
from ddsr.price.model import Model
from ddsr.price.simple_numbers import is_exact
from ddsr.selection.canonical import canonical
from strategies import examples

VOCABULARY = Vocabulary(["x", "y"], tuple(OPERATORS))
FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "tanh", "abs", "square", "inverse", "neg")
ROWS = np.random.default_rng(0).uniform(0.5, 2.0, size=(40, 2))


def model_of(text: str, vocabulary: Vocabulary = VOCABULARY) -> Model:
    """A model in which simple numbers are fixed."""
    expression = Expression.parse(text, vocabulary)
    return Model(expression, tuple(is_exact(value) for value in expression.constants))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("64 / 3 + 62.224 * exp(-0.0439 * x) - 0.081", "21.252 + 62.224 * exp(-0.0439 * x)"),
        ("13.5 * (1 - exp(-0.5053 * x)) / 2.7", "5 * (1 - exp(-0.5053 * x))"),
        ("1 / (2.226 * exp(-0.62 * x) + 0.1061)", "9.4251 / (1 + 20.98 * exp(-0.62 * x))"),
        ("36.79 * (1 - 0.011557 * sin(0.299 + 0.2616 * x))", "36.79 - 0.42518 * sin(0.299 + 0.2616 * x)"),
        ("281.3 / (y / x^3)^0.5", "281.3 * x * sqrt(x / y)"),
        ("exp(2.31 + 1.93 * x)", "10.074 * exp(1.93 * x)"),
        ("log(4.152 * x^0.4006)", "1.4236 + 0.4006 * log(x)"),
        ("x * x^2.61 * 1.06", "1.06 * x^3.61"),
        ("sqrt(2.317 - 0.711 * x)", "0.84321 * sqrt(3.2588 - x)"),
        ("7.655 * x / (2.017 + 1.0319 * x)", "7.4184 * x / (1.9546 + x)"),
        ("2.31 * 1.17^x", "2.31 * exp(0.157 * x)"),
        ("-1.197 * log(x) - 4.1 * x", "-4.1 * x - 1.197 * log(x)"),
        ("2.31 * x^5 / y^5", "2.31 * (x / y)^5"),
        ("0.37 * y - 2.31 * x", "0.37 * y - 2.31 * x"),
        ("2.31 * x * sqrt(x)", "2.31 * x^1.5"),
        ("2.31 * y / (x^2 * sqrt(x))", "2.31 * y / x^2.5"),
        ("x * sqrt(x)", "x^1.5"),
        ("-0.015 * x * (y - 59.72)", "0.015 * x * (59.72 - y)"),
        ("-2.31 * (x - y) / (x + 0.7)", "2.31 * (y - x) / (0.7 + x)"),
    ],
)
def test_constants_are_in_their_usual_places(text, written):
    found = canonical([model_of(text)])[0]
    assert found.expression.text(precision=5) == written


@st.composite
def trees(draw, depth: int = 4) -> Node:
    """Trees with positive constants, so that roots and logarithms of products can be split."""
    kind = draw(st.integers(0, 9)) if depth else draw(st.integers(0, 2))
    if kind == 0:
        return Node.variable(draw(st.sampled_from(["x", "y"])))
    if kind == 1:
        return Node.constant(draw(st.sampled_from([0.37, 1.93, 2.0, 0.5, 3.0, 1.0])))
    if kind == 2:
        return Node.one()
    child = trees(depth=depth - 1)
    if kind <= 4:
        return Node.operator(draw(st.sampled_from(FUNCTIONS)), draw(child))
    name = draw(st.sampled_from(["add", "sub", "mul", "div", "pow", "mul", "add"]))
    return Node.operator(name, draw(child), draw(child))


@examples(300)
@given(trees(), st.booleans())
def test_values_stay(tree, is_free):
    expression = Expression.from_tree(VOCABULARY, tree)
    model = Model(expression, tuple(not is_free and is_exact(value) for value in expression.constants))
    found = canonical([model])[0]
    before, after = (each.to_callable()(ROWS) for each in (expression, found.expression))
    # one notation may be finite where another is not
    both = np.isfinite(before) & np.isfinite(after) & (np.abs(before) < 1e100)
    assert np.allclose(before[both], after[both], rtol=1e-6, atol=1e-9)


@examples(100)
@given(trees())
def test_canonical_forms_are_unchanged(tree):
    model = canonical([Model.free(Expression.from_tree(VOCABULARY, tree))])[0]
    assert len(canonical([model])[0].expression) <= len(model.expression)


def test_fixed_numbers_stay_fixed_unless_merged_with_a_fitted_one():
    fixed = canonical([model_of("x^3 / 2 + 0.371 * y")])[0]
    assert 0.5 in fixed.fixed_constants and len(fixed.free_constants) == 1
    assert canonical([model_of("2 * 0.371 * y")])[0].fixed_constants == ()


def test_forms_beyond_the_operators_stay():
    without = Vocabulary(["x"], ("add", "mul", "pow"))
    model = model_of("2.31 * 1.17^x", without)
    assert canonical([model]) == [model]  # there is no exp
    root = canonical([model_of("x^0.5 * 2.31", without)])[0]
    assert root.expression.text() == "2.31 * x^0.5"


def test_no_models_have_no_canonical_form():
    assert canonical([]) == []
