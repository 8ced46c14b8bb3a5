from itertools import islice

import numpy as np

from ddsr.engine import Engine
from ddsr.grammar import Grammar
from ddsr.search.loop import UniformGenerator, search
from strategies import PLAIN

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))


def front_after(epochs, seed, n_threads=1):
    engine = Engine(PLAIN, X, X[:, 0] * X[:, 1], seed=seed, n_threads=n_threads)
    generator = UniformGenerator(Grammar(PLAIN, max_length=9), seed, n_threads)
    return list(islice(search(generator, engine, batch_size=500), epochs))


def test_finds_an_easy_equation_and_keeps_it():
    states = front_after(12, seed=0)
    errors = [min(entry.nrmse for entry in state.front) for state in states]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-12
    assert [state.epoch for state in states] == list(range(12))
    assert states[-1].n_scored == 12 * 500


def test_same_seed_same_run_on_any_number_of_threads():
    assert front_after(3, seed=4)[-1].front == front_after(3, seed=4, n_threads=3)[-1].front
    assert front_after(3, seed=4)[-1].front != front_after(3, seed=5)[-1].front


def test_proposals_obey_the_grammar_and_differ_from_epoch_to_epoch():
    grammar = Grammar(PLAIN, max_length=15, max_constants=2)
    generator = UniformGenerator(grammar, seed=1)
    first, second = generator.sample(200, 0), generator.sample(200, 1)
    assert grammar.is_legal(first.tokens).all()
    assert (first.tokens != second.tokens).any()
    assert (generator.sample(200, 0).tokens == first.tokens).all()
