"""How often the refiner finds laws, and the average effects of its settings: slow, because over many seeds.

Every test states the measured rate and the rate that it assumes. `assert_rate` allows as many failures as
chance gives in one of 100,000 tests (binomial). With 20 runs and a rate of 0.8, 7 must succeed.
"""

from __future__ import annotations

import numpy as np
import pytest

from chance_cases import assert_rate, fewest
from ddsr import _core
from ddsr.engine import Engine, FitOptions
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.grammar import Grammar
from ddsr.search.contributors.evolution import Ending, Refiner
from evolution_cases import XYZ, options, population_of, refiner_of

XY, ONE = Vocabulary(("x", "y")), Vocabulary(("x",))
HARD = "sin(x) * y + x / (1.5 + exp(z))"
PLANCK = "x / (exp(0.31 * x) - 1)"

slow = pytest.mark.slow


def test_thresholds_are_binomial() -> None:
    """0.2^20 is about 1e-14, and a fair coin falls on one side 17 times in a row in one of 131,072 tests."""
    assert fewest(20, 0.8) == 7
    assert fewest(17, 0.5) == 1 and fewest(16, 0.5) == 0
    with pytest.raises(AssertionError, match="6 of 20"):
        assert_rate(lambda seed: seed < 6, range(20), 0.8)
    assert_rate(lambda seed: seed < 7, range(20), 0.8)


@slow
@pytest.mark.parametrize("text", ["x^3 + x^2 + x", "sin(x) * y + 0.5", "x * y / (1 + z^2)"])
def test_known_equations_are_found(text: str) -> None:
    """Within 20,000 evaluations. Measured: 20 of 20 seeds for each; assumed: 0.8, so 7 must succeed."""

    def is_found(seed: int) -> bool:
        refiner = refiner_of(text, seed=seed)
        is_exact = refiner.run(evaluations=20_000).ending is Ending.EXACT
        if is_exact:  # then it is the law, also beyond the rows
            X = np.random.default_rng(3).uniform(-2, 2, (50, 3))
            found = refiner.hall_of_fame().expressions()[-1]
            assert found is not None
            expected = Expression.parse(text, XYZ).to_callable()(X)
            np.testing.assert_allclose(found.to_callable()(X), expected, rtol=1e-6, atol=1e-8)
        return is_exact

    assert_rate(is_found, range(20), 0.8)


@slow
def test_a_refiner_that_only_matches_gets_there() -> None:
    """Within 2,000 evaluations. Measured: 20 of 20 seeds; assumed: 0.8, so 7 must succeed."""
    settings = {"moves": {"match": 1.0}, "crossover_rate": 0.0}

    def is_found(seed: int) -> bool:
        refiner = refiner_of("sin(x * y) * z + 0.5 * exp(x)", seed, **settings)
        return refiner.run(evaluations=2000).ending is Ending.EXACT

    assert_rate(is_found, range(20), 0.8)


@slow
@pytest.mark.parametrize(
    ("vocabulary", "interval", "evaluations"), [(XY, (0.2, 5.0), 4000), (ONE, (0.1, 12.0), 2000)]
)
def test_a_short_law_with_long_approximations_is_found_soon(
    vocabulary: Vocabulary, interval: tuple[float, float], evaluations: int
) -> None:
    """By its sketch, even with a pole just before the first row. Measured: 20 of 20 seeds; assumed: 0.8,
    so 7 must succeed."""

    def is_found(seed: int) -> bool:
        X = np.random.default_rng(seed).uniform(*interval, (300, len(vocabulary.variables)))
        engine = Engine(vocabulary, X, Expression.parse(PLANCK, vocabulary).to_callable()(X))
        refiner = Refiner(engine, Grammar(vocabulary, max_length=32), seed=seed)
        return refiner.run(evaluations=evaluations).ending is Ending.EXACT

    assert_rate(is_found, range(20), 0.8)


@slow
def test_a_root_of_a_ratio_is_among_the_sketches() -> None:
    """In the first 1,500 on 300 rows. Measured: 15 of 20 seeds; assumed: 0.5, so 4 of 30 seeds must."""

    def is_found(seed: int) -> bool:
        X = np.random.default_rng(seed).uniform(0.2, 5.0, (300, 2))
        law = Expression.parse("sqrt((1 + 0.2 * x) / (1 - 0.1 * x))", XY)
        engine = Engine(XY, X, law.to_callable()(X))
        sketches = Batch(XY, *_core.sketches(XY.core, engine.data, options(), 1500))
        scores = engine.score(sketches, options=FitOptions(max_steps=20, is_scale_free=True))
        return bool(scores.nrmse.min() < 1e-10)

    assert_rate(is_found, range(30), 0.5)


def ran(seed: int, evaluations: int = 2000, **settings: object) -> Refiner:
    small = {"n_islands": 2, "island_size": 40, "n_sketches": 0}
    refiner = refiner_of(HARD, seed, noise=0.1, **small | settings)
    refiner.run(evaluations=evaluations)
    return refiner


def mean_size(refiner: Refiner) -> float:
    return float(population_of(refiner).sizes.mean())


@slow
def test_parsimony_keeps_populations_small() -> None:
    """By at least a fifth. Measured: 20 of 20 seeds; assumed: 0.8, so 7 must succeed."""
    assert_rate(
        lambda seed: mean_size(ran(seed, parsimony=0.5)) < 0.8 * mean_size(ran(seed, parsimony=0.0)),
        range(20),
        0.8,
    )
