"""Every setting of the refiner is changed once, and its own effect on a run is seen."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from ddsr._core import PAD
from ddsr.config import RefinerConfig
from ddsr.engine import Engine, FitOptions
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.grammar import AtMost, Grammar
from ddsr.refiner import Ending, HallOfFame, Refiner
from evolution_cases import XYZ, engine_of, refiner_of
from field_cases import CASES, covers

HARD = "sin(x) * y + x / (1.5 + exp(z))"
SINE = Expression.parse("sin(1.3 * x) + y", XYZ)
# Three structures: x, sin(x) and x + x.
TINY = Vocabulary(("x",), ("add", "sin"), has_one=False, has_constant=False)


def ran(evaluations: int = 2000, **settings: object) -> Refiner:
    refiner = refiner_of(HARD, noise=0.1, **{"n_islands": 2, "island_size": 40, "n_sketches": 0} | settings)
    refiner.run(evaluations=evaluations)
    return refiner


def tiny(**settings: object) -> Refiner:
    X = np.linspace(-2, 2, 50)[:, None]
    engine = Engine(TINY, X, np.exp(X[:, 0]))
    config = {"n_islands": 1, "sync_interval": 50, "restart_steps": 0} | settings
    return Refiner(engine, Grammar(TINY, max_length=3), RefinerConfig(**config), seed=1)


def log_losses(refiner: Refiner) -> np.ndarray:
    return np.asarray(refiner._core.population()[2])


def mean_size(refiner: Refiner) -> float:
    return float(refiner.population_batch().sizes.mean())


def names_in(batch: Batch) -> set[str]:
    return {batch.vocabulary.names[token] for token in np.unique(batch.tokens[batch.tokens != PAD])}


def n_shared(refiner: Refiner) -> int:
    """Structures, of more than three tokens, that both of two islands hold."""
    batch = refiner.population_batch()
    keys = np.array(batch.keys(), dtype=object)
    half = len(keys) // 2
    is_large = batch.sizes > 3
    return len(set(keys[:half][is_large[:half]]) & set(keys[half:][is_large[half:]]))


def seeded(**settings: object) -> np.ndarray:
    """The constants in the hall of fame after one seed of the right structure, which starts elsewhere."""
    refiner = Refiner(engine_of("sin(1.3 * x) + y"), Grammar(XYZ), RefinerConfig(**settings), seed=0)
    refiner.seed([SINE.with_constants([1.0])])
    return refiner.hall_of_fame().batch.constants[0]


# Populations


@covers("n_islands", RefinerConfig)
def test_n_islands() -> None:
    assert len(ran(n_islands=1).population_batch()) == 40
    assert len(ran(n_islands=3).population_batch()) == 120


@covers("island_size", RefinerConfig)
def test_island_size() -> None:
    assert len(ran(island_size=25).population_batch()) == 50


@covers("tournament_size", RefinerConfig)
def test_tournament_size() -> None:
    """The harder the choice of parents, the fitter the population."""
    drift, selection = (np.median(log_losses(ran(tournament_size=size))) for size in (1, 12))
    assert selection < drift - 0.3


@covers("parsimony", RefinerConfig)
def test_parsimony() -> None:
    assert mean_size(ran(parsimony=0.5)) < 0.6 * mean_size(ran(parsimony=0.0))


@covers("crowding", RefinerConfig)
def test_crowding() -> None:
    """Over seeds: one run may end a life, and be small again, just when the other is in full growth."""
    costly, plain = (
        np.mean([mean_size(ran(5000, seed=seed, parsimony=0.05, crowding=crowding)) for seed in range(10)])
        for crowding in (10.0, 0.0)
    )
    assert costly < 0.8 * plain


@covers("n_sketches", RefinerConfig)
def test_n_sketches() -> None:
    """The last island makes no move until it is through with them."""

    def n_moves(n_sketches: int) -> int:
        stats = ran(n_sketches=n_sketches).run(evaluations=1)
        return sum(count.tried for count in stats.moves.values())

    assert n_moves(1500) < n_moves(0) - 300


@covers("restart_steps", RefinerConfig)
def test_restart_steps() -> None:
    """A new life tries everything again, twice; one that never ends finds nothing new."""
    forever, mortal = tiny(), tiny(restart_steps=300)
    for refiner in (forever, mortal):
        for _ in range(30):  # of a slice, 50 steps, each
            stats = refiner.run(evaluations=1000)
            if refiner is forever:
                assert stats.evaluations == 6
    stats = mortal.run(evaluations=0)
    assert stats.evaluations == 6 * (1 + stats.steps // 310)  # a life's first steps find all there is
    assert stats.evaluations > 20


@covers("is_scale_free", RefinerConfig)
def test_is_scale_free() -> None:
    held, free = (ran(2000, is_scale_free=is_free).hall_of_fame() for is_free in (False, True))
    assert (held.scale == 1.0).all() and (held.offset == 0.0).all()
    assert (free.scale != 1.0).any()


@covers("constant_range", RefinerConfig)
def test_constant_range() -> None:
    def extremes(constant_range: float) -> tuple[float, float]:
        batch = ran(4000, constant_range=constant_range).population_batch()
        sizes = np.abs([value for expression in batch for value in expression.constants if value != 0.0])
        return float(sizes.min()), float(sizes.max())

    least, most = extremes(3.0)
    assert least >= 1 / 3 and most <= 3
    least, most = extremes(1e7)
    assert least < 1 / 3 or most > 3


# Children


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_constants_may_be_as_far_from_1_as_the_inputs(unit: float) -> None:
    """Or an exponential of nanoseconds could not be written."""
    vocabulary = Vocabulary(("t",))
    t = np.random.default_rng(0).uniform(0.1, 5.0, size=(100, 1))
    refiner = Refiner(Engine(vocabulary, t * unit, 3.0 * np.exp(-0.7 * t[:, 0])), Grammar(vocabulary))
    refiner.seed([Expression.parse(f"exp({-0.69 / unit!r} * t)", vocabulary)])
    assert refiner.hall_of_fame().nrmse[-1] < 1e-12


@covers("crossover_rate", RefinerConfig)
def test_crossover_rate() -> None:
    for rate in (0.0, 0.5, 1.0):
        moves = ran(crossover_rate=rate).run(evaluations=0).moves
        n_children = sum(count.tried for count in moves.values())
        assert moves["crossover"].tried / n_children == pytest.approx(rate, abs=0.05)


def names_after_seeds(**settings: object) -> set[str]:
    """What the populations hold, where `log` comes from the library alone."""
    changes = {"crossover_rate": 1.0, "n_seeds": 0, "operators": {"log": 0.0}, "n_islands": 2}
    refiner = refiner_of(HARD, noise=0.1, **changes | settings)
    texts = ["log(z * z) + x", "x * log(y * y)", "log(x * x)", "y + log(exp(x) + 1)"]
    refiner.seed([Expression.parse(text, XYZ) for text in texts])
    refiner.run(evaluations=2000)
    return names_in(refiner.population_batch())


@covers("library_rate", RefinerConfig)
def test_library_rate() -> None:
    assert "log" in names_after_seeds(library_rate=1.0)
    assert "log" not in names_after_seeds(library_rate=0.0)


@covers("library_size", RefinerConfig)
def test_library_size() -> None:
    assert "log" in names_after_seeds(library_rate=1.0, library_size=2)
    assert "log" not in names_after_seeds(library_rate=1.0, library_size=0)


@covers("dictionary_size", RefinerConfig)
def test_dictionary_size() -> None:
    """What is looked up in an empty dictionary is not found."""
    empty, full = (ran(dictionary_size=size).run(evaluations=0).moves["match"] for size in (0, 1000))
    assert empty.tried > 0 and empty.improved == 0 and full.improved > 0


@covers("n_seeds", RefinerConfig)
def test_n_seeds() -> None:
    for n_seeds in (0, 3):
        refiner = refiner_of(HARD, n_seeds=n_seeds)
        refiner.seed(Batch.from_tokens(XYZ, Grammar(XYZ, max_length=20).sample(50, seed=2)))
        assert len(refiner.population_batch()) == n_seeds


@covers("moves", RefinerConfig)
def test_moves() -> None:
    moves = ran(moves={"point": 1.0, "hoist": 3.0}).run(evaluations=0).moves
    assert {name for name, count in moves.items() if count.tried} == {"point", "hoist", "crossover"}
    assert moves["hoist"].tried == pytest.approx(3 * moves["point"].tried, rel=0.2)


@covers("operators", RefinerConfig)
def test_operators() -> None:
    none = dict.fromkeys(("sub", "div", "pow", "cos", "log", "sqrt", "exp"), 0.0)
    assert names_in(ran(operators=none).population_batch()) <= {"add", "mul", "sin", "1", "?", "x", "y", "z"}


@covers("unary_rate", RefinerConfig)
def test_unary_rate() -> None:
    """Of the first generation, which is drawn."""

    def share(rate: float) -> float:
        batch = ran(60, unary_rate=rate).population_batch()
        is_unary = np.isin(batch.tokens, np.flatnonzero(np.asarray(XYZ.arities) == 1))
        return float(is_unary.sum() / batch.sizes.sum())

    assert share(0.0) < 0.5 * share(0.9)  # two tokens are unary in any case


@covers("constant_rate", RefinerConfig)
def test_constant_rate() -> None:
    def share(rate: float) -> float:
        batch = ran(60, constant_rate=rate, operators={"pow": 0.0}).population_batch()
        return sum(each.n_constants for each in batch) / batch.sizes.sum()

    assert share(0.0) == 0.0
    assert share(0.7) > share(0.2) > 0.0


@covers("n_attempts", RefinerConfig)
def test_n_attempts() -> None:
    """Under rules that most children break."""

    def failed_share(n_attempts: int) -> float:
        grammar = Grammar(XYZ, max_length=20, rules=[AtMost(("x", "y", "z"), 2)])
        config = RefinerConfig(n_attempts=n_attempts, n_islands=2, n_sketches=0)
        stats = Refiner(engine_of(HARD, noise=0.1), grammar, config, seed=0).run(evaluations=1000)
        return stats.failed_moves / stats.steps

    assert failed_share(8) < 0.5 * failed_share(1)


# What was tried


@covers("most_tries", RefinerConfig)
def test_most_tries() -> None:
    for most in (1, 2, 5):
        stats = tiny(most_tries=most).run(evaluations=1000)
        assert stats.ending is Ending.EXHAUSTED and stats.evaluations == 3 * most


@covers("memory_size", RefinerConfig)
def test_memory_size() -> None:
    """What is forgotten can be tried again."""
    assert tiny(memory_size=1000, most_tries=1).run(evaluations=500).evaluations == 3
    assert tiny(memory_size=1, most_tries=1).run(evaluations=500).evaluations > 6


@covers("sync_interval", RefinerConfig)
def test_sync_interval() -> None:
    """Islands that do not hear of each other try the same."""
    apart, together = (tiny(n_islands=4, sync_interval=steps).run(evaluations=500) for steps in (200, 1))
    assert apart.evaluations == 4 * 6
    assert together.evaluations < 4 * 6


@covers("migration_interval", RefinerConfig)
def test_migration_interval() -> None:
    # Islands so large that what came in with the last migration is still there.
    settings = {"n_migrants": 15, "sync_interval": 100, "restart_steps": 0, "island_size": 150}
    often, never = (ran(migration_interval=steps, **settings) for steps in (100, 10**9))
    assert n_shared(often) > n_shared(never) + 2


@covers("n_migrants", RefinerConfig)
def test_n_migrants() -> None:
    settings = {"migration_interval": 100, "sync_interval": 100, "restart_steps": 0, "island_size": 150}
    many, none = (ran(n_migrants=n, **settings) for n in (15, 0))
    assert n_shared(many) > n_shared(none) + 2


# Fits


@covers("fit_rows", RefinerConfig)
def test_fit_rows() -> None:
    """Three rows are fitted exactly by what errs on all."""
    few, all_rows = ran(fit_rows=3, exact=0.0), ran(fit_rows=200)
    assert log_losses(few).min() < -20 < log_losses(all_rows).min()
    assert few.hall_of_fame().nrmse.min() > all_rows.hall_of_fame().nrmse.min() > 0.05


@covers("fit_steps", RefinerConfig)
def test_fit_steps() -> None:
    assert seeded(fit_steps=0, polish_steps=0) == [1.0]
    assert seeded(fit_steps=50, polish_steps=0) == pytest.approx([1.3], abs=1e-3)


@covers("polish_steps", RefinerConfig)
def test_polish_steps() -> None:
    assert seeded(fit_steps=0, polish_steps=50) == pytest.approx([1.3], abs=1e-9)


@covers("tolerance", RefinerConfig)
def test_tolerance() -> None:
    rough, fine = (seeded(fit_steps=100, polish_steps=0, tolerance=share)[0] for share in (0.99999, 1e-12))
    assert abs(fine - 1.3) < 1e-9 < 1e-4 < abs(rough - 1.3)


@covers("list_size", RefinerConfig)
def test_list_size() -> None:
    assert len(ran(list_size=0).shortlist()) == 0
    assert len(ran(list_size=7).shortlist()) == 7


@covers("list_rows", RefinerConfig)
def test_list_rows() -> None:
    few, many = (ran(list_rows=n_rows, list_share=1.0, list_size=3).shortlist() for n_rows in (20, 10_000))
    engine = engine_of(HARD, noise=0.1)

    def off(listed: HallOfFame) -> float:
        """How far the errors on the list are from those on all rows."""
        scores = engine.score(listed.batch, options=FitOptions(max_steps=0, is_scale_free=True))
        return float(np.abs(np.log(scores.nrmse / listed.nrmse)).max())

    assert off(many) < 1e-3 < 0.005 < off(few)


@covers("list_slack", RefinerConfig)
def test_list_slack() -> None:
    """Whatever looks worse by more than the slack is not fitted on many rows: the list fills slowly."""
    strict, lax = (ran(300, list_slack=slack, list_share=1.0).shortlist() for slack in (0.0, 3.0))
    assert len(strict) < len(lax)


@covers("list_share", RefinerConfig)
def test_list_share() -> None:
    few, many = (ran(list_slack=3.0, list_share=share).shortlist() for share in (0.01, 1.0))
    assert len(few) < len(many)


@covers("exact", RefinerConfig)
def test_exact() -> None:
    loose = refiner_of(HARD, exact=0.5)
    assert loose.run(evaluations=5000).ending is Ending.EXACT
    assert 1e-3 < loose.hall_of_fame().nrmse[-1] < 0.5
    never = refiner_of("x * y", exact=0.0)
    assert never.run(evaluations=5000).ending is Ending.OUT_OF_BUDGET
    assert never.hall_of_fame().nrmse[-1] < 1e-12


def test_every_field_has_a_case() -> None:
    assert {known.name for known in fields(RefinerConfig)} == CASES[RefinerConfig]
