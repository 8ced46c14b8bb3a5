"""Data and expressions shared by several tests of the engine."""

from __future__ import annotations

import numpy as np

from ddsr.expression import Batch, Expression
from ddsr.grammar import Grammar
from strategies import PLAIN as DEFAULT

GOOD_X, GOOD_Y = np.arange(12.0).reshape(4, 3), np.array([1.0, 2.0, 3.0, 5.0])


def planted(text: str, n: int = 300, noise: float = 0.0) -> tuple[Expression, np.ndarray, np.ndarray]:
    """The expression with its constants set to 1, and data made with the constants in the text."""
    truth = Expression.parse(text, DEFAULT)
    rng = np.random.default_rng(5)
    X = rng.uniform(0.5, 3.0, size=(n, 3))
    y = truth.to_callable()(X)
    return truth.with_constants([1.0] * truth.n_constants), X, y + noise * y.std() * rng.normal(size=n)


def random_batch(n: int = 400) -> Batch:
    return Batch.from_tokens(DEFAULT, Grammar(DEFAULT, max_length=20).sample(n, seed=1))
