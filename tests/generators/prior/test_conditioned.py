"""The prior on a user's data: permuted columns, units, rules, many variables, and learning."""

import numpy as np
import pytest
import torch

from ddsr._core import MASK
from ddsr.config import DefaultConfig
from ddsr.expression import Batch, Vocabulary
from ddsr.generators.prior.distinct_diffusion import DistinctDiffusion
from ddsr.generators.prior.network import PriorNetwork
from ddsr.generators.prior.screen import choose_view, find_power, relevance
from ddsr.grammar import AtMost, Forbid, Grammar, MustAppear
from ddsr_pretraining.zero_shot import draw_in_order
from prior_cases import TINY

CPU = torch.device("cpu")
RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 4.0, size=(90, 3))
Y = X[:, 0] * np.sin(X[:, 1]) + 0.3 * X[:, 2]
NAMES = ("a", "b", "c")


def make_generator(X=X, y=Y, vocabulary=None, rules=(), max_length=14, seed=0):
    torch.manual_seed(4)
    network = PriorNetwork(TINY).eval()
    with torch.no_grad():  # a sharper distribution than a fresh network's, so that errors show
        network.denoiser.fixed_out.weight.mul_(30.0)
        network.denoiser.variable_out.weight.mul_(5.0)
    grammar = Grammar(vocabulary or Vocabulary(NAMES), max_length, rules=rules)
    return DistinctDiffusion(network, X, y, grammar, DefaultConfig(), seed, CPU)


def logits_of(generator, names):
    """Logits of a sequence that is masked except for a product of `a` and something, with tokens by name."""
    vocabulary = generator.grammar.vocabulary
    shown = np.full((1, generator.grammar.max_length), MASK, np.int16)
    shown[0, :2] = vocabulary.token("mul"), vocabulary.token("a")
    return generator.predict(shown, 10)[..., [vocabulary.token(name) for name in names]]


def test_permuted_columns_permute_the_proposals():
    names = [*Vocabulary(NAMES).names]
    expected = logits_of(make_generator(), names)
    order = [2, 0, 1]
    permuted = make_generator(X[:, order], Y, Vocabulary([NAMES[column] for column in order]))
    np.testing.assert_allclose(logits_of(permuted, names), expected, atol=1e-5)
    assert np.ptp(expected[..., -3:], axis=-1).max() > 1e-2  # the variables differ from each other
    one, other = (
        [expression.text() for expression in Batch.from_tokens(g.grammar.vocabulary, g.draw_distinct(50, 0))]
        for g in (make_generator(), permuted)
    )
    assert len(one) == 50 and one == other


@pytest.mark.parametrize("offset", [-1e8, 1e11])
def test_the_offset_of_the_target_changes_nothing(offset):
    names = [*Vocabulary(NAMES).names]
    expected = logits_of(make_generator(y=Y + 1e6), names)
    np.testing.assert_allclose(logits_of(make_generator(y=Y + offset), names), expected, atol=0.02)


def test_rows_with_nonzero_targets_are_shown():
    x = RNG.uniform(size=(5000, 3))
    y = np.zeros(5000)
    y[:5] = [1.0, 2.0, 3.0, 4.0, 5.0]
    generator = make_generator(x, y)
    assert (generator.view.y.max(axis=1) > 0.0).all()
    assert np.isfinite(logits_of(generator, Vocabulary(NAMES).names)).all()


def test_a_column_that_never_changes_is_not_shown():
    shown = choose_view(np.column_stack((X, np.full(len(X), 2.0))), Y, 10, 128, 4, seed=0)
    assert sorted(shown.columns) == [0, 1, 2]
    assert choose_view(np.ones((30, 2)), np.arange(30.0), 10, 128, 4, seed=0).columns.tolist() == [0, 1]


def test_order_of_rows_changes_nothing():
    order = RNG.permutation(len(X))
    names = [*Vocabulary(NAMES).names]
    expected, found = (logits_of(make_generator(x, y), names) for x, y in ((X, Y), (X[order], Y[order])))
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_units_of_an_input_change_nothing(scale):
    names = [*Vocabulary(NAMES).names]
    expected = logits_of(make_generator(), names)
    found = logits_of(make_generator(X * [1.0, scale, 1.0]), names)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_samples_obey_the_grammar():
    rules = (Forbid("exp", on="b"), AtMost("mul", 1), MustAppear("c"))
    vocabulary = Vocabulary(NAMES, ("add", "mul", "exp", "tanh", "sin"), has_one=False)
    generator = make_generator(vocabulary=vocabulary, rules=rules, max_length=9)
    for tokens in (draw_in_order(generator, 80, 0), draw_in_order(generator, 80, 0, tokens_per_step=3)):
        assert generator.grammar.is_legal(tokens).all()
    sampled = generator.sample(30, epoch=1)
    varied = generator.vary(sampled, 30, epoch=1)
    assert len(sampled) and len(varied)
    assert generator.grammar.is_legal(sampled.tokens).all()
    assert generator.grammar.is_legal(varied.tokens).all()


def test_draws_from_left_to_right_have_the_predicted_frequencies():
    generator = make_generator(max_length=1)
    drawn = draw_in_order(generator, 4000, 0)[:, 0]
    logits = generator.predict(np.full((1, 1), MASK, np.int16), 1)[0, 0, -3:].astype(float)
    expected = np.exp(logits) / np.exp(logits).sum()
    found = np.bincount(drawn - generator.grammar.vocabulary.first_variable, minlength=3) / 4000
    np.testing.assert_allclose(found, expected, atol=0.03)


def test_the_masked_end_is_cut_off_as_in_training():
    generator = make_generator()
    full = generator.predict(np.full((1, 14), MASK, np.int16), 14)
    cut = generator.predict(np.full((1, 4), MASK, np.int16), 14)
    assert cut.shape == (1, 4, full.shape[2])
    assert np.isfinite(cut).all()


def test_expressions_longer_than_the_prior_are_left_alone():
    generator = make_generator(max_length=30)
    assert generator.grammar.max_length == TINY.max_length
    grammar = Grammar(Vocabulary(NAMES), max_length=30)
    batch = Batch.from_tokens(grammar.vocabulary, grammar.sample(40, seed=1))
    assert max(batch.sizes) > TINY.max_length
    assert len(generator.vary(batch, 20, 0))
    view = generator.corrupt(batch.tokens, np.random.default_rng(0))
    is_legal = torch.from_numpy(generator.legal_tokens(batch.tokens))
    log_probs = generator.log_probs(generator.network, generator.inputs(view), is_legal)
    assert log_probs.shape == is_legal.shape


def test_the_relevant_variables_are_shown():
    rng = np.random.default_rng(3)
    many = rng.normal(size=(500, 40))
    y = many[:, 7] ** 2 + many[:, 31] * many[:, 2]
    view = choose_view(many, y, max_variables=10, look_rows=128, n_draws=4, seed=0)
    assert {7, 31, 2} <= set(view.columns.tolist())
    assert view.x.shape == (4, 128, 10)
    assert relevance(many[:, 7], y) > 2 * relevance(many[:, 0], y)
    assert relevance(np.ones(500), y) == 0.0


def test_inputs_of_a_moderate_size_are_shown_as_they_are():
    assert find_power(np.array([0.0, 2.0, -300.0])) == 0
    assert find_power(np.array([0.0, 2e12, -3e12])) == 12
    assert find_power(np.array([2e-12, 3e-12])) == -12
    assert find_power(np.zeros(3)) == 0
