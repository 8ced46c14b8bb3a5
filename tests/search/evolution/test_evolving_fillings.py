"""Evolution fills templates: every individual fills the holes, whatever the move."""

import numpy as np
import pytest

from ddsr.config import RefinerConfig
from ddsr.engine import Engine, FitOptions
from ddsr.expression import Vocabulary
from ddsr.expression.template_parser import parse_template
from ddsr.grammar import Forbid, Grammar
from ddsr.search.contributors.evolution import Refiner
from evolution_cases import population_of

COLUMNS = ("x", "y", "z")
X = np.random.default_rng(3).uniform(0.5, 2.0, (120, 3))


def refiner_of(text: str, y: np.ndarray, **settings: object) -> Refiner:
    vocabulary = Vocabulary(COLUMNS, template=parse_template(text, COLUMNS))
    engine = Engine(vocabulary, X, y, options=FitOptions())
    config = RefinerConfig(is_scale_free=False, n_islands=2, **settings)  # type: ignore[arg-type]
    return Refiner(engine, Grammar(vocabulary, 24, 8, [Forbid("exp", on="z")]), config, 0, 1)


@pytest.mark.parametrize("text", ["A * exp(-f(x)) + g(y, z)", "f(x) - f(y)", "f(...)", "A + f(z) / f(x)"])
def test_individuals_fill_the_template(text: str) -> None:
    refiner = refiner_of(text, np.exp(-X[:, 0]) + X[:, 1] * X[:, 2])
    refiner.run(evaluations=6000)
    population = population_of(refiner)
    assert len(population) > 100 and refiner.grammar.is_legal(population.tokens).all()
    found = refiner.hall_of_fame()
    assert len(found) > 1 and refiner.grammar.is_legal(found.batch.tokens).all()
    engine = refiner.engine
    again = engine.refit(list(found.batch), max_steps=0)
    np.testing.assert_allclose(again.nrmse, found.nrmse, rtol=1e-6, atol=1e-12)


def test_every_move_makes_fillings() -> None:
    refiner = refiner_of("A * exp(-f(x)) + g(y, z)", X[:, 0] + X[:, 1] * X[:, 2])
    refiner.run(evaluations=6000)
    tried = {name: count for name, (count, _) in refiner._core.counters()["moves"].items()}
    assert all(tried.values()), tried


def test_a_state_is_resumed() -> None:
    y = np.exp(-X[:, 0]) + X[:, 1] * X[:, 2]
    one = refiner_of("A * exp(-f(x)) + g(y, z)", y)
    one.run(evaluations=2000)
    other = Refiner.load(one.save(), one.engine, one.grammar)
    for refiner in (one, other):
        refiner.run(evaluations=2000)
    first, second = (population_of(refiner) for refiner in (one, other))
    np.testing.assert_array_equal(first.tokens, second.tokens)
    np.testing.assert_array_equal(first.constants, second.constants)
