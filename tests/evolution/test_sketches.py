"""Sketches: a simple factor, a function, and what completes them best, as an island goes through them."""

from __future__ import annotations

import numpy as np
import pytest

from ddsr import _core
from ddsr.engine import Engine, FitOptions
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.grammar import Grammar
from ddsr.refiner import Ending, Refiner, RefinerConfig
from evolution_cases import options

XY = Vocabulary(("x", "y"))
LAWS = [
    "x / (exp(0.31 * x) - 1)",
    "log(1 + 0.37 * x) / x",
    "y * exp(0.35 / x)",
    "exp(-1.7 * exp(-0.6 * x))",
    "sqrt((1 + 0.2 * x) / (1 - 0.1 * x))",
    "log(1.4 + exp(1.3 * x))",
]


def engine_of(law: str, n_rows: int = 300) -> Engine:
    X = np.random.default_rng(3).uniform(0.2, 5.0, (n_rows, 2))
    return Engine(XY, X, Expression.parse(law, XY).to_callable()(X))


def sketches_of(engine: Engine, n: int, **settings: object) -> Batch:
    vocabulary = engine.vocabulary
    made = _core.sketches(vocabulary.core, engine.data, options(**settings), n)
    return Batch(vocabulary, *made)


@pytest.mark.parametrize("law", LAWS)
def test_what_is_short_is_found_among_the_first(law: str) -> None:
    engine = engine_of(law)
    sketches = sketches_of(engine, 1500)
    scores = engine.score(sketches, options=FitOptions(max_steps=20, is_scale_free=True))
    assert scores.nrmse.min() < 1e-10


def test_rough_numbers_make_no_pole() -> None:
    """Where the law has none: a fit would not come back from it."""
    engine = engine_of(LAWS[0])
    sketches = sketches_of(engine, 1500)
    exponential = [each for each in sketches if str(each).startswith("x / (") and "exp" in str(each)]
    assert exponential
    x = np.linspace(0.2, 5.0, 200)
    simple = next(each for each in exponential if len(each) <= 9)
    below = (np.column_stack([x, x]) * [1.0, 0.0])[:, 0] / simple.to_callable()(np.column_stack([x, x]))
    assert np.all(below > 0.0)


def test_a_refiner_goes_through_them_first_and_on_from_where_it_was() -> None:
    def refiner() -> Refiner:
        config = RefinerConfig(n_islands=2, exact=0.0)
        return Refiner(engine_of(LAWS[0]), Grammar(XY, max_length=20), config, seed=5)

    whole, begun = refiner(), refiner()
    for evaluations in (333, 567):
        whole.run(evaluations=evaluations)
    begun.run(evaluations=333)
    resumed = Refiner.load(begun.save(), begun.engine, begun.grammar)
    resumed.run(evaluations=567)
    assert resumed.save() == whole.save()


@pytest.mark.parametrize("seed", range(3))
def test_a_short_law_that_long_ones_imitate_is_found_soon(seed: int) -> None:
    engine, grammar = engine_of(LAWS[0]), Grammar(XY, max_length=32)
    assert Refiner(engine, grammar, RefinerConfig(), seed).run(evaluations=4000).ending is Ending.EXACT


def test_a_budget_of_evaluations_is_kept_to_the_last() -> None:
    for evaluations in (1, 7, 501):
        refiner = Refiner(engine_of("sin(x * y) + y"), Grammar(XY), RefinerConfig(exact=0.0), seed=1)
        assert refiner.run(evaluations=evaluations).evaluations == evaluations


def test_there_are_none_without_constants_or_without_a_dictionary() -> None:
    bare = Vocabulary(("x",), ("add", "mul", "sin"), has_constant=False)
    X = np.linspace(0.5, 2.0, 40)[:, None]
    assert len(sketches_of(Engine(bare, X, X[:, 0] ** 2), 100)) == 0
    assert len(sketches_of(engine_of("x + y"), 100, dictionary_size=0)) == 0


def test_operators_that_are_never_drawn_are_in_none() -> None:
    weights = [0.0 if row["name"] in ("exp", "div") else 1.0 for row in _core.operators()]
    texts = " ".join(map(str, sketches_of(engine_of(LAWS[0]), 2000, operator_weights=weights)))
    assert "exp" not in texts and "/" not in texts and "sin" in texts


def test_negative_inputs_have_roots_and_logarithms() -> None:
    """Of -x: a factor that is dropped since the model has one must not take the sign with it."""
    X = -np.random.default_rng(4).uniform(0.2, 5.0, (300, 2))
    for law in ("sqrt(-x)", "sqrt(-x) / (1.3 - y)", "log(-x) / y"):
        engine = Engine(XY, X, Expression.parse(law, XY).to_callable()(X))
        sketches = sketches_of(engine, 10_000)
        scores = engine.score(sketches, options=FitOptions(max_steps=20, is_scale_free=True))
        assert np.nanmin(scores.nrmse) < 1e-10
        assert np.isfinite(scores.nrmse).mean() > 0.95


def test_no_column_has_an_advantage() -> None:
    """The factors that are tried first: all variables, and after them those of no column in particular."""
    names = tuple(f"x{i}" for i in range(8))
    X = np.random.default_rng(5).uniform(0.2, 5.0, (100, 8))
    vocabulary = Vocabulary(names)
    engine = Engine(vocabulary, X, np.exp(X @ np.linspace(0.1, 0.3, 8)))
    texts = " ".join(map(str, sketches_of(engine, 15000)))
    counts = np.array([texts.count(name) for name in names])
    assert counts.min() > 0.4 * counts.max()


def test_a_pole_just_before_the_first_row_is_none_of_a_sketch() -> None:
    """The rows that are looked at hold the least and the greatest of each input."""
    X = np.random.default_rng(6).uniform(0.1, 12.0, (1000, 1))
    one = Vocabulary(("x",))
    engine = Engine(one, X, Expression.parse(LAWS[0], one).to_callable()(X))
    for seed in range(8):
        refiner = Refiner(engine, Grammar(one, max_length=32), RefinerConfig(), seed)
        assert refiner.run(evaluations=2000).ending is Ending.EXACT
