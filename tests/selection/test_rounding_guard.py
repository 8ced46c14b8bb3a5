"""Equations whose values are rounding errors are never chosen."""

import numpy as np
import pytest

from ddsr import Engine, Expression, Vocabulary
from ddsr.selection.guards.rounding import depend_on_rounding
from ddsr.selection.select import select

VOCABULARY = Vocabulary(["x", "z"], ("add", "sub", "mul", "div", "sqrt", "log", "exp", "pow"))
RNG = np.random.default_rng(0)
X = RNG.uniform(1.0, 5.0, (40, 2))


def dependent(texts, X=X, y=None):
    engine = Engine(VOCABULARY, X, X[:, 0] * X[:, 1] if y is None else y)
    expressions = [Expression.parse(text, VOCABULARY) for text in texts]
    return depend_on_rounding(expressions, engine).tolist()


def test_multiples_of_rounding_errors_are_found():
    texts = ["1e17 * (x - x * sqrt(z) * sqrt(z) / z)", "1e17 * log(x * z / z / x)", "1e16 * (x * z / z - x)"]
    assert all(dependent(texts))


def test_usual_equations_do_not_depend_on_rounding():
    texts = ["x * z", "exp(5 * x) / z", "1e9 * x - 1e9 * z", "x^-8 * z", "log(x * z / z)", "x / (x - z + 9)"]
    assert not any(dependent(texts))


@pytest.mark.parametrize("origin", [1e3, 1e9, 1e14])
def test_inputs_far_from_zero_are_no_reason_to_refuse(origin):
    far = X + origin
    assert not any(dependent(["x", "x - z", "2 * z + x"], far, far[:, 0] - far[:, 1]))


def test_the_law_is_chosen_before_an_exact_multiple_of_rounding():
    y = 2.0 * X[:, 0] * X[:, 1] + 0.1 * RNG.normal(size=40)
    candidates = [Expression.parse(text, VOCABULARY) for text in ("1.9 * x * z", "1e17 * log(x * z / z / x)")]
    assert "log" not in select(candidates, Engine(VOCABULARY, X, y))[0].expression.text()
