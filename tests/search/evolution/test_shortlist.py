"""The shortlist: formulas that the fitting rows cannot distinguish from the best, judged on many rows."""

from __future__ import annotations

import numpy as np
import pytest

from ddsr.engine import Engine, FitOptions
from ddsr.expression import Expression
from ddsr.grammar import Grammar
from ddsr.price.code_in_use import code_in_use
from ddsr.price.enumeration import NATS_OF_SIZE
from ddsr.search.contributors.evolution import Refiner
from ddsr.search.hall_of_fame import HallOfFame
from evolution_cases import XYZ, engine_of, refiner_of

NOISY = "sin(x) * y + x / (1.5 + exp(z))"


def lengths(listed: HallOfFame, n_rows: int) -> np.ndarray:
    """The lengths that docs/refiner.md defines."""
    batch = listed.batch
    n_constants = np.array([each.n_constants for each in batch])
    price = code_in_use().price_of_candidates(len(XYZ.variables))
    structures = price.nats(XYZ.core, batch.tokens, batch.constants, True)
    return np.asarray(
        n_rows * np.log(listed.nrmse) + structures + (0.5 * np.log(n_rows) + NATS_OF_SIZE) * n_constants
    )


def test_the_shortest_come_first_and_none_twice() -> None:
    # without powers, whose integer exponents belong to the structure
    refiner = refiner_of(NOISY, noise=0.1, operators={"pow": 0.0})
    refiner.run(evaluations=4000)
    listed = refiner.shortlist()
    assert len(listed) > 5
    assert (np.diff(lengths(listed, refiner.engine.n_rows)) >= -1e-9).all()
    assert len(set(listed.batch.keys())) == len(listed)
    assert (np.abs(np.diff(np.sort(listed.nrmse))) > 0).all()


def test_its_errors_are_those_of_all_rows() -> None:
    """With fewer than 1500 rows, the constants are those of a fit to all rows."""
    refiner = refiner_of(NOISY, noise=0.1)
    refiner.run(evaluations=1000)
    listed = refiner.shortlist()
    assert len(listed) > 0
    options = FitOptions(max_steps=0, is_scale_free=True)
    scores = engine_of(NOISY, noise=0.1).score(listed.batch, options=options)
    assert scores.nrmse == pytest.approx(listed.nrmse, rel=1e-6)


def test_a_seed_that_is_as_good_as_the_best_is_listed() -> None:
    """The hall of fame has one place per size, which another expression may have."""
    refiner = refiner_of(NOISY, noise=0.1)
    refiner.run(evaluations=1000)
    truth = Expression.parse("sin(x) * y + x / (1.4 + exp(z))", XYZ)
    refiner.seed([truth])
    keys = refiner.shortlist().batch.keys()
    assert truth.key in keys


def weighed(n_ignored: int, count: int = 1) -> Refiner:
    """A refiner on 300 weighted rows, followed by rows of weight 0 with another target."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, (300, 3))
    clean = Expression.parse(NOISY, XYZ).to_callable()(X)
    y = clean + 0.1 * clean.std() * rng.normal(size=300)
    weights = np.append(rng.uniform(0.9, 1.0, size=300), np.zeros(n_ignored))
    rows, target = np.vstack([X, X[:n_ignored]]), np.append(y, np.full(n_ignored, 1e3))
    engine = Engine(XYZ, rows, target, weights, counts=np.full(len(rows), count))
    refiner = Refiner(engine, Grammar(XYZ, max_length=20), seed=0)
    refiner.run(evaluations=4000)
    return refiner


@pytest.mark.parametrize("n_ignored", [100, 300])
def test_rows_of_weight_zero_are_ignored(n_ignored: int) -> None:
    with_them, without = weighed(n_ignored).shortlist(), weighed(0).shortlist()
    assert list(with_them.batch) == list(without.batch)
    assert with_them.nrmse.tolist() == without.nrmse.tolist()


def test_a_row_with_a_count_of_three_counts_three_times() -> None:
    refiner = weighed(50, count=3)
    assert (np.diff(lengths(refiner.shortlist(), refiner.engine.n_counted)) >= -1e-9).all()
    assert (np.diff(lengths(refiner.shortlist(), refiner.engine.n_rows)) < 0).any()


def test_it_is_saved() -> None:
    refiner = refiner_of(NOISY, noise=0.1)
    refiner.run(evaluations=1000)
    again = Refiner.load(refiner.save(), refiner.engine, refiner.grammar)
    for each in (refiner, again):
        each.run(evaluations=1000)
    before, after = refiner.shortlist(), again.shortlist()
    assert before.batch.keys() == after.batch.keys() and before.nrmse.tolist() == after.nrmse.tolist()


def test_threads_change_nothing() -> None:
    lists = []
    for n_threads in (1, 3):
        refiner = refiner_of(NOISY, noise=0.1, n_threads=n_threads)
        refiner.run(evaluations=1500)
        lists.append(refiner.shortlist())
    assert lists[0].batch.keys() == lists[1].batch.keys()
