"""Constants near zero are not kept just because they fit noise."""

import numpy as np
import pytest

from ddsr.engine import Engine
from ddsr.expression import Expression
from ddsr.selection.select import select
from strategies import PLAIN

X = np.random.default_rng(0).uniform(0.5, 4.0, size=(600, 3))


@pytest.mark.parametrize("noise", [0.01, 0.1])
@pytest.mark.parametrize(
    ("truth", "candidates"),
    [
        ("-1 * x * y * cos(z)", ("(0.01 - x * y) * cos(z)", "0.01 - x * y * cos(z)")),
        ("-1 * x / y", ("(0.01 - x) / y", "0.01 - x / y")),
        ("-1 * log(x) * y", ("(0.01 - log(x)) * y", "0.01 - log(x) * y")),
    ],
)
def test_noise_buys_no_small_constant(truth: str, candidates: tuple[str, ...], noise: float) -> None:
    clean = Expression.parse(truth, PLAIN).to_callable()(X)
    found = [Expression.parse(text, PLAIN) for text in candidates]
    n_right = 0
    for seed in range(10):
        noises = noise * np.sqrt(np.mean(clean**2)) * np.random.default_rng([seed, 5]).normal(size=len(X))
        best = select(found, Engine(PLAIN, X, clean + noises))[0]
        n_right += np.allclose(best.expression.to_callable()(X), clean, rtol=1e-12)
    assert n_right >= 9
