from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from ddsr._core import PAD
from ddsr.config import DenoiserConfig, PaperConfig
from ddsr.expression import Vocabulary
from ddsr.generators.diffusion.corrupted import Corrupted
from ddsr.generators.diffusion.d3pm import D3PM
from ddsr.generators.diffusion.predictor import CpuPredictor
from ddsr.generators.diffusion.schedule import step_levels
from ddsr.generators.diffusion.transition import UniformTransition
from ddsr.grammar import Grammar

CPU = torch.device("cpu")
SMALL = PaperConfig(max_length=6, denoiser=DenoiserConfig(feed_forward_width=32), oversampling=2)
VOCABULARY = Vocabulary(("x", "y"), ("add", "mul", "sin"))
TINY = UniformTransition(vocab_size=3, n_steps=4)


def make_generator(config=SMALL, seed=0, n_threads=1, vocabulary=VOCABULARY):
    grammar = Grammar(vocabulary, config.max_length, config.max_constants)
    generator = D3PM(grammar, config, seed, CPU, n_threads)
    with torch.no_grad():  # a sharper distribution than a fresh network's, so that errors show
        generator.network.to_logits.weight.mul_(4.0)
    return generator


def path_probability(path):
    """Probability of x_1 … x_t given x_0, one factor per step."""
    steps = enumerate(zip(path, path[1:], strict=False), start=1)
    return np.prod([TINY.matrix(step)[before, after] for step, (before, after) in steps])


def posterior_by_brute_force(clean, noisy, step):
    """q(x_{t−1} | x_t, x_0) by Bayes' rule over every path from x_0 to x_t."""
    weights = np.zeros(3)
    for between in product(range(3), repeat=step - 1):
        path = (clean, *between, noisy)
        weights[path[-2]] += path_probability(path)
    return weights / weights.sum()


@pytest.mark.parametrize("step", range(1, 5))
def test_the_posterior_is_that_of_all_paths(step):
    for clean, noisy in product(range(3), repeat=2):
        clean_probs = torch.eye(3, dtype=torch.float64)[clean].reshape(1, 1, 3)
        found = TINY.backward(clean_probs, torch.tensor([[noisy]]), step)[0, 0]
        np.testing.assert_allclose(found, posterior_by_brute_force(clean, noisy, step), atol=1e-12)


@pytest.mark.parametrize("step", range(1, 5))
def test_a_step_back_averages_the_posterior_over_the_prediction(step):
    clean_probs = torch.rand(2, 5, 3, dtype=torch.float64).softmax(-1)
    noisy = torch.randint(0, 3, (2, 5))
    found = TINY.backward(clean_probs, noisy, step)
    torch.testing.assert_close(found.sum(-1), torch.ones(2, 5, dtype=torch.float64))
    for row, position in product(range(2), range(5)):
        expected = sum(
            clean_probs[row, position, clean].item()
            * posterior_by_brute_force(clean, noisy[row, position].item(), step)
            for clean in range(3)
        )
        np.testing.assert_allclose(found[row, position], expected, atol=1e-12)
    if step == 1:
        torch.testing.assert_close(found, clean_probs)


@pytest.mark.parametrize(("step", "n_back"), [(4, 2), (4, 4), (3, 2), (2, 2), (3, 1)])
def test_several_steps_back_are_the_sum_over_the_paths_between(step, n_back):
    """Bayes' rule with the products of the matrices."""
    earlier = step - n_back
    between = np.linalg.multi_dot([np.eye(3), *(TINY.matrix(each) for each in range(earlier + 1, step + 1))])
    np.testing.assert_allclose(TINY.matrix(step, n_back), between, atol=1e-12)
    clean_probs = torch.rand(1, 1, 3, dtype=torch.float64).softmax(-1)
    for noisy in range(3):
        found = TINY.backward(clean_probs, torch.tensor([[noisy]]), step, n_back)[0, 0]
        posteriors = TINY.cumulative(earlier) * between[:, noisy] / TINY.cumulative(step)[:, [noisy]]
        np.testing.assert_allclose(found, clean_probs[0, 0].numpy() @ posteriors, atol=1e-12)


@pytest.mark.parametrize("n_steps", [1, 2, 4])
def test_fewer_steps_draw_legal_expressions(n_steps, monkeypatch):
    generator = make_generator(replace(SMALL, denoising_steps=n_steps))
    steps, token_probs = [], generator.token_probs
    monkeypatch.setattr(
        generator, "token_probs", lambda tokens, *at: steps.append(at[0]) or token_probs(tokens, *at)
    )
    drawn = generator.draw(200, epoch=0)
    assert generator.grammar.is_legal(drawn).all()
    assert steps == step_levels(6, n_steps)[:-1]


def test_a_step_per_position_is_the_default():
    every = replace(SMALL, denoising_steps=6)
    assert (make_generator().draw(200, epoch=1) == make_generator(every).draw(200, epoch=1)).all()


def test_the_cumulative_matrix_is_the_product_and_ends_uniform():
    transition = UniformTransition(vocab_size=7, n_steps=32)
    running = np.eye(7)
    for step in range(1, 33):
        matrix = transition.matrix(step)
        assert (matrix >= 0).all()
        np.testing.assert_allclose(matrix.sum(axis=1), 1.0)
        running = running @ matrix
        np.testing.assert_allclose(transition.cumulative(step), running, atol=1e-12)
    np.testing.assert_allclose(transition.cumulative(0), np.eye(7))
    np.testing.assert_allclose(transition.cumulative(32), 1 / 7)


