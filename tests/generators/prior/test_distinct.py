"""Samples without repetition: distinct, complete, and with the right frequencies."""

import numpy as np
import pytest

from ddsr.expression import Vocabulary
from ddsr.generators.prior.distinct import below, draw_distinct
from ddsr.grammar import Grammar

VOCABULARY = Vocabulary(("x", "y"), ("add", "sin"), has_one=False, has_constant=False)


def fixed_logits(beginnings, position):
    """Logits that depend on the previous token, so that wrong conditioning shows."""
    before = beginnings[:, position - 1] if position else np.zeros(len(beginnings), int)
    table = np.random.default_rng(1).normal(size=(4, 4)) * 1.5
    return table[before].astype(np.float32)


def probabilities(grammar):
    """Probability of every expression, by enumeration."""
    found, partial = {}, [((), 1.0)]
    while partial:
        row, probability = partial.pop()
        padded = np.full((1, grammar.max_length), -2, np.int16)
        padded[0, : len(row)] = row
        legal = np.zeros(4, bool)
        if len(row) < grammar.max_length:
            legal = grammar.legal_tokens(padded)[0, len(row)]
        if not legal.any():
            found[row] = probability
            continue
        weights = np.where(legal, np.exp(fixed_logits(padded, len(row))[0].astype(float)), 0.0)
        partial += [
            ((*row, token), probability * weights[token] / weights.sum()) for token in np.flatnonzero(legal)
        ]
    assert sum(found.values()) == pytest.approx(1.0)
    return found


def test_all_that_there_are_come_once():
    grammar = Grammar(VOCABULARY, max_length=4)
    drawn = draw_distinct(grammar, fixed_logits, 10_000, np.random.default_rng(0))
    assert len(drawn) == len(np.unique(drawn, axis=0)) == len(probabilities(grammar))
    assert grammar.is_legal(drawn).all()


def test_fewer_are_different_and_legal():
    grammar = Grammar(VOCABULARY, max_length=12)
    drawn = draw_distinct(grammar, fixed_logits, 200, np.random.default_rng(0))
    assert len(np.unique(drawn, axis=0)) == 200
    assert grammar.is_legal(drawn).all()


def test_the_first_has_the_frequencies_of_the_distribution():
    grammar = Grammar(VOCABULARY, max_length=3)
    expected = probabilities(grammar)
    rng, n = np.random.default_rng(0), 1500
    firsts = [
        tuple(token for token in draw_distinct(grammar, fixed_logits, 3, rng)[0] if token >= 0)
        for _ in range(n)
    ]
    for row, probability in expected.items():
        assert abs(firsts.count(row) / n - probability) < 5 * np.sqrt(probability / n) + 1e-3


def test_numbers_below_have_the_given_maximum():
    log_probs = np.log(np.array([[0.2, 0.5, 0.3], [0.7, 0.3, 0.0 + 1e-300]]))
    log_probs[1, 2] = -np.inf
    found = below(np.array([-1.0, 4.0]), log_probs, np.random.default_rng(0).gumbel(size=(2, 3)))
    np.testing.assert_allclose(found.max(axis=1), [-1.0, 4.0])
    assert np.isneginf(found[1, 2]) and np.isfinite(found[0]).all()
