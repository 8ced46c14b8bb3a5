"""Small generators, and the distribution of their draws, by enumeration."""

from itertools import permutations

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from ddsr._core import MASK, PAD
from ddsr.config import DenoiserConfig, PaperConfig
from ddsr.expression import Vocabulary
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.generators.diffusion.schedule import step_levels
from ddsr.grammar import Grammar

CPU = torch.device("cpu")
SMALL = PaperConfig(max_length=6, denoiser=DenoiserConfig(feed_forward_width=32), oversampling=2)
VOCABULARY = Vocabulary(("x", "y"), ("add", "mul", "sin"))


def make_generator(vocabulary=VOCABULARY, config=SMALL, seed=0, n_threads=1):
    grammar = Grammar(vocabulary, config.max_length, config.max_constants)
    generator = MaskedDiffusion(grammar, config, seed, CPU, n_threads)
    with torch.no_grad():  # a sharper distribution than a fresh network's, so that errors show
        generator.network.to_logits.weight.mul_(4.0)
    return generator


def make_tiny_generator(length, n_steps=None):
    config = PaperConfig(
        max_length=length,
        max_constants=1,
        denoiser=DenoiserConfig(feed_forward_width=16),
        denoising_steps=n_steps,
    )
    return make_generator(Vocabulary(("x", "y"), ("add", "sin")), config, seed=3)


def exact_distribution(generator, given):
    """Probability of every outcome, by following every order and every fill of a tiny grammar."""
    outcomes = {}
    held, masked = np.flatnonzero(given != MASK), np.flatnonzero(given == MASK)
    orders = [(*held, *rest) for rest in permutations(masked)]
    for order in orders:
        descend(generator, given[None], given, order, len(masked), 1 / len(orders), outcomes)
    assert sum(outcomes.values()) == pytest.approx(1.0)
    return outcomes


def descend(generator, kept, given, order, step, probability, outcomes):
    """Follow docs/algorithm.md step by step: draws stay if within the tree and legal."""
    following = max(
        level for level in step_levels(len(order), generator.config.denoising_steps) if level < step
    )
    positions = order[len(order) - step : len(order) - following]
    for filled, share in fills(generator, kept, step):
        inside = np.flatnonzero(filled[0] != PAD)
        next_kept = given[None].copy()
        for place in inside:
            is_kept = kept[0, place] != MASK or place in positions
            next_kept[0, place] = filled[0, place] if is_kept else MASK
        if following == 0 or (next_kept[0, inside] != MASK).all():
            key = tuple(filled[0])
            outcomes[key] = outcomes.get(key, 0.0) + probability * share
        else:
            descend(generator, next_kept, given, order, following, probability * share, outcomes)


def fills(generator, kept, step):
    """Yield every legal left-to-right fill with its probability."""
    logits = generator.predict(kept, step)[0]
    partial = [(np.full(kept.shape, PAD, np.int16), 0, 1.0)]
    while partial:
        row, position, probability = partial.pop()
        legal = np.zeros(len(generator.grammar.vocabulary), bool)
        if position < row.shape[1]:
            legal = generator.grammar.legal_tokens(row)[0, position]
        if not legal.any():
            yield row, probability
            continue
        weights = np.where(legal, np.exp(logits[position].astype(float)), 0.0)
        weights /= weights.sum()
        held = kept[0, position]
        choices = [held] if held != MASK and legal[held] else np.flatnonzero(legal)
        for token in choices:
            longer = row.copy()
            longer[0, position] = token
            share = 1.0 if len(choices) == 1 and held == token else weights[token]
            partial.append((longer, position + 1, probability * share))


def assert_drawn_from(expected, rows):
    """A chi-square test of the rows against the probabilities of all outcomes."""
    n = len(rows)
    drawn, counts = np.unique(rows, axis=0, return_counts=True)
    observed = {tuple(row): count for row, count in zip(drawn, counts, strict=True)}
    assert set(observed) <= set(expected)
    likely = [key for key, probability in expected.items() if probability * n > 10]
    counted = np.array([observed.get(key, 0) for key in likely] + [0.0])
    predicted = np.array([expected[key] * n for key in likely] + [0.0])
    counted[-1], predicted[-1] = n - counted.sum(), n - predicted.sum()
    keep = predicted > 5
    assert keep.sum() > 1
    assert (
        chisquare(counted[keep], predicted[keep] * counted[keep].sum() / predicted[keep].sum()).pvalue > 1e-3
    )