@pytest.mark.parametrize("step", (1, 3, 6))
def test_noise_follows_the_cumulative_matrix_and_is_uniform_behind_the_end(step):
    transition = UniformTransition(vocab_size=5, n_steps=6)
    clean = np.tile(np.array([2, PAD], np.int16), (20_000, 1))
    noised = transition.corrupt(clean, np.full(20_000, step), np.random.default_rng(step))
    expected = 20_000 * transition.cumulative(step)[2]
    assert chisquare(np.bincount(noised.noisy_tokens[:, 0], minlength=5), expected).pvalue > 1e-3
    assert chisquare(np.bincount(noised.noisy_tokens[:, 1], minlength=5)).pvalue > 1e-3
    assert (noised.is_masked == (clean != PAD)).all()


def test_every_step_is_as_likely():
    clean = np.zeros((6000, 6), np.int16)
    noised = UniformTransition(vocab_size=5, n_steps=6).corrupt_at_random(clean, np.random.default_rng(0))
    counts = np.bincount(noised.step, minlength=7)
    assert counts[0] == 0 and chisquare(counts[1:]).pvalue > 1e-3


def test_every_drawn_expression_is_legal_and_the_kept_ones_are_distinct():
    generator = make_generator()
    assert generator.grammar.is_legal(generator.draw(500, epoch=0)).all()
    keys = generator.sample(100, epoch=0).keys()
    assert len(set(keys)) == len(keys) <= 100


def test_same_seed_same_draws_on_any_number_of_threads():
    one, other = make_generator(n_threads=1), make_generator(n_threads=3)
    assert (one.draw(300, epoch=2) == other.draw(300, epoch=2)).all()
    assert (one.draw(300, epoch=2) != one.draw(300, epoch=3)).any()
    assert (one.draw(300, epoch=2) != make_generator(seed=1).draw(300, epoch=2)).any()


def test_chunks_predict_as_one_forward_pass_does():
    generator = make_generator(n_threads=2)
    noisy = torch.randint(0, len(VOCABULARY), (2 * CpuPredictor.CHUNK_ROWS + 5, 6))
    with torch.no_grad():
        clean_probs = generator.network(noisy, torch.full((len(noisy),), 4)).softmax(-1)
    expected = generator.transition.backward(clean_probs, noisy, 4)
    torch.testing.assert_close(generator.token_probs(noisy, 4), expected)


def test_log_probs_of_the_last_step_equal_those_recomputed():
    generator = make_generator()
    clean = generator.draw(60, epoch=0)
    view = generator.transition.corrupt(clean, np.full(60, 1), np.random.default_rng(0))
    with torch.no_grad():
        logits = generator.token_probs(torch.from_numpy(view.noisy_tokens), 1).log().numpy()
        _, recorded = generator.grammar.fill(logits, clean, seed=1)
        is_legal = torch.from_numpy(generator.legal_tokens(clean))
        recomputed = generator.log_probs(generator.network, generator.inputs(view), is_legal).numpy()
    is_token = clean != PAD
    chosen = np.take_along_axis(recomputed, np.maximum(clean, 0)[..., None].astype(int), axis=-1)[..., 0]
    np.testing.assert_allclose(chosen[is_token], recorded[is_token], rtol=1e-4, atol=1e-5)


def exact_distribution(generator):
    """Probability of every expression, by following every noisy sequence of a tiny grammar."""
    length, size = generator.grammar.max_length, len(generator.grammar.vocabulary)
    noisy = np.array(list(product(range(size), repeat=length)), np.int16)  # (N, M), N = size^length
    share = np.full(len(noisy), 1 / len(noisy))
    for step in range(length, 1, -1):
        probs = generator.token_probs(torch.from_numpy(noisy), step).numpy().astype(float)
        share = share @ np.prod([probs[:, k, noisy[:, k]] for k in range(length)], axis=0)
    every = np.unique(generator.grammar.sample(5000, seed=0), axis=0)
    is_legal = torch.from_numpy(generator.legal_tokens(every))
    outcomes = np.zeros(len(every))
    for row, probability in zip(noisy, share, strict=True):
        view = Corrupted(every, np.tile(row, (len(every), 1)), np.full(len(every), 1), every != PAD)
        log_probs = (
            generator.log_probs(generator.network, generator.inputs(view), is_legal).numpy().astype(float)
        )
        chosen = np.take_along_axis(log_probs, np.maximum(every, 0)[..., None].astype(int), axis=-1)[..., 0]
        outcomes += probability * np.exp(np.where(every != PAD, chosen, 0.0).sum(axis=1))
    return {tuple(row): probability for row, probability in zip(every, outcomes, strict=True)}


@pytest.mark.slow
def test_sampled_frequencies_match_the_enumerated_distribution():
    config = PaperConfig(max_length=3, max_constants=1, denoiser=DenoiserConfig(feed_forward_width=16))
    generator = make_generator(config, seed=3, vocabulary=Vocabulary(("x", "y"), ("add", "sin")))
    with torch.no_grad():
        expected = exact_distribution(generator)
    assert sum(expected.values()) == pytest.approx(1.0)
    n = 15_000
    drawn, counts = np.unique(generator.draw(n, epoch=0), axis=0, return_counts=True)
    observed = {tuple(row): count for row, count in zip(drawn, counts, strict=True)}
    assert set(observed) <= set(expected)
    likely = [key for key, probability in expected.items() if probability * n > 10]
    counted = np.array([observed.get(key, 0) for key in likely])
    predicted = np.array([expected[key] * n for key in likely])
    assert len(likely) > 5 and predicted.sum() > 0.99 * n
    assert chisquare(counted, predicted * counted.sum() / predicted.sum()).pvalue > 1e-3
