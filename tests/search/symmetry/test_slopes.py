"""Derivatives with respect to the inputs."""

import numpy as np

from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.search.contributors.symmetry import slopes_of

VOCABULARY = Vocabulary(["x", "y"])
X = np.random.default_rng(0).uniform(0.5, 2, size=(50, 2))


def parsed(*texts: str) -> Batch:
    return Batch.of(Expression.parse(text, VOCABULARY) for text in texts)


def test_they_are_the_derivatives() -> None:
    found = slopes_of(parsed("x^2 * sin(y)"), np.array([3.0]), np.array([-1.0]), X)
    assert found is not None
    x, y = X.T
    np.testing.assert_allclose(found.values, 3 * x**2 * np.sin(y) - 1)
    expected = np.column_stack([6 * x * np.sin(y), 3 * x**2 * np.cos(y)])
    np.testing.assert_allclose(found.slopes, expected, rtol=1e-6, atol=1e-6)


def test_derivatives_of_several_models_are_concatenated() -> None:
    found = slopes_of(parsed("x", "x * y"), np.ones(2), np.zeros(2), X)
    assert found is not None
    np.testing.assert_allclose(found.slopes[:50], [[1.0, 0.0]] * 50, atol=1e-9)
    np.testing.assert_allclose(found.slopes[50:], X[:, ::-1], rtol=1e-8)
    np.testing.assert_array_equal(found.rows, np.concatenate([X, X]))


def test_rows_where_a_model_is_undefined_are_left_out() -> None:
    found = slopes_of(parsed("log(x - 1)"), np.ones(1), np.zeros(1), X)
    assert found is not None
    assert 0 < len(found.rows) < 50 and (found.rows[:, 0] > 1).all()
    assert slopes_of(parsed("log(x - 5)"), np.ones(1), np.zeros(1), X) is None


def test_a_column_that_never_changes_has_no_slope() -> None:
    constant = np.column_stack([X[:, 0], np.full(50, 3.0)])
    found = slopes_of(parsed("x * y"), np.ones(1), np.zeros(1), constant)
    assert found is not None
    assert (found.slopes[:, 1] == 0.0).all()
