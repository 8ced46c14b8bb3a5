"""The prior computed by the core: the same probabilities as in torch, and samples without repetition."""

import subprocess
import sys

import numpy as np
import pytest

from ddsr import _core
from ddsr.errors import DataError
from ddsr.expression import MASK, Vocabulary
from ddsr.generators.prior.config import NetworkConfig
from ddsr.generators.prior.native import NativeDraws, NativePrior
from ddsr.generators.prior.tensor_file import write_tensors
from ddsr.generators.prior.weights import CARD, DEFAULT, PriorFile, find_weights
from ddsr.grammar import AtMost, Grammar

RNG = np.random.default_rng(0)
MOST_DIFFERENCE = 1e-4
"""between log-probabilities in torch and in the core"""


def two_inputs():
    X = RNG.uniform(0.5, 4.0, size=(40, 2))
    return X, X[:, 0] * np.exp(-X[:, 1])


def a_constant_column():
    X = RNG.uniform(-3.0, 3.0, size=(200, 3))
    X[:, 1] = 2.0
    return X, X[:, 0] ** 2 - X[:, 2] + 0.1 * RNG.normal(size=200)


def extreme_sizes():
    X = RNG.uniform(1.0, 5.0, size=(300, 4)) * [1e-12, 1.0, 1e9, -1.0]
    return X, 1e20 * X[:, 0] * X[:, 1] / X[:, 2] + 3.0


def more_inputs_than_it_knows():
    X = RNG.normal(size=(120, 12))
    return X, X[:, 3] * X[:, 7] + np.sin(X[:, 11])


DATA = [two_inputs, a_constant_column, extreme_sizes, more_inputs_than_it_knows]
OPERATORS = ("add", "mul", "div", "sin", "exp", "tanh")
"""the last one is unknown to the prior"""


def grammar_of(X, max_length=20, operators=OPERATORS, rules=()):
    return Grammar(Vocabulary.of_size(X.shape[1], operators), max_length, rules=rules)


def default_draws(X, y, grammar=None, seed=0, n_threads=1):
    prior = NativePrior.read(find_weights(DEFAULT))
    return NativeDraws(prior, X, y, grammar or grammar_of(X), seed, n_threads)


def torch_log_probs(in_torch, tokens):
    """Log-probability of each token, by the network in torch."""
    found = np.zeros(tokens.shape)
    legal = in_torch.grammar.legal_tokens(np.where(tokens < 0, MASK, tokens).astype(np.int16))
    next_logits = in_torch._next_logits()
    for position in range(tokens.shape[1]):
        rows = np.flatnonzero(tokens[:, position] >= 0)
        if len(rows):
            shown = np.where(np.arange(tokens.shape[1]) < position, tokens[rows], MASK).astype(np.int16)
            logits = np.where(legal[rows, position], next_logits(shown, position).astype(float), -np.inf)
            logits -= logits.max(axis=1, keepdims=True)
            log_probs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
            found[rows, position] = log_probs[np.arange(len(rows)), tokens[rows, position]]
    return found


@pytest.fixture
def torch_draws(monkeypatch):
    torch = pytest.importorskip("torch")
    from ddsr.config import DefaultConfig
    from ddsr.generators.prior import next_token
    from ddsr.generators.prior.distinct_diffusion import DistinctDiffusion
    from ddsr.generators.prior.weights import load_weights

    monkeypatch.setattr(next_token, "has_matrix_units", lambda: False)  # single precision everywhere

    def make(X, y, grammar, network=None):
        network = network or load_weights(find_weights(DEFAULT))[0]
        return DistinctDiffusion(network, X, y, grammar, DefaultConfig(), 0, torch.device("cpu"))

    return make


@pytest.mark.parametrize("data", DATA, ids=lambda data: data.__name__)
def test_log_probabilities_are_those_of_torch(torch_draws, data):
    X, y = data()
    grammar = grammar_of(X)
    native, in_torch = default_draws(X, y, grammar), torch_draws(X, y, grammar)
    tokens = np.concatenate((native.draw(20), grammar.sample(20, seed=1)))
    expected = torch_log_probs(in_torch, tokens)
    found = native.log_probs(tokens)
    assert expected.sum(axis=1).min() < -20 and np.isfinite(found).all()
    np.testing.assert_allclose(found, expected, atol=MOST_DIFFERENCE)
    np.testing.assert_allclose(found.sum(axis=1), expected.sum(axis=1), atol=MOST_DIFFERENCE)


