"""Helpers shared by the tests of evolution."""

from __future__ import annotations

import numpy as np

from ddsr import _core
from ddsr.config import RefinerConfig
from ddsr.engine import Engine
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.grammar import Grammar
from ddsr.search.contributors.evolution import Refiner

XYZ = Vocabulary(("x", "y", "z"))


def options(**settings: object) -> _core.EvolutionOptions:
    """Settings of the core with every move enabled, for tests of single moves."""
    made = _core.EvolutionOptions()
    made.operator_weights = [1.0] * len(_core.operators())
    made.move_weights = [1.0] * len(_core.MOVES)
    for name, value in settings.items():
        setattr(made, name, value)
    return made


def rows_of(expression: Expression) -> tuple[np.ndarray, np.ndarray]:
    batch = Batch.of([expression])
    return batch.tokens, batch.constants


def moved(name: str, parent: Expression, seed: int, donor: Expression | None = None) -> Expression:
    """The child that a move makes of an expression."""
    vocabulary = parent.vocabulary
    found = _core.move(name, vocabulary.core, *rows_of(parent), *rows_of(donor or parent), options(), seed)
    return Batch(vocabulary, *found)[0]


def engine_of(text: str, n: int = 200, noise: float = 0.0, vocabulary: Vocabulary = XYZ) -> Engine:
    """An engine on data made by the expression."""
    rng = np.random.default_rng(7)
    X = rng.uniform(-2, 2, (n, len(vocabulary.variables)))
    y = Expression.parse(text, vocabulary).to_callable()(X)
    return Engine(vocabulary, X, y + noise * y.std() * rng.normal(size=n))


def refiner_of(
    text: str, seed: int = 0, n_threads: int = 1, noise: float = 0.0, **settings: object
) -> Refiner:
    config = RefinerConfig(**settings)  # type: ignore[arg-type]
    return Refiner(engine_of(text, noise=noise), Grammar(XYZ, max_length=20), config, seed, n_threads)


def population_of(refiner: Refiner) -> Batch:
    """All individuals of a refiner, island after island."""
    tokens, constants, _ = refiner._core.population()
    return Batch(refiner.grammar.vocabulary, tokens, constants)
