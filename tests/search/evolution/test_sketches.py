"""Sketches: a simple factor, a function, and what completes them best, in an island's order."""

from __future__ import annotations

import numpy as np
import pytest

from ddsr import _core
from ddsr.engine import Engine, FitOptions, values
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.grammar import Grammar
from ddsr.search.contributors.evolution import Refiner, RefinerConfig
from evolution_cases import options

XY = Vocabulary(("x", "y"))
LAWS = [
    "x / (exp(0.31 * x) - 1)",
    "log(1 + 0.37 * x) / x",
    "y * exp(0.35 / x)",
    "exp(-1.7 * exp(-0.6 * x))",
    "log(1.4 + exp(1.3 * x))",
]


def engine_of(law: str, n_rows: int = 60) -> Engine:
    X = np.random.default_rng(3).uniform(0.2, 5.0, (n_rows, 2))
    return Engine(XY, X, Expression.parse(law, XY).to_callable()(X))


def sketches_of(engine: Engine, n: int, **settings: object) -> Batch:
    vocabulary = engine.vocabulary
    made = _core.sketches(vocabulary.core, engine.data, options(**settings), n)
    return Batch(vocabulary, *made)


@pytest.mark.parametrize("law", LAWS)
def test_short_laws_are_among_the_first_sketches(law: str) -> None:
    """Whatever the rows are: a match only has to be fitted."""
    engine = engine_of(law)
    sketches = sketches_of(engine, 1000)
    scores = engine.score(sketches, options=FitOptions(max_steps=20, is_scale_free=True))
    assert scores.nrmse.min() < 1e-10


def test_a_refiner_tries_sketches_first_and_resumes_them() -> None:
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


def test_a_budget_of_evaluations_is_met_exactly() -> None:
    for evaluations in (1, 7, 501):
        refiner = Refiner(engine_of("sin(x * y) + y"), Grammar(XY), RefinerConfig(exact=0.0), seed=1)
        assert refiner.run(evaluations=evaluations).evaluations == evaluations


def test_there_are_none_without_constants_or_without_a_dictionary() -> None:
    bare = Vocabulary(("x",), ("add", "mul", "sin"), has_constant=False)
    X = np.linspace(0.5, 2.0, 40)[:, None]
    assert len(sketches_of(Engine(bare, X, X[:, 0] ** 2), 100)) == 0
    assert len(sketches_of(engine_of("x + y"), 100, dictionary_size=0)) == 0


def test_operators_of_weight_zero_are_in_no_sketch() -> None:
    weights = [0.0 if row["name"] in ("exp", "div") else 1.0 for row in _core.operators()]
    texts = " ".join(map(str, sketches_of(engine_of(LAWS[0]), 2000, operator_weights=weights)))
    assert "exp" not in texts and "/" not in texts and "sin" in texts


@pytest.mark.parametrize(
    ("law", "n"), [("sqrt(-x)", 500), ("log(-x) / y", 500), ("sqrt(-x) / (1.3 - y)", 5000)]
)
def test_negative_inputs_have_roots_and_logarithms(law: str, n: int) -> None:
    """Of -x: dropping a factor that the model has anyway must not change the sign."""
    X = -np.random.default_rng(4).uniform(0.2, 5.0, (60, 2))
    engine = Engine(XY, X, Expression.parse(law, XY).to_callable()(X))
    scores = engine.score(sketches_of(engine, n), options=FitOptions(max_steps=20, is_scale_free=True))
    assert np.nanmin(scores.nrmse) < 1e-10
    assert np.isfinite(scores.nrmse).mean() > 0.9


def simplest_of(engine: Engine, n: int, seed: int) -> Batch:
    made = _core.simplest(engine.vocabulary.core, engine.data, options(dictionary_size=500), n, seed)
    return Batch(engine.vocabulary, *made)


def test_no_column_has_an_advantage() -> None:
    """All variables are tried first as factors, followed by factors that favour no column.

    How often a column is among the factors then has the same mean for all columns. Over 200 seeds no column
    deviates by six standard errors, which happens by chance in one of 10^7 tests.
    """
    names = tuple(f"x{i}" for i in range(8))
    X = np.random.default_rng(5).uniform(0.2, 5.0, (100, 8))
    engine = Engine(Vocabulary(names), X, np.exp(X @ np.linspace(0.1, 0.3, 8)))
    n_of_columns = []
    for seed in range(200):
        factors = simplest_of(engine, 64, seed)
        assert {str(each) for each in factors.take(np.arange(8))} == set(names)
        later = factors.tokens[8:]
        first = engine.vocabulary.first_variable
        n_of_columns.append([(later == first + column).sum() for column in range(8)])
    counts = np.array(n_of_columns, float)
    error = counts.std(ddof=1) / np.sqrt(len(counts))
    assert np.abs(counts.mean(axis=0) - counts.mean()).max() < 6 * error


@pytest.mark.parametrize("n_rows", [40, 1000])
def test_rough_constants_make_no_pole(n_rows: int) -> None:
    """A fit would not return from a pole, not even from one just before the first row."""
    X = np.random.default_rng(6).uniform(0.1, 12.0, (n_rows, 1))
    one = Vocabulary(("x",))
    engine = Engine(one, X, Expression.parse(LAWS[0], one).to_callable()(X))
    below_x = [each for each in sketches_of(engine, 600) if str(each).startswith("x / (")]
    divisors = [Expression.from_tree(one, each.tree.children[1]) for each in below_x]
    rough = [each for each in divisors if each.tree.name == "add" and each.n_constants > 0]
    assert len(rough) > 5
    at_ends, _ = values(rough, np.array([X.min(axis=0), X.max(axis=0)]))
    assert (at_ends[:, 0] * at_ends[:, 1] > 0.0).all()
