"""The shipped weights, as a user gets them."""

import numpy as np
import pytest

from ddsr.config import DefaultConfig
from ddsr.engine import Engine, FitOptions
from ddsr.expression import Vocabulary
from ddsr.generators.prior.tensor_file import CHECKSUM, read_tensors
from ddsr.generators.prior.weights import DEFAULT, PriorFile, find_weights, load_weights
from ddsr.grammar import Grammar
from ddsr.search.contributors.prior import BATCH, Primer

MOST_BYTES = 30_000_000
RNG = np.random.default_rng(0)


def make_primer(X, y):
    vocabulary = Vocabulary.of_size(X.shape[1])
    engine = Engine(vocabulary, X, y, options=FitOptions(is_scale_free=True))
    return Primer(DEFAULT, (X, y), engine, Grammar(vocabulary, 30), DefaultConfig(), 0, "cpu", 1)


def test_the_file_is_small_and_says_what_it_is():
    path = find_weights(DEFAULT)
    assert path.stat().st_size <= MOST_BYTES
    network, card = load_weights(path)
    assert network.config == card.network
    checksum = read_tensors(path, with_checksum=True)[1][CHECKSUM]
    text = card.to_markdown(checksum, PriorFile.read(path).checksum_unscored)
    assert path.with_suffix(".md").read_text() == text


def test_the_card_has_what_two_thousand_samples_hit():
    """At least half of the ground truth without noise, and two fifths with 1 % noise."""
    _, card = load_weights(find_weights(DEFAULT))
    for noise, share in (("0.0", 0.5), ("0.01", 0.4)):
        n_hit, n_all = card.scores[f"ground-truth, noise {noise}, 2000 samples"].split(" of ")
        assert n_all == "133" and int(n_hit) >= share * int(n_all)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1.0, 1e-12, 1e12])
def test_a_simple_law_is_proposed_at_once(unit):
    X = RNG.uniform(1.0, 5.0, size=(200, 4))
    X[:, 1] *= unit
    primer = make_primer(X, X[:, 0] * X[:, 1] / X[:, 2])
    best, _ = primer.propose(256)
    as_they_are = FitOptions(max_steps=0, is_scale_free=True)
    assert primer.engine.score(best, options=as_they_are).nrmse[:10].min() < 1e-6


def test_on_ten_noisy_inputs_there_are_proposals():
    """Each draw is slowest there."""
    X = RNG.uniform(1.0, 5.0, size=(1000, 10))
    y = X[:, 0] * np.sin(X[:, 1]) / X[:, 2] + X[:, 3:].prod(axis=1) + RNG.normal(size=1000)
    proposed, n_drawn = make_primer(X, y).propose(BATCH)
    assert 0 < len(proposed) <= n_drawn == BATCH