def test_other_sizes_give_the_log_probabilities_of_torch(torch_draws):
    """With heads and widths that are not multiples of a register, and length limits within a step."""
    torch = pytest.importorskip("torch")
    from ddsr.generators.prior.network import PriorNetwork

    sizes = NetworkConfig(
        cell_width=24,
        width=36,
        n_heads=3,
        n_layers=2,
        n_row_layers=2,
        n_memory_layers=2,
        n_row_latents=3,
        n_variable_latents=3,
        max_length=18,
        look_rows=30,
    )
    torch.manual_seed(4)
    network = PriorNetwork(sizes).eval()
    with torch.no_grad():  # a sharper distribution than a fresh network's, so that errors show
        network.denoiser.fixed_out.weight.mul_(30.0)
        network.denoiser.variable_out.weight.mul_(5.0)
        for parameter in network.parameters():
            parameter.add_(0.02 * torch.randn(parameter.shape))
    X, y = two_inputs()
    grammar = grammar_of(X, max_length=14)
    arrays = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    native = NativeDraws(NativePrior(sizes, arrays), X, y, grammar, seed=0)
    tokens = grammar.sample(60, seed=1)
    expected = torch_log_probs(torch_draws(X, y, grammar, network), tokens)
    assert np.ptp(expected) > 3
    np.testing.assert_allclose(native.log_probs(tokens), expected, atol=MOST_DIFFERENCE)


def test_draws_are_legal_and_never_repeated():
    X, y = two_inputs()
    grammar = grammar_of(X, rules=(AtMost("sin", 1),))
    draws = default_draws(X, y, grammar)
    drawn = np.concatenate([draws.draw(n) for n in (1, 30, 100)])
    assert drawn.shape == (131, 20) and grammar.is_legal(drawn).all()
    assert len(np.unique(drawn, axis=0)) == 131


def test_all_that_there_are_come_once():
    X, y = two_inputs()
    grammar = grammar_of(X, max_length=4, operators=("add", "sin"))
    drawn = default_draws(X, y, grammar).draw(10_000)
    everything = np.unique(grammar.sample(20_000, seed=0), axis=0)
    np.testing.assert_array_equal(np.unique(drawn, axis=0), everything)


def test_the_sequence_depends_on_the_seed_alone():
    X, y = two_inputs()
    once = default_draws(X, y).draw(60)
    draws = default_draws(X, y, n_threads=2)
    np.testing.assert_array_equal(once, np.concatenate([draws.draw(n) for n in (1, 7, 52)]))
    assert not np.array_equal(once, default_draws(X, y, seed=1).draw(60))


def test_without_time_there_are_none():
    X, y = two_inputs()
    draws = default_draws(X, y)
    assert len(draws.draw(10, seconds=0.0)) == 0
    assert len(draws.draw(10)) == 10


def test_the_first_has_the_frequencies_of_the_distribution():
    X, y = two_inputs()
    grammar = grammar_of(X, max_length=3, operators=("add", "sin"))
    draws = default_draws(X, y, grammar)
    everything = np.unique(grammar.sample(5000, seed=0), axis=0)
    probabilities = np.exp(draws.log_probs(everything).sum(axis=1))
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-6)
    n = 1500
    places = list(range(len(grammar.vocabulary)))
    firsts = [
        _core.PriorDraws(grammar.core, draws.network, places, seed).next(1, np.inf, 1)[0] for seed in range(n)
    ]
    for row, probability in zip(everything, probabilities, strict=True):
        share = np.mean([np.array_equal(row, first) for first in firsts])
        assert abs(share - probability) < 5 * np.sqrt(probability / n) + 1e-3


def test_permuted_columns_give_permuted_expressions():
    X, y = more_inputs_than_it_knows()
    order = RNG.permutation(X.shape[1])
    first = grammar_of(X).vocabulary.first_variable
    one, other = default_draws(X, y).draw(20), default_draws(X[:, order], y).draw(20)
    is_variable = other >= first
    other[is_variable] = first + order[other[is_variable] - first]
    np.testing.assert_array_equal(one, other)


def test_illegal_tokens_have_no_probability():
    X, y = two_inputs()
    draws = default_draws(X, y)
    tokens = draws.draw(1)
    tokens[0, 0] = draws.grammar.vocabulary.constant
    assert np.isneginf(draws.log_probs(tokens)[0, 0])


def test_unusable_weights_are_named(tmp_path):
    file = PriorFile.read(find_weights(DEFAULT))
    arrays = {name: array for name, array in file.arrays.items() if name != "denoiser.point.bias"}
    path = tmp_path / "cut.safetensors"
    write_tensors(path, arrays, {CARD: file.texts[CARD]})
    with pytest.raises(DataError, match=r"no weights denoiser\.point\.bias"):
        NativePrior.read(path)
    arrays["denoiser.point.bias"] = np.zeros(3, np.float16)
    write_tensors(path, arrays, {CARD: file.texts[CARD]})
    with pytest.raises(DataError, match=r"denoiser\.point\.bias have the shape \(3\) instead of \(192\)"):
        NativePrior.read(path)


def test_it_needs_no_torch():
    script = (
        "import sys; sys.modules['torch'] = None\n"
        "import numpy as np\n"
        "from ddsr.expression import Vocabulary\n"
        "from ddsr.generators.prior.native import NativeDraws, NativePrior\n"
        "from ddsr.generators.prior.weights import find_weights\n"
        "from ddsr.grammar import Grammar\n"
        "X = np.random.default_rng(0).uniform(1, 2, size=(30, 2))\n"
        "prior = NativePrior.read(find_weights('default'))\n"
        "draws = NativeDraws(prior, X, X[:, 0] * X[:, 1], Grammar(Vocabulary.of_size(2)), seed=0)\n"
        "print(len(draws.draw(5)))\n"
    )
    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "5\n"
