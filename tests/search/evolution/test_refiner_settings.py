"""Every setting of the refiner is changed once, and its own effect on a run is checked.

These effects are certain. Effects that occur only on average are in test_success_rates.py.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from ddsr._core import PAD
from ddsr.config import RefinerConfig
from ddsr.engine import Engine
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.grammar import Grammar
from ddsr.search.contributors.evolution import Ending, Refiner, RefinerStats
from evolution_cases import XYZ, engine_of, population_of, refiner_of
from field_cases import CASES, covers

HARD = "sin(x) * y + x / (1.5 + exp(z))"
SINE = Expression.parse("sin(1.3 * x) + y", XYZ)
# Three structures: x, sin(x) and x + x.
TINY = Vocabulary(("x",), ("add", "sin"), has_one=False, has_constant=False)


def ran(evaluations: int = 500, **settings: object) -> Refiner:
    small = {"n_islands": 2, "island_size": 40, "n_sketches": 0, "dictionary_size": 500}
    refiner = refiner_of(HARD, noise=0.1, **small | settings)
    refiner.run(evaluations=evaluations)
    return refiner


def tiny(**settings: object) -> Refiner:
    X = np.linspace(-2, 2, 50)[:, None]
    engine = Engine(TINY, X, np.exp(X[:, 0]))
    config = {"n_islands": 1, "restart_steps": 0} | settings
    return Refiner(engine, Grammar(TINY, max_length=3), RefinerConfig(**config), seed=1)


def log_losses(refiner: Refiner) -> np.ndarray:
    return np.asarray(refiner._core.population()[2])


def names_in(batch: Batch) -> set[str]:
    return {batch.vocabulary.names[token] for token in np.unique(batch.tokens[batch.tokens != PAD])}


# Populations


@covers("n_islands", RefinerConfig)
def test_n_islands() -> None:
    assert len(population_of(ran(n_islands=1, restart_steps=0))) == 40
    assert len(population_of(ran(n_islands=3, restart_steps=0))) == 120


@covers("island_size", RefinerConfig)
def test_island_size() -> None:
    assert len(population_of(ran(island_size=25, restart_steps=0))) == 50


@covers("parsimony", RefinerConfig)
def test_parsimony() -> None:
    """Fitness is the error plus this times the size."""
    for parsimony in (0.0, 0.5):
        refiner = ran(parsimony=parsimony)
        fitness = refiner._core.elites(40)[2] + parsimony * refiner.elites(40).sizes
        assert len(fitness) == 40 and (np.diff(fitness) >= 0).all()


@covers("n_sketches", RefinerConfig)
def test_n_sketches() -> None:
    """The last island has no population until its sketches are done."""
    assert len(population_of(ran(n_sketches=10_000, restart_steps=0))) == 40
    assert len(population_of(ran(n_sketches=0, restart_steps=0))) == 80


@covers("restart_steps", RefinerConfig)
def test_restart_steps() -> None:
    """A new life tries everything again; a life that never ends finds nothing new."""
    forever, mortal = tiny(), tiny(restart_steps=300)
    for _ in range(10):  # of one slice, 200 steps, each
        assert forever.run(evaluations=1000).evaluations == 6
        mortal.run(evaluations=1000)
    assert mortal.n_evaluations > 6


@covers("is_scale_free", RefinerConfig)
def test_is_scale_free() -> None:
    held, free = (ran(is_scale_free=is_free).hall_of_fame() for is_free in (False, True))
    assert (held.scale == 1.0).all() and (held.offset == 0.0).all()
    assert (free.scale != 1.0).any()


@covers("constant_range", RefinerConfig)
def test_constant_range() -> None:
    """A seed whose fit leaves the range is refused, and so is everything a run finds there."""
    batch = population_of(ran(constant_range=3.0))
    sizes = np.abs([value for expression in batch for value in expression.constants if value != 0.0])
    assert sizes.min() >= 1 / 3 and sizes.max() <= 3
    for constant_range, n_kept in ((3.0, 0), (1e7, 1)):
        config = RefinerConfig(constant_range=constant_range)
        refiner = Refiner(engine_of("sin(4.3 * x) + y"), Grammar(XYZ), config, seed=0)
        refiner.seed([SINE.with_constants([4.2])])
        assert len(population_of(refiner)) == n_kept


# Children


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_constants_may_be_as_far_from_1_as_the_inputs(unit: float) -> None:
    """Otherwise an exponential of nanoseconds could not be written."""
    vocabulary = Vocabulary(("t",))
    t = np.random.default_rng(0).uniform(0.1, 5.0, size=(100, 1))
    refiner = Refiner(Engine(vocabulary, t * unit, 3.0 * np.exp(-0.7 * t[:, 0])), Grammar(vocabulary))
    refiner.seed([Expression.parse(f"exp({-0.69 / unit!r} * t)", vocabulary)])
    assert refiner.hall_of_fame().nrmse[-1] < 1e-12


@covers("crossover_rate", RefinerConfig)
def test_crossover_rate() -> None:
    """Half of a thousand children is exact to five standard deviations; none and all are exact."""
    for rate in (0.0, 0.5, 1.0):
        moves = ran(1000, crossover_rate=rate).run(evaluations=0).moves
        n = sum(count.tried for count in moves.values())
        assert n > 500
        assert abs(moves["crossover"].tried - rate * n) <= 5 * np.sqrt(rate * (1 - rate) * n)


@covers("dictionary_size", RefinerConfig)
def test_dictionary_size() -> None:
    """One lookup completes the only parent, unless the dictionary is empty."""

    def run(size: int) -> RefinerStats:
        settings = {"moves": {"match": 1.0}, "crossover_rate": 0.0, "n_sketches": 0, "n_islands": 1}
        refiner = refiner_of("x * sin(y)", island_size=1, dictionary_size=size, **settings)
        refiner.seed([Expression.parse("x", XYZ)])
        return refiner.run(evaluations=100)

    assert run(0).moves["match"].improved == 0 < run(0).moves["match"].tried
    assert run(1000).moves["match"].improved > 0


@covers("moves", RefinerConfig)
def test_moves() -> None:
    """Drawn by weight: with more than a thousand moves the share is right to five standard deviations."""
    moves = ran(1500, moves={"point": 1.0, "hoist": 3.0}, crossover_rate=0.0).run(evaluations=0).moves
    assert {name for name, count in moves.items() if count.tried} == {"point", "hoist"}
    n = moves["hoist"].tried + moves["point"].tried
    assert n > 1000
    assert abs(moves["hoist"].tried - 0.75 * n) < 5 * np.sqrt(0.75 * 0.25 * n)


@covers("operators", RefinerConfig)
def test_operators() -> None:
    none = dict.fromkeys(("sub", "div", "pow", "cos", "log", "sqrt", "exp"), 0.0)
    assert names_in(population_of(ran(operators=none))) <= {"add", "mul", "sin", "1", "?", "x", "y", "z"}


# Fits


@covers("fit_rows", RefinerConfig)
def test_fit_rows() -> None:
    """A plane fits three rows exactly, but not all."""
    for fit_rows in (3, 200):
        refiner = refiner_of(HARD, fit_rows=fit_rows, fit_steps=50, is_scale_free=False)
        refiner.seed([Expression.parse("1.0 * x + 1.0 * y + 1.0", XYZ)])
        assert (log_losses(refiner)[0] < -20) == (fit_rows == 3)
        assert refiner.hall_of_fame().nrmse.min() > 0.05


@covers("fit_steps", RefinerConfig)
def test_fit_steps() -> None:
    """Without steps a child keeps its parents' constants."""

    def constant(fit_steps: int) -> float:
        refiner = Refiner(engine_of("sin(1.3 * x) + y"), Grammar(XYZ), RefinerConfig(fit_steps=fit_steps))
        # a better one is in the hall of fame, so this one is not fitted further
        refiner.seed([SINE])
        refiner.seed([SINE.with_constants([1.2])])
        return float(population_of(refiner).constants.min())

    assert constant(0) == 1.2
    assert constant(50) == pytest.approx(1.3, abs=1e-3)


@covers("exact", RefinerConfig)
def test_exact() -> None:
    """The error of the truth is the noise: a tenth, or nothing."""
    for noise, exact, ending in (
        (0.1, 0.5, Ending.EXACT),
        (0.1, 1e-12, Ending.OUT_OF_BUDGET),
        (0.0, 1e-12, Ending.EXACT),
        (0.0, 0.0, Ending.OUT_OF_BUDGET),
    ):
        refiner = refiner_of(HARD, noise=noise, exact=exact)
        refiner.seed([Expression.parse(HARD, XYZ)])
        assert refiner.run(evaluations=50).ending is ending


def test_every_field_has_a_case() -> None:
    assert {known.name for known in fields(RefinerConfig)} == CASES[RefinerConfig]
