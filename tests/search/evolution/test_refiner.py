"""What can be relied on in the refiner. How often it finds a law is in test_success_rates.py."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddsr import _core
from ddsr.config import RefinerConfig
from ddsr.engine import Engine, values
from ddsr.errors import DataError, ExpressionError, MethodError
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.grammar import AtMost, Forbid, Grammar, MustAppear, Nesting
from ddsr.search.contributors.evolution import Ending, Refiner
from evolution_cases import XYZ, engine_of, population_of, refiner_of

HARD = "sin(x) * y + x / (1.5 + exp(z))"
SMALL = {"n_islands": 3, "island_size": 40}


def is_same(left: Refiner, right: Refiner) -> bool:
    return left.save() == right.save()


def test_the_result_depends_only_on_the_seed() -> None:
    runs = [
        refiner_of(HARD, seed, n_threads, noise=0.1, **SMALL) for seed, n_threads in [(4, 1), (4, 2), (5, 2)]
    ]
    seeds = Batch.from_tokens(XYZ, Grammar(XYZ, max_length=20).sample(100, seed=2))
    for refiner in runs:
        refiner.seed(seeds)
        refiner.run(evaluations=1500)
    assert is_same(runs[0], runs[1])
    assert population_of(runs[0]).keys() != population_of(runs[2]).keys()


def test_a_loaded_refiner_continues_as_the_saved_one() -> None:
    refiner = refiner_of(HARD, noise=0.1, **SMALL)
    refiner.seed(Batch.from_tokens(XYZ, Grammar(XYZ, max_length=20).sample(100, seed=2)))
    refiner.run(evaluations=1234)
    copy = Refiner.load(refiner.save(), refiner.engine, refiner.grammar, n_threads=2)
    assert is_same(refiner, copy)
    refiner.run(evaluations=2000)
    assert not is_same(refiner, copy)
    copy.run(evaluations=2000)
    assert is_same(refiner, copy)


RESTARTING = SMALL | {"restart_steps": 150, "n_sketches": 0}


def test_an_island_that_stalls_restarts() -> None:
    """The populations shrink to a few random trees; earlier results are kept."""
    refiner = refiner_of("x * y", noise=0.5, **RESTARTING)
    sizes, errors = [], []
    for _ in range(60):
        refiner.run(evaluations=50)
        sizes.append(len(population_of(refiner)))
        errors.append(refiner.hall_of_fame().nrmse.min())
    assert (np.diff(sizes) < 0).any()
    assert (np.diff(errors) <= 0).all()


def test_an_island_that_never_restarts_stays_full() -> None:
    refiner = refiner_of("x * y", noise=0.5, **RESTARTING | {"restart_steps": 0})
    sizes = []
    for _ in range(30):
        refiner.run(evaluations=50)
        sizes.append(len(population_of(refiner)))
    assert (np.diff(sizes) >= 0).all()
    assert sizes[-1] == refiner.config.n_islands * refiner.config.island_size


def test_a_later_life_is_resumed_after_loading_with_any_number_of_threads() -> None:
    refiner = refiner_of("x * y", noise=0.5, **RESTARTING)
    refiner.run(evaluations=4321)
    copy = Refiner.load(refiner.save(), refiner.engine, refiner.grammar, n_threads=2)
    for each in (refiner, copy):
        each.run(evaluations=3000)
    assert is_same(refiner, copy)
    in_parts = refiner_of("x * y", noise=0.5, n_threads=2, **RESTARTING)
    in_parts.run(evaluations=4321)
    in_parts.run(evaluations=3000)
    assert is_same(refiner, in_parts)


def test_elites_of_several_lives_are_distinct() -> None:
    """Without powers, because the structure changes if a fit moves an exponent to or from an integer."""
    refiner = refiner_of("x * y", noise=0.5, operators={"pow": 0.0}, **RESTARTING)
    for _ in range(10):
        refiner.run(evaluations=300)
        elites = refiner.elites(30)
        assert len(set(elites.keys())) == len(elites)


def test_a_life_that_begins_in_the_future_is_refused() -> None:
    """With an empty population its first steps would have negative numbers."""
    refiner = refiner_of(HARD, n_islands=1, island_size=5)
    saved = refiner.save()
    state = refiner._core.save()
    # after the format and the islands: empty population, the oldest, the lives, then the start of this life
    begin = len(saved) - len(state) + 8 * 5
    changed = saved[:begin] + (7).to_bytes(8, "little") + saved[begin + 8 :]
    with pytest.raises(DataError, match="future"):
        Refiner.load(changed, refiner.engine, refiner.grammar)


def test_the_same_data_may_have_a_spread_with_other_last_bits() -> None:
    """As if another processor had saved the refiner."""
    refiner = refiner_of(HARD, n_islands=1, island_size=5)
    spread = refiner.engine.spread
    text = json.dumps(spread).encode()
    for factor, is_same in ((1.0 + 1e-15, True), (1.0 + 1e-6, False)):
        changed = refiner.save().replace(text, json.dumps(spread * factor).encode(), 1)
        assert changed != refiner.save()
        if is_same:
            Refiner.load(changed, refiner.engine, refiner.grammar)
        else:
            with pytest.raises(DataError, match="other data"):
                Refiner.load(changed, refiner.engine, refiner.grammar)


def test_invalid_saved_refiners_are_refused() -> None:
    refiner = refiner_of(HARD, noise=0.1, **SMALL)
    refiner.run(evaluations=300)
    saved = refiner.save()
    with pytest.raises(DataError, match="not a saved refiner"):
        Refiner.load(b"x", refiner.engine, refiner.grammar)
    with pytest.raises(DataError, match="ends too early"):
        Refiner.load(saved[:-1], refiner.engine, refiner.grammar)
    with pytest.raises(DataError, match="behind its end"):
        Refiner.load(saved + b"x", refiner.engine, refiner.grammar)
    with pytest.raises(DataError, match="another grammar"):
        Refiner.load(saved, refiner.engine, Grammar(XYZ, max_length=21))
    with pytest.raises(DataError, match="other data"):
        Refiner.load(saved, engine_of("x + y", n=100), refiner.grammar)


@given(st.data())
@settings(max_examples=60)
def test_changed_bytes_are_refused_or_harmless(data: st.DataObject) -> None:
    refiner = refiner_of(HARD, noise=0.1, n_islands=1, island_size=5, dictionary_size=100)
    refiner.run(evaluations=20)
    saved = bytearray(refiner.save())
    start = len(saved) - len(refiner._core.save())
    for place in data.draw(st.lists(st.integers(start, len(saved) - 1), min_size=1, max_size=4)):
        saved[place] = data.draw(st.integers(0, 255))
    try:
        changed = Refiner.load(bytes(saved), refiner.engine, refiner.grammar)
    except DataError:
        return
    changed.run(evaluations=20, seconds=1)


def test_the_hall_of_fame_is_a_front_that_never_gets_worse() -> None:
    refiner = refiner_of(HARD, noise=0.05, **SMALL)
    best = np.full(21, np.inf)  # by size
    for _ in range(10):
        refiner.run(evaluations=150)
        hall = refiner.hall_of_fame()
        assert (np.diff(hall.batch.sizes) > 0).all()
        assert (np.diff(hall.nrmse) < 0).all()
        now = np.array([hall.nrmse[hall.batch.sizes <= size].min(initial=np.inf) for size in range(21)])
        assert (now <= best).all()
        best = now


def test_errors_are_those_of_the_models_on_all_rows() -> None:
    engine = engine_of(HARD, n=3000, noise=0.05)
    refiner = Refiner(engine, Grammar(XYZ, max_length=20), RefinerConfig(fit_rows=50), seed=1)
    refiner.run(evaluations=1000)
    hall = refiner.hall_of_fame()
    rng = np.random.default_rng(7)
    X = rng.uniform(-2, 2, (3000, 3))
    y = Expression.parse(HARD, XYZ).to_callable()(X)
    y = y + 0.05 * y.std() * rng.normal(size=3000)
    f, is_finite = values(hall.batch, X)
    assert is_finite.all()
    error = y - hall.scale[:, None] * f - hall.offset[:, None]
    np.testing.assert_allclose(np.sqrt((error**2).mean(axis=1)) / y.std(), hall.nrmse, rtol=1e-6)
    for model, scale, offset, values_of_f in zip(hall.expressions(), hall.scale, hall.offset, f, strict=True):
        assert model is not None
        np.testing.assert_allclose(model.to_callable()(X), scale * values_of_f + offset, rtol=1e-6, atol=1e-9)


GRAMMARS = [
    Grammar(XYZ, max_length=7, max_constants=1),
    Grammar(XYZ, max_length=12, rules=[Forbid("exp", on="x"), Nesting("div", "div"), AtMost(("x", "y"), 2)]),
    Grammar(XYZ, max_length=15, rules=[MustAppear("x", "y", "z")]),
    Grammar(Vocabulary(("x", "y", "z"), ("add", "neg", "inverse"), has_constant=False), max_length=10),
    Grammar(Vocabulary(("x", "y", "z"), ("square", "cube", "sin"), has_one=False), max_length=4),
]


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_every_individual_obeys_the_grammar(grammar: Grammar) -> None:
    X = np.random.default_rng(7).uniform(-2, 2, (200, 3))
    engine = Engine(grammar.vocabulary, X, np.sin(X[:, 0]) * X[:, 1] - X[:, 2] ** 2 + 0.1 * X[:, 1])
    refiner = Refiner(engine, grammar, RefinerConfig(n_islands=2, island_size=50), seed=2)
    refiner.run(evaluations=800)
    for batch in (population_of(refiner), refiner.hall_of_fame().batch, refiner.elites(20)):
        assert len(batch) > 0
        assert grammar.is_legal(batch.tokens).all()


def test_a_structure_is_not_tried_a_third_time() -> None:
    vocabulary = Vocabulary(("x",), ("add", "sin"), has_one=False, has_constant=False)
    X = np.linspace(-2, 2, 50)[:, None]
    engine = Engine(vocabulary, X, np.exp(X[:, 0]))
    # x, sin(x), x + x: three structures, so at most six children can be fitted
    grammar = Grammar(vocabulary, max_length=3)
    refiner = Refiner(engine, grammar, RefinerConfig(n_islands=1), seed=1)
    stats = refiner.run(evaluations=1000)
    assert stats.ending is Ending.EXHAUSTED
    assert stats.evaluations == 6
    assert stats.duplicates > 0


def test_seeds_enter_the_hall_of_fame_and_the_population() -> None:
    refiner = refiner_of(HARD)
    refiner.seed([Expression.parse(HARD.replace("1.5", "1.3"), XYZ), Expression.parse("x + y", XYZ)])
    assert len(population_of(refiner)) == 2
    assert refiner.hall_of_fame().nrmse[-1] < 1e-12  # with the constant fitted
    assert refiner.run(evaluations=1000).ending is Ending.EXACT


def test_seeds_that_are_too_many_go_into_the_library() -> None:
    refiner = refiner_of(HARD)
    refiner.seed(Batch.from_tokens(XYZ, Grammar(XYZ, max_length=20).sample(400, seed=2)))
    assert len(population_of(refiner)) == 40
    assert refiner.run(evaluations=500).evaluations == 900


def test_seeds_that_break_the_grammar_are_refused() -> None:
    refiner = refiner_of(HARD)
    with pytest.raises(ExpressionError, match=r"expression 1, position 1: sin is nested too deeply"):
        refiner.seed([Expression.parse("x + y", XYZ), Expression.parse("cos(sin(x))", XYZ)])
    with pytest.raises(ExpressionError, match="different vocabulary"):
        refiner.seed([Expression.parse("x", Vocabulary(("x",)))])
    assert len(population_of(refiner)) == 0


def test_elites_come_by_fitness() -> None:
    refiner = refiner_of(HARD, noise=0.05)
    refiner.run(evaluations=1000)
    elites = refiner.elites(30)
    assert len(elites) == 30
    log_loss = refiner._core.elites(30)[2]
    fitness = log_loss + refiner.config.parsimony * elites.sizes
    assert (np.diff(fitness) >= 0).all()


def test_statistics_add_up() -> None:
    refiner = refiner_of(HARD, noise=0.05)
    stats = refiner.run(evaluations=1000)
    assert stats.evaluations == 1000
    assert stats.steps == stats.evaluations + stats.duplicates + stats.failed_moves
    assert set(stats.moves) == {*_core.MOVES, "crossover"}
    assert all(0 <= count.improved <= count.tried for count in stats.moves.values())
    assert stats.evaluations_per_second > 0


def test_islands_look_at_the_clock_before_every_step() -> None:
    """Each island takes at most one step after the time is up, so a run exceeds its limit by one fit."""
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 2, (100_000, 3))
    y = np.sin(X[:, 0]) * X[:, 1] + X[:, 2] ** 2 / (X[:, 0] + 1) + 0.1 * rng.normal(size=len(X))
    refiner = Refiner(Engine(XYZ, X, y), Grammar(XYZ), seed=1, n_threads=2)
    assert refiner.run(seconds=0.0).steps == 0
    stats = refiner.run(seconds=1e-9)
    assert stats.ending is Ending.OUT_OF_BUDGET
    assert stats.steps <= refiner.config.n_islands
    assert refiner.run(evaluations=8).evaluations == stats.evaluations + 8


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"moves": {"jump": 1.0}}, "unknown name 'jump' in moves"),
        ({"operators": {"add": -1.0}}, "weight of 'add'"),
        ({"crossover_rate": 1.5}, "crossover_rate"),
        ({"n_islands": 0}, "n_islands"),
    ],
)
def test_bad_settings_are_named(settings: dict, message: str) -> None:
    with pytest.raises((MethodError, DataError), match=message):
        RefinerConfig(**settings)


def test_a_run_needs_a_budget() -> None:
    with pytest.raises(MethodError, match="budget"):
        refiner_of(HARD).run()


def test_as_many_constants_as_rows_are_not_an_exact_fit() -> None:
    """A linear model fits any four rows exactly, and no row is left to test it."""
    X = np.array([[1.0, 1.0, 1.0], [3.0, 1.0, 1.0], [1.0, 3.0, 1.0], [1.0, 1.0, 3.0]])
    engine = Engine(XYZ, X, np.array([0.3, 2.2, -1.1, 5.0]))
    refiner = Refiner(engine, Grammar(XYZ), RefinerConfig(is_scale_free=False), seed=0)
    refiner.seed([Expression.parse("1.0 + 1.0 * x + 1.0 * y + 1.0 * z", XYZ)])
    assert refiner.hall_of_fame().nrmse[-1] < 1e-12
    assert refiner.run(evaluations=20).ending is Ending.OUT_OF_BUDGET
