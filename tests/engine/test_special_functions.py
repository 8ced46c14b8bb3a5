"""Derivatives of the gamma function, and of operators with kinks and jumps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from ddsr import Expression, Vocabulary
from ddsr.engine import Engine, FitOptions, gradients, values

NAMES = ("add", "sub", "mul", "min", "max", "sign", "floor", "step", "relu", "gamma", "atan2", "hypot", "erf")
VOCABULARY = Vocabulary(("x", "y"), (*NAMES, "logistic"))


def slope_in_x(text: str, x: list[float], y: float = 0.0) -> np.ndarray:
    """d/dc of an expression in c + x, at c = 0."""
    expression = Expression.parse(text.replace("X", "(0.0 + x)"), VOCABULARY)
    rows = np.column_stack([x, np.full(len(x), y)])
    found, is_finite = gradients([expression], rows)
    assert is_finite[0]
    return found[0, :, 0]


def test_the_derivative_of_gamma_is_that_of_scipy() -> None:
    x = np.concatenate([np.linspace(0.01, 30.0, 400), np.linspace(-6.97, -0.03, 200)])
    x = x[np.abs(x - np.round(x)) > 0.01]
    expected = special.gamma(x) * special.psi(x)
    scale = np.abs(special.gamma(x))
    np.testing.assert_allclose(
        slope_in_x("gamma(X)", list(x)) / scale, expected / scale, rtol=1e-11, atol=1e-13
    )


@pytest.mark.parametrize(
    ("text", "x", "expected"),
    [
        ("relu(X)", [-1.0, 0.0, 2.0], [0.0, 0.0, 1.0]),
        ("sign(X)", [-1.0, 0.0, 2.0], [0.0, 0.0, 0.0]),
        ("floor(X)", [-1.5, 0.0, 2.5], [0.0, 0.0, 0.0]),
        ("step(X)", [-1.0, 0.0, 2.0], [0.0, 0.0, 0.0]),
        ("min(X, y)", [-1.0, 2.0], [1.0, 0.0]),
        ("max(X, y)", [-1.0, 2.0], [0.0, 1.0]),
        ("max(y, X)", [-1.0, 2.0], [0.0, 1.0]),
        ("hypot(X, y)", [-1.0, 0.0, 2.0], [-1.0, 0.0, 1.0]),
        ("atan2(X, y)", [0.0], [0.0]),
    ],
)
def test_the_derivative_is_that_of_the_branch(text: str, x: list[float], expected: list[float]) -> None:
    np.testing.assert_array_equal(slope_in_x(text, x), expected)


@pytest.mark.parametrize("y", [-0.7, 1.3])
@pytest.mark.parametrize("text", ["erf(X)", "logistic(X)", "atan2(X, y)", "atan2(y, X)", "hypot(y, X)"])
def test_derivatives_agree_with_differences(text: str, y: float) -> None:
    x, step = np.linspace(-2.0, 2.0, 40), 1e-6
    written = Expression.parse(text.replace("X", "x"), VOCABULARY)

    def at(shift: float) -> np.ndarray:
        return values([written], np.column_stack([x + shift, np.full(len(x), y)]))[0][0]

    expected = (at(step) - at(-step)) / (2.0 * step)
    np.testing.assert_allclose(slope_in_x(text, list(x), y), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    "text", ["0.7 + 2.1 * gamma(0.8 + x)", "1.5 * hypot(x, 2.0 * y)", "3.0 * relu(x - 1.2)"]
)
def test_constants_are_fitted(text: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 3.0, (200, 2))
    truth = Expression.parse(text, VOCABULARY)
    y = values([truth], X)[0][0]
    start = truth.with_constants([1.15 * value for value in truth.constants])
    scores = Engine(VOCABULARY, X, y, options=FitOptions(max_steps=100, tolerance=0.0)).score([start])
    assert scores.nrmse[0] < 1e-9
