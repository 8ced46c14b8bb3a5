"""Data with a law and noise, and candidates for it, shared by tests of selection."""

import numpy as np

from ddsr.engine import Engine
from ddsr.expression import Expression
from strategies import PLAIN

X = np.random.default_rng(0).uniform(0.5, 4.0, size=(600, 3))


def engine_for(text: str, noise: float = 0.0, rows: np.ndarray = X) -> Engine:
    clean = Expression.parse(text, PLAIN).to_callable()(rows)
    noises = np.random.default_rng(1).normal(size=len(rows))
    return Engine(PLAIN, rows, clean + noise * np.sqrt(np.mean(clean**2)) * noises)


def parsed(*texts: str) -> list[Expression]:
    return [Expression.parse(text, PLAIN) for text in texts]


def is_same(expression: Expression, text: str) -> bool:
    return expression.canonical().text() == Expression.parse(text, expression.vocabulary).canonical().text()
