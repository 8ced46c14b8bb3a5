"""A search in the fewer inputs that remain after symmetries are used."""

from dataclasses import replace

import numpy as np
import pytest

from chance_cases import assert_rate
from ddsr.config import RefinerConfig
from ddsr.engine import Engine
from ddsr.errors import DataError
from ddsr.expression import Expression, Vocabulary
from ddsr.grammar import AtMost, Grammar
from ddsr.search.contributors.symmetry import ReducedSearch
from ddsr.search.hall_of_fame import HallOfFame
from ddsr.storage.saved import from_bytes, to_bytes

VOCABULARY = Vocabulary(["h", "w", "k", "t"])
X = np.random.default_rng(0).uniform(1, 3, size=(300, 4))
PLANCK = X[:, 0] * X[:, 1] / (np.exp(X[:, 0] * X[:, 1] / (X[:, 2] * X[:, 3])) - 1)
IMITATION = "k * t * exp(-0.5 * h * w / (k * t))"


def reduced_search(
    y: np.ndarray = PLANCK,
    rules: tuple = (),
    vocabulary: Vocabulary = VOCABULARY,
    seed: int = 1,
    weights: np.ndarray | None = None,
) -> ReducedSearch:
    engine = Engine(vocabulary, X, y, weights)
    config = RefinerConfig(n_islands=2)
    return ReducedSearch.on(engine.dataset, engine, Grammar(vocabulary, rules=rules), config, seed=seed)


def found_by(search: ReducedSearch, *texts: str) -> HallOfFame:
    """The hall of fame of a refiner that found these expressions, fitted."""
    expressions = [Expression.parse(text, search.engine.vocabulary) for text in texts]
    scores = search.engine.score(expressions)
    return HallOfFame(scores.batch, scores.scale, scores.offset, scores.nrmse)


def error_of(expression: Expression, search: ReducedSearch) -> float:
    """The error with free scale and offset, as the search computes it."""
    options = replace(search.engine.options, is_scale_free=True)
    return float(search.engine.score([expression], options=options).nrmse[0])


def test_an_approximation_shows_the_remaining_input() -> None:
    search = reduced_search()
    search.look(found_by(search, IMITATION))
    assert search.is_active and search.reduction is not None
    (left,) = search.reduction.inputs
    assert set(Expression.from_tree(VOCABULARY, search.reduction.trees[0]).variables_used) <= set("hwkt")
    assert left is not None


def test_results_in_fewer_inputs_are_proposed_over_all_inputs() -> None:
    """The law in the one remaining input, or in its inverse, is inserted into the inner search."""
    search = reduced_search()
    search.look(found_by(search, IMITATION))
    assert search.reduction is not None
    inner = search.refiners[search.reduction]
    texts = ("u0 / (exp(u0) - 1)", "1 / (exp(u0) - 1)", "1 / (exp(1 / u0) - 1)", "1 / u0 / (exp(1 / u0) - 1)")
    inner.seed([Expression.parse(text, inner.engine.vocabulary) for text in texts])
    assert inner.hall_of_fame().nrmse[-1] < 1e-12
    best = min(search.run(0, None), key=lambda each: error_of(each, search))
    assert error_of(best, search) < 1e-12
    assert set(best.variables_used) == {"h", "w", "k", "t"}


@pytest.mark.slow
def test_an_approximation_leads_to_the_law() -> None:
    """Also if the first exact fit is long and cannot be written over all inputs.

    Ten runs of 5,000 evaluations. Measured: 10 of 10 seeds; assumed: 0.7, so 5 of 20 seeds must succeed.
    """

    def is_found(seed: int) -> bool:
        search = reduced_search(seed=seed)
        search.look(found_by(search, IMITATION))
        proposals = []
        for _ in range(10):
            proposals += search.run(5000, None)
            if proposals and min(error_of(each, search) for each in proposals) < 1e-12:
                return True
        return False

    assert_rate(is_found, range(20), 0.7)


def test_a_law_of_powers_is_proposed_at_once() -> None:
    search = reduced_search(X[:, 0] ** 2 * X[:, 1] / X[:, 2])
    (proposal,) = search.look(found_by(search, "h^2.02 * w / k"))
    assert error_of(proposal, search) < 1e-12
    assert not search.is_active  # only t is left, with a constant target
    assert search.look(found_by(search, "h^2.02 * w / k")) == []  # only once


