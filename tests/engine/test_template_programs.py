"""The engine evaluates and fits filled templates as the formulas that they stand for."""

import numpy as np
import pytest

from ddsr.engine import Engine, gradients, values
from ddsr.expression import Batch, Expression, Node, Vocabulary
from ddsr.expression.operators import TEMPLATE
from ddsr.expression.template_parser import parse_template
from ddsr.grammar import Grammar

COLUMNS = ("x", "y", "z")
X = np.random.default_rng(0).uniform(0.5, 2.0, (300, 3))
TEMPLATES = (
    "A * exp(-f(x)) + g(y, z)",
    "f(x) - f(y)",
    "A * f(x, y) / (B + f(y, z)) + 3",
    "log(2 + f(x)^2) * A",
    "f(...)",
)


def batch_of(text: str, n: int = 60) -> Batch:
    vocabulary = Vocabulary(COLUMNS, template=parse_template(text, COLUMNS))
    tokens = Grammar(vocabulary, 16, 6).sample(n, seed=1)
    batch = Batch.from_tokens(vocabulary, tokens)
    constants = np.random.default_rng(2).uniform(0.3, 2.0, batch.constants.shape)
    return Batch(vocabulary, batch.tokens, constants)


@pytest.mark.parametrize("text", TEMPLATES)
def test_values_are_those_of_the_formula(text: str) -> None:
    batch = batch_of(text)
    on_rows, is_finite = values(batch, X)
    assert is_finite.sum() > 20
    for row in np.flatnonzero(is_finite):
        expected, _ = values([batch[int(row)].expanded], X)
        np.testing.assert_allclose(on_rows[row], expected[0], rtol=1e-12)


@pytest.mark.parametrize("text", TEMPLATES)
def test_the_derivative_by_a_shared_constant_is_the_sum_over_its_uses(text: str) -> None:
    batch = batch_of(text)
    slopes, is_finite = gradients(batch, X)
    assert is_finite.sum() > 20
    for row in np.flatnonzero(is_finite):
        whole = batch[int(row)].expanded
        of_uses, _ = gradients(Batch.of([whole]), X)
        for number, value in enumerate(batch[int(row)].constants):
            uses = [use for use, each in enumerate(whole.constants) if each == value]
            expected = of_uses[0][:, uses].sum(axis=1)
            np.testing.assert_allclose(slopes[row, :, number], expected, rtol=1e-9, atol=1e-12)


def test_constants_of_several_uses_are_fitted_together() -> None:
    vocabulary = Vocabulary(COLUMNS, template=parse_template("k * f(x) - f(z) * y", COLUMNS))
    part = Expression.parse("0.5 * exp(0.4 * x)", vocabulary.of_parts).tree
    expression = Expression.from_tree(vocabulary, Node.operator(TEMPLATE, Node.constant(), part))
    y = 1.7 * 0.6 * np.exp(0.9 * X[:, 0]) - 0.6 * np.exp(0.9 * X[:, 2]) * X[:, 1]
    engine = Engine(vocabulary, X, y)
    scores = engine.refit([expression], max_steps=100)
    assert scores.nrmse[0] < 1e-6
    np.testing.assert_allclose(scores.batch[0].constants, (1.7, 0.6, 0.9), rtol=1e-4)
    information = scores.information
    assert information is not None and information.shape == (1, 3, 3)
    assert np.linalg.matrix_rank(information[0]) == 3


def test_a_fixed_constant_and_numbers_of_the_template_stay() -> None:
    vocabulary = Vocabulary(COLUMNS, template=parse_template("A * x + 3 * B", COLUMNS))
    expression = Expression.from_tree(
        vocabulary, Node.operator(TEMPLATE, Node.constant(2.0), Node.constant(1.0))
    )
    engine = Engine(vocabulary, X, 5.0 * X[:, 0] + 6.0)
    free = engine.refit([expression], max_steps=50)
    np.testing.assert_allclose(free.batch[0].constants, (5.0, 2.0), rtol=1e-9)
    fixed = engine.refit([expression], np.array([[True, False]]), max_steps=50)
    assert fixed.batch[0].constants[0] == 2.0
    assert str(fixed.batch[0]).endswith("+ 3 * " + repr(fixed.batch[0].constants[1]))
