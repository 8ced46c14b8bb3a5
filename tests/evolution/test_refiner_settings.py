"""Every setting of the refiner is changed once, and its own effect on a run is seen.

Here are effects that are certain. Those that a run has only on average are in test_success_rates.py.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from ddsr._core import PAD
from ddsr.config import RefinerConfig
from ddsr.engine import Engine, FitOptions
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.grammar import AtMost, Grammar
from ddsr.search.contributors.evolution import Ending, HallOfFame, Refiner, RefinerStats
from evolution_cases import XYZ, engine_of, refiner_of
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
    config = {"n_islands": 1, "sync_interval": 50, "restart_steps": 0} | settings
    return Refiner(engine, Grammar(TINY, max_length=3), RefinerConfig(**config), seed=1)


def log_losses(refiner: Refiner) -> np.ndarray:
    return np.asarray(refiner._core.population()[2])


def names_in(batch: Batch) -> set[str]:
    return {batch.vocabulary.names[token] for token in np.unique(batch.tokens[batch.tokens != PAD])}


def is_same(left: Refiner, right: Refiner) -> bool:
    """Whether two runs went the same way."""
    return left.population_batch().keys() == right.population_batch().keys()


def seeded(**settings: object) -> np.ndarray:
    """The constants in the hall of fame after one seed of the right structure, which starts elsewhere."""
    refiner = Refiner(engine_of("sin(1.3 * x) + y"), Grammar(XYZ), RefinerConfig(**settings), seed=0)
    refiner.seed([SINE.with_constants([1.0])])
    return refiner.hall_of_fame().batch.constants[0]


# Populations


@covers("n_islands", RefinerConfig)
def test_n_islands() -> None:
    assert len(ran(n_islands=1, restart_steps=0).population_batch()) == 40
    assert len(ran(n_islands=3, restart_steps=0).population_batch()) == 120


@covers("island_size", RefinerConfig)
def test_island_size() -> None:
    assert len(ran(island_size=25, restart_steps=0).population_batch()) == 50


@covers("tournament_size", RefinerConfig)
def test_tournament_size() -> None:
    assert not is_same(ran(tournament_size=1), ran(tournament_size=12))


@covers("parsimony", RefinerConfig)
def test_parsimony() -> None:
    """Fitness is the error plus this times the size."""
    for parsimony in (0.0, 0.5):
        refiner = ran(parsimony=parsimony)
        fitness = refiner._core.elites(40)[2] + parsimony * refiner.elites(40).sizes
        assert len(fitness) == 40 and (np.diff(fitness) >= 0).all()


@covers("crowding", RefinerConfig)
def test_crowding() -> None:
    assert not is_same(*(ran(parsimony=0.05, crowding=crowding) for crowding in (10.0, 0.0)))


@covers("n_sketches", RefinerConfig)
def test_n_sketches() -> None:
    """The last island has no population until it is through with them."""
    assert len(ran(n_sketches=10_000, restart_steps=0).population_batch()) == 40
    assert len(ran(n_sketches=0, restart_steps=0).population_batch()) == 80


@covers("restart_steps", RefinerConfig)
def test_restart_steps() -> None:
    """A new life tries everything again; one that never ends finds nothing new."""
    forever, mortal = tiny(), tiny(restart_steps=300)
    for _ in range(30):  # of a slice, 50 steps, each
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
    """A seed whose fit leads out of the range is refused, and so is all that a run finds there."""
    batch = ran(constant_range=3.0).population_batch()
    sizes = np.abs([value for expression in batch for value in expression.constants if value != 0.0])
    assert sizes.min() >= 1 / 3 and sizes.max() <= 3
    for constant_range, n_kept in ((3.0, 0), (1e7, 1)):
        config = RefinerConfig(constant_range=constant_range)
        refiner = Refiner(engine_of("sin(4.3 * x) + y"), Grammar(XYZ), config, seed=0)
        refiner.seed([SINE.with_constants([4.2])])
        assert len(refiner.population_batch()) == n_kept


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
    """Half of a thousand children are right to five standard deviations; none and all of them exactly."""
    for rate in (0.0, 0.5, 1.0):
        moves = ran(1000, crossover_rate=rate).run(evaluations=0).moves
        n = sum(count.tried for count in moves.values())
        assert n > 500
        assert abs(moves["crossover"].tried - rate * n) <= 5 * np.sqrt(rate * (1 - rate) * n)


def names_after_seeds(**settings: object) -> set[str]:
    """What the populations hold, where `log` comes from the library alone."""
    changes = {"crossover_rate": 1.0, "n_seeds": 0, "operators": {"log": 0.0}, "n_islands": 2}
    refiner = refiner_of(HARD, noise=0.1, **changes | settings)
    texts = ["log(z * z) + x", "x * log(y * y)", "log(x * x)", "y + log(exp(x) + 1)"]
    refiner.seed([Expression.parse(text, XYZ) for text in texts])
    refiner.run(evaluations=500)
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
    """One lookup completes the only parent, unless the dictionary is empty."""

    def run(size: int) -> RefinerStats:
        settings = {"moves": {"match": 1.0}, "crossover_rate": 0.0, "n_sketches": 0, "n_islands": 1}
        refiner = refiner_of("x * sin(y)", island_size=1, dictionary_size=size, **settings)
        refiner.seed([Expression.parse("x", XYZ)])
        return refiner.run(evaluations=100)

    assert run(0).moves["match"].improved == 0 < run(0).moves["match"].tried
    assert run(1000).moves["match"].improved > 0


@covers("n_seeds", RefinerConfig)
def test_n_seeds() -> None:
    for n_seeds in (0, 3):
        refiner = refiner_of(HARD, n_seeds=n_seeds)
        refiner.seed(Batch.from_tokens(XYZ, Grammar(XYZ, max_length=20).sample(50, seed=2)))
        assert len(refiner.population_batch()) == n_seeds


@covers("moves", RefinerConfig)
def test_moves() -> None:
    """Chosen by weight: of a thousand moves and more the share is right to five standard deviations."""
    moves = ran(1500, moves={"point": 1.0, "hoist": 3.0}, crossover_rate=0.0).run(evaluations=0).moves
    assert {name for name, count in moves.items() if count.tried} == {"point", "hoist"}
    n = moves["hoist"].tried + moves["point"].tried
    assert n > 1000
    assert abs(moves["hoist"].tried - 0.75 * n) < 5 * np.sqrt(0.75 * 0.25 * n)


@covers("operators", RefinerConfig)
def test_operators() -> None:
    none = dict.fromkeys(("sub", "div", "pow", "cos", "log", "sqrt", "exp"), 0.0)
    assert names_in(ran(operators=none).population_batch()) <= {"add", "mul", "sin", "1", "?", "x", "y", "z"}


def drawn(**settings: object) -> Batch:
    """A first generation, which is drawn: hundreds of random trees."""
    return ran(250, island_size=300, **settings).population_batch()


@covers("unary_rate", RefinerConfig)
def test_unary_rate() -> None:
    def share(rate: float) -> float:
        batch = drawn(unary_rate=rate)
        is_unary = np.isin(batch.tokens, np.flatnonzero(np.asarray(XYZ.arities) == 1))
        return float(is_unary.sum() / batch.sizes.sum())

    assert share(0.0) < 0.5 * share(0.9)  # two tokens are unary in any case


@covers("constant_rate", RefinerConfig)
def test_constant_rate() -> None:
    def share(rate: float) -> float:
        batch = drawn(constant_rate=rate, operators={"pow": 0.0})
        return sum(each.n_constants for each in batch) / batch.sizes.sum()

    assert share(0.0) == 0.0
    assert share(0.7) > share(0.2) > 0.0


@covers("n_attempts", RefinerConfig)
def test_n_attempts() -> None:
    """Under rules that most children break."""

    def failed_share(n_attempts: int) -> float:
        grammar = Grammar(XYZ, max_length=20, rules=[AtMost(("x", "y", "z"), 2)])
        config = RefinerConfig(n_attempts=n_attempts, n_islands=2, n_sketches=0)
        stats = Refiner(engine_of(HARD, noise=0.1), grammar, config, seed=0).run(evaluations=400)
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
    assert tiny(memory_size=1, most_tries=1).run(evaluations=500).evaluations > 3


@covers("sync_interval", RefinerConfig)
def test_sync_interval() -> None:
    """Islands that do not hear of each other try the same."""
    apart, together = (tiny(n_islands=4, sync_interval=steps).run(evaluations=500) for steps in (200, 1))
    assert apart.evaluations == 4 * 6
    assert together.evaluations < 4 * 6


def is_on_both(**settings: object) -> bool:
    """Whether the truth, put into one of two islands, is on both when the populations are full."""
    fixed = {"sync_interval": 50, "restart_steps": 0, "island_size": 80, "dictionary_size": 500}
    settings = fixed | {"n_migrants": 20} | settings  # as many as there are sizes
    refiner = refiner_of(HARD, noise=0.1, n_islands=2, n_sketches=0, **settings)
    truth = Expression.parse(HARD, XYZ)
    refiner.seed([truth])
    refiner.run(evaluations=400)
    keys = refiner.population_batch().keys()
    assert len(keys) == 160
    return truth.key in keys[:80] and truth.key in keys[80:]


@covers("migration_interval", RefinerConfig)
def test_migration_interval() -> None:
    assert is_on_both(migration_interval=50)
    assert not is_on_both(migration_interval=10**9)


@covers("n_migrants", RefinerConfig)
def test_n_migrants() -> None:
    assert is_on_both(migration_interval=50, n_migrants=20)
    assert not is_on_both(migration_interval=50, n_migrants=0)


# Fits


@covers("fit_rows", RefinerConfig)
def test_fit_rows() -> None:
    """A plane meets three rows, and errs on all."""
    for fit_rows in (3, 200):
        refiner = refiner_of(HARD, fit_rows=fit_rows, fit_steps=50, is_scale_free=False)
        refiner.seed([Expression.parse("1.0 * x + 1.0 * y + 1.0", XYZ)])
        assert (log_losses(refiner)[0] < -20) == (fit_rows == 3)
        assert refiner.hall_of_fame().nrmse.min() > 0.05


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
    for size in (0, 7):
        assert len(ran(200, list_size=size, list_slack=3.0, list_share=1.0).shortlist()) == size


@covers("list_rows", RefinerConfig)
def test_list_rows() -> None:
    few, many = (ran(list_rows=n_rows, list_share=1.0, list_size=3).shortlist() for n_rows in (20, 10_000))
    engine = engine_of(HARD, noise=0.1)

    def off(listed: HallOfFame) -> float:
        """How far the errors on the list are from those on all rows."""
        scores = engine.score(listed.batch, options=FitOptions(max_steps=0, is_scale_free=True))
        return float(np.abs(np.log(scores.nrmse / listed.nrmse)).max())

    assert off(many) < 1e-6 < off(few)


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
    """The truth errs by the noise: a tenth, or nothing."""
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
