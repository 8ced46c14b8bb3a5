import numpy as np

from ddsr.engine import Engine, FitOptions
from ddsr.expression import Expression
from ddsr.selection import ParetoFront
from strategies import PLAIN

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(100, 3))


def scores_of(texts, y):
    written = [Expression.parse(text, PLAIN) for text in texts]
    return Engine(PLAIN, X, y, options=FitOptions(max_steps=0)).score(written)


def test_larger_must_be_better():
    y = X[:, 0] * X[:, 1] + 0.3 * np.sin(X[:, 2])
    texts = ["x", "y", "x * y", "x * y + z", "x * y + sin(z)", "x * y + 0.3 * sin(z)", "x - x", "log(x - z)"]
    front = ParetoFront().merge(scores_of(texts, y))
    errors = [entry.nrmse for entry in front]
    sizes = [entry.size for entry in front]
    assert errors == sorted(errors, reverse=True) and len(set(errors)) == len(errors)
    assert sizes == sorted(set(sizes))
    assert str(front.entries[-1].expression) == "x * y + 0.3 * sin(z)"
    assert all(np.isfinite(errors))


def test_merging_is_the_same_in_parts_and_at_once():
    y = X[:, 0] / X[:, 1]
    texts = ["x", "z", "x * y", "x / y", "x - y", "x / (y + z)", "sin(x)", "x + y + z"]
    whole = ParetoFront().merge(scores_of(texts, y))
    parts = ParetoFront().merge(scores_of(texts[:3], y)).merge(scores_of(texts[3:], y))
    assert [entry.nrmse for entry in whole] == [entry.nrmse for entry in parts]
    assert parts.merge(scores_of(texts, y)) == whole


def test_noise_does_not_buy_complexity():
    noise = np.random.default_rng(1).normal(size=100)
    y = X[:, 0] * X[:, 1] * (1 + 0.05 * noise)
    texts = ["x * y", "x * y * 1.0005", "x * y + 0.001 * z", "x * y + 0.01 * sin(z) - 0.002 * x", "x + y"]
    front = ParetoFront().merge(scores_of(texts, y))
    assert str(front.best(len(X)).expression) == "x * y"