def test_without_symmetries_or_close_approximations_nothing_starts() -> None:
    search = reduced_search()
    search.look(found_by(search, "h + sin(w) * k^2 + cos(t * h)"))
    assert not search.is_active
    noise = reduced_search(np.random.default_rng(1).normal(size=300))
    noise.look(found_by(noise, "h * w"))
    assert not noise.is_active


def test_proposals_obey_the_grammar() -> None:
    search = reduced_search(rules=(AtMost("exp", 0),))
    search.look(found_by(search, "k * t - 0.5 * h * w + 0.1 * h^2 * w^2 / (k * t)"))
    assert search.is_active
    proposals = search.run(1000, None)
    assert proposals and all("exp" not in each.text() for each in proposals)


def test_nothing_is_proposed_twice() -> None:
    search = reduced_search()
    search.look(found_by(search, IMITATION))
    proposals = search.run(500, None) + search.run(500, None)
    assert len({each.key for each in proposals}) == len(proposals)


def test_the_latest_reductions_are_remembered() -> None:
    search = reduced_search()
    texts = ("sin(h * w) * k + t", "sin(h - w) * exp(k / t)", "exp(h * k) + w * t", "(h - w) * sin(k) * t")
    known = []
    for text in texts:
        search.look(_pretended(search, text))
        known.append(search.reduction)
    assert len(set(known)) == 4 and list(search.refiners) == known[2:]
    search.run(200, None)
    n_evaluations = search.n_scored
    search.look(_pretended(search, texts[2]))
    assert search.reduction == known[2] and search.n_scored == n_evaluations
    search.look(_pretended(search, texts[0]))  # again; the fourth is forgotten, but its evaluations count
    assert list(search.refiners) == [known[2], known[0]]
    assert search.n_scored == n_evaluations


def _pretended(search: ReducedSearch, text: str) -> HallOfFame:
    """As if the expression fitted well."""
    batch = search.engine.score([Expression.parse(text, VOCABULARY)]).batch
    return HallOfFame(batch, np.ones(1), np.zeros(1), np.full(1, 0.01))


def test_a_saved_search_continues_as_an_uninterrupted_one() -> None:
    whole = reduced_search()
    whole.look(found_by(whole, IMITATION))
    whole.run(700, None)
    saved = from_bytes(to_bytes(whole.saved()))
    resumed = reduced_search()
    resumed.restore(saved)
    assert resumed.reduction == whole.reduction and resumed.n_scored == whole.n_scored
    expected = [each.text(17) for each in whole.run(700, None)]
    assert [each.text(17) for each in resumed.run(700, None)] == expected


def test_a_saved_search_of_other_data_is_refused() -> None:
    search = reduced_search()
    search.look(found_by(search, IMITATION))
    saved = from_bytes(to_bytes(search.saved()))
    other = reduced_search(PLANCK + X[:, 0])
    with pytest.raises(DataError, match="belongs to other data"):
        other.restore(saved)


def test_a_vocabulary_that_cannot_write_the_inputs_is_left_alone() -> None:
    plain = Vocabulary(["h", "w", "k", "t"], ("add", "sub", "mul", "exp"))
    search = reduced_search(vocabulary=plain)
    search.look(found_by(search, "k * t - h * w"))
    assert not search.is_active


def test_a_sample_of_many_rows_is_used() -> None:
    many = np.random.default_rng(1).uniform(1, 3, size=(50_000, 4))
    y = many[:, 0] * many[:, 1] / (np.exp(many[:, 0] * many[:, 1] / (many[:, 2] * many[:, 3])) - 1)
    engine = Engine(VOCABULARY, many, y)
    search = ReducedSearch.on(engine.dataset, engine, Grammar(VOCABULARY), RefinerConfig(), seed=1)
    search.look(found_by(search, IMITATION))
    assert search.reduction is not None and search.refiners[search.reduction].engine.n_rows == 20_000
    assert len(search.run(300, None)) <= 8  # fitting them takes time proportional to the rows


def test_weights_count() -> None:
    """Rows of weight 0 are not used in the search in fewer inputs."""
    y, weights = PLANCK.copy(), np.ones(300)
    y[::3], weights[::3] = 1e3, 0.0
    search = reduced_search(y, weights=weights)
    search.look(found_by(search, IMITATION))
    assert search.reduction is not None
    inner = search.refiners[search.reduction].engine
    alone = reduced_search()
    alone.look(found_by(alone, IMITATION))
    assert inner.n_counted == 200
    assert inner.spread < 2 * alone.refiners[alone.reduction].engine.spread
