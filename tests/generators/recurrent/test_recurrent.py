import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from ddsr._core import PAD
from ddsr.config import DSRConfig
from ddsr.generators.recurrent.constraints import PrefixRules, PrefixWalk
from ddsr.generators.recurrent.generator import RecurrentGenerator
from ddsr.generators.recurrent.order import breadth_first_rows
from ddsr.grammar import Grammar

CPU = torch.device("cpu")
DEFAULT = DSRConfig()
TINY = DSRConfig(operators=("add", "sin"), max_length=6, max_constants=1, preferred_length=3.0)


def make_generator(config=DEFAULT, variables=("x", "y"), seed=0):
    vocabulary = config.vocabulary(variables)
    grammar = Grammar(vocabulary, config.max_length, config.max_constants)
    generator = RecurrentGenerator(grammar, config, seed, CPU)
    with torch.no_grad():  # a sharper distribution than a fresh network's, so that errors show
        generator.network.to_logits.weight.mul_(6.0)
    return generator


def test_every_drawn_expression_obeys_the_rules():
    generator = make_generator()
    batch = generator.sample(500, epoch=0)
    assert len(batch) == 500
    assert generator.grammar.is_legal(batch.tokens).all()
    assert batch.sizes.min() >= DEFAULT.min_length and batch.sizes.max() <= DEFAULT.max_length
    assert (batch.tokens == generator.grammar.vocabulary.constant).any()


def test_recorded_log_probs_equal_those_of_teacher_forcing():
    generator = make_generator()
    prefix, recorded = generator.draw(100, epoch=0)
    breadth_first = breadth_first_rows(generator.grammar.vocabulary, prefix)
    view = generator.corrupt(breadth_first, np.random.default_rng(0))
    assert (view.clean_tokens == prefix).all()
    is_legal = torch.from_numpy(generator.legal_tokens(view.clean_tokens))
    with torch.no_grad():
        recomputed = generator.log_probs(generator.network, generator.inputs(view), is_legal)
    torch.testing.assert_close(recomputed.exp().sum(-1), torch.ones(prefix.shape))
    chosen = np.take_along_axis(recomputed.numpy(), np.maximum(prefix, 0)[..., None].astype(int), -1)[..., 0]
    is_token = prefix != PAD
    np.testing.assert_allclose(chosen[is_token], recorded[is_token], rtol=1e-4, atol=1e-5)
    assert (recorded[~is_token] == 0).all()


def test_same_seed_same_draws():
    one, other = make_generator(), make_generator()
    before = torch.get_num_threads()
    first = one.sample(300, epoch=2).tokens
    try:
        torch.set_num_threads(3)
        assert (first == other.sample(300, epoch=2).tokens).all()
    finally:
        torch.set_num_threads(before)
    assert (first != one.sample(300, epoch=3).tokens).any()
    assert (first != make_generator(seed=1).sample(300, epoch=2).tokens).any()


def test_without_constants_none_appears():
    generator = make_generator(replace(DEFAULT, constants=False))
    assert "?" not in generator.grammar.vocabulary.names
    assert all(expression.n_constants == 0 for expression in generator.sample(200, epoch=0))
    assert any(expression.n_constants > 0 for expression in make_generator().sample(200, epoch=0))


def enumerated(generator):
    """Probability of every expression, by following every possible next token."""
    config, outcomes = generator.config, {}

    def descend(prefix, probability):
        walk = PrefixWalk(PrefixRules(generator.grammar, config.min_length), 1)
        parents, siblings = [], []
        for token in (*prefix, None):
            parents.append(int(walk.parent[0]))
            siblings.append(int(walk.sibling[0]))
            if token is not None:
                walk.advance(np.array([token]))
        if walk.n_open[0] == 0:
            outcomes[prefix] = probability
            return
        logits, _ = generator.network(torch.tensor([parents]), torch.tensor([siblings]))
        preference = walk.length_preference(config.preferred_length, config.length_scale)[0]
        weights = np.exp(logits[0, -1].double().numpy() + preference) * walk.legal()[0]
        for token in np.flatnonzero(weights):
            descend((*prefix, int(token)), probability * weights[token] / weights.sum())

    with torch.no_grad():
        descend((), 1.0)
    return outcomes


def test_sampled_frequencies_match_the_enumerated_distribution():
    generator = make_generator(TINY, seed=3)
    expected = enumerated(generator)
    assert sum(expected.values()) == pytest.approx(1.0)
    n = 15_000
    drawn, counts = np.unique(generator.draw(n, epoch=0)[0], axis=0, return_counts=True)
    observed = {tuple(row[row != PAD]): count for row, count in zip(drawn, counts, strict=True)}
    assert set(observed) <= set(expected)
    likely = [key for key, probability in expected.items() if probability * n > 10]
    counted = np.array([observed.get(key, 0) for key in likely] + [0.0])
    predicted = np.array([expected[key] * n for key in likely] + [0.0])
    counted[-1], predicted[-1] = n - counted.sum(), n - predicted.sum()
    assert len(likely) > 10 and predicted[-1] > 5
    assert chisquare(counted, predicted).pvalue > 1e-3


@pytest.mark.parametrize("changed", ({"hidden_size": 8}, {"min_length": 8}, {"preferred_length": 20.0}))
def test_every_setting_of_the_generator_has_its_effect(changed):
    base = make_generator().sample(100, epoch=0).tokens
    assert (make_generator(replace(DEFAULT, **changed)).sample(100, epoch=0).tokens != base).any()


def n_calls(function, *arguments):
    """Count the function calls, in Python and in C."""
    calls = []
    sys.setprofile(lambda frame, event, argument: calls.append(event))
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return sum(event.endswith("call") for event in calls)


def test_a_batch_changes_its_order_at_once():
    """Works token by token, but not row by row."""
    generator = make_generator()
    prefix, _ = generator.draw(400, epoch=0)
    vocabulary = generator.grammar.vocabulary
    n_of_some, n_of_all = (n_calls(breadth_first_rows, vocabulary, rows) for rows in (prefix[:40], prefix))
    assert n_of_all < 2 * n_of_some
