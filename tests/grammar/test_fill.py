import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import grammar_oracle as oracle
from ddsr import _core
from ddsr.errors import GrammarError
from ddsr.grammar import AtMost, Forbid, Grammar, MustAppear
from grammar_cases import PLAIN, SMALL, THREE, USUAL, WIDE, normal_logits, nothing_kept
from strategies import examples

PAD, MASK = _core.PAD, _core.MASK


def reference_log_probs(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """log softmax over the legal tokens, uniform if that is not a distribution; (B, M, V)."""
    shown = np.where(legal, logits.astype(np.float64), -np.inf)
    with np.errstate(all="ignore"):
        shifted = shown - np.max(shown, axis=-1, keepdims=True)
        log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
        uniform = np.where(legal, -np.log(legal.sum(axis=-1, keepdims=True)), -np.inf)
    is_broken = np.isnan(log_probs).any(axis=-1, keepdims=True)
    return np.where(is_broken, uniform, log_probs)


def at_tokens(values: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """Select the value (B, M, V) of each token (B, M); arbitrary where there is none."""
    return np.take_along_axis(values, np.maximum(tokens, 0)[..., None].astype(int), -1)[..., 0]


def spoiled(logits: np.ndarray, seed: int) -> np.ndarray:
    """Put NaN, infinities and huge numbers among the logits, in some rows everywhere."""
    rng = np.random.default_rng(seed)
    odd = np.array([np.nan, np.inf, -np.inf, 3e38, -3e38, -200.0], np.float32)
    chosen = rng.choice(odd, logits.shape)
    share = rng.choice([0.0, 0.02, 0.5, 1.0], (len(logits), 1, 1))
    logits = np.where(rng.random(logits.shape) < share, chosen, logits)
    logits[::7] = rng.choice(odd, logits[::7].shape[0])[:, None, None]
    return logits


RULED = {
    "usual": (USUAL, 32),
    "hundreds of variables": (WIDE, 20, 3, (AtMost("x149", 1),)),
    "required": (USUAL, 15, 2, (MustAppear("x0", "x4"), Forbid("exp", on="x4"), AtMost("x1", 1))),
    "scarce": (THREE, 12, 3, (AtMost(("x", "y"), 2), AtMost("z", 2), MustAppear("y"))),
}


@pytest.mark.parametrize("case", RULED)
@pytest.mark.parametrize("is_spoiled", [False, True])
def test_fill_yields_legal_expressions_and_their_log_probs(case, is_spoiled):
    grammar, n = Grammar(*RULED[case]), 300
    logits = normal_logits(grammar, n) * 3
    if is_spoiled:
        logits = spoiled(logits, seed=1)
    tokens, log_probs = grammar.fill(logits, nothing_kept(grammar, n), seed=5)
    assert tokens.dtype == np.int16 and log_probs.dtype == np.float32
    assert grammar.is_legal(tokens).all()
    arities = np.array([oracle.arity(grammar.vocabulary, n) for n in grammar.vocabulary.names])
    for row in tokens:
        ended = row[row != PAD]
        assert (row[len(ended) :] == PAD).all() and arities[ended].sum() == len(ended) - 1
    legal = grammar.legal_tokens(tokens)
    expected = at_tokens(reference_log_probs(logits, legal), tokens)
    expected[tokens == PAD] = 0.0
    np.testing.assert_allclose(log_probs, expected, rtol=2e-6, atol=3e-6)
    assert not legal[tokens == PAD].any()


@pytest.mark.parametrize("case", ["required", "scarce"])
def test_filled_expressions_obey_the_rules_as_trees(case):
    """The oracle's own rules are checked at lengths that it cannot enumerate."""
    grammar = Grammar(*RULED[case])
    names = grammar.vocabulary.names
    for row in grammar.sample(200, seed=3):
        todo = [names[token] for token in row[row != PAD]]
        trees: list[list] = [[name] for name in todo]
        children = iter(trees[1:])
        for tree in trees:
            tree += [next(children) for _ in range(oracle.arity(grammar.vocabulary, tree[0]))]
        assert next(children, None) is None and len(todo) <= grammar.max_length
        assert oracle.is_legal(grammar.vocabulary, tuple(trees[0]), grammar.max_constants, grammar.rules)


def test_kept_tokens_stay_where_they_are_legal():
    grammar, n = Grammar(USUAL, 16), 400
    rng = np.random.default_rng(2)
    kept = rng.integers(0, len(USUAL), (n, 16)).astype(np.int16)
    kept[rng.random((n, 16)) < 0.3] = MASK
    kept[rng.random((n, 16)) < 0.1] = PAD
    tokens, _ = grammar.fill(normal_logits(grammar, n), kept, seed=1)
    legal = grammar.legal_tokens(tokens)
    can_stay = at_tokens(legal, kept) & (kept >= 0)
    assert can_stay.sum() > n and (~can_stay & (kept >= 0) & (tokens != PAD)).sum() > n // 2
    assert (tokens[can_stay] == kept[can_stay]).all()
    assert grammar.is_legal(tokens).all()
    again, _ = grammar.fill(-normal_logits(grammar, n), tokens, seed=9)
    np.testing.assert_array_equal(again, tokens)


def partly_kept(grammar: Grammar, n: int, share: float, seed: int) -> np.ndarray:
    """Tokens of legal expressions, some replaced by arbitrary ones, and MASK or PAD elsewhere."""
    rng = np.random.default_rng(seed)
    kept = grammar.sample(n, seed)
    anything = rng.integers(0, len(grammar.vocabulary), kept.shape)
    kept = np.where((rng.random(kept.shape) < 0.1) & (kept != PAD), anything, kept)
    return np.where(rng.random(kept.shape) < share, kept, MASK).astype(np.int16)


@examples(40)
@given(st.sampled_from(sorted(RULED)), st.floats(0, 1), st.booleans(), st.integers(0, 2**64 - 1))
def test_tokens_alone_are_those_of_the_fill(case, share, is_spoiled, seed):
    grammar, n = Grammar(*RULED[case]), 40
    logits = normal_logits(grammar, n, seed) * 3
    if is_spoiled:
        logits = spoiled(logits, seed)
    kept = partly_kept(grammar, n, share, seed)
    tokens, _ = grammar.fill(logits, kept, seed, stream=3)
    np.testing.assert_array_equal(grammar.fill_tokens(logits, kept, seed, stream=3), tokens)


def test_rows_may_share_logits():
    grammar, n = Grammar(USUAL, 16), 300
    logits = normal_logits(grammar, 40) * 3
    number = np.random.default_rng(6).integers(0, 40, n)
    kept = partly_kept(grammar, n, 0.4, seed=6)
    expected = grammar.fill_tokens(logits[number], kept, seed=6, stream=2)
    for n_threads in (1, 3):
        shared = grammar.fill_tokens(logits, kept, 6, 2, n_threads, logits_of=number)
        np.testing.assert_array_equal(shared, expected)


def test_logits_of_kept_tokens_that_stay_are_not_looked_at():
    grammar, n = Grammar(USUAL, 16), 200
    logits = normal_logits(grammar, n)
    filled = grammar.fill_tokens(logits, nothing_kept(grammar, n), seed=4)
    is_kept = (np.random.default_rng(4).random(filled.shape) < 0.5) & (filled != PAD)
    kept = np.where(is_kept, filled, MASK)
    unreadable = np.where(is_kept[..., None], np.float32(np.nan), logits)
    tokens = grammar.fill_tokens(logits, kept, seed=5)
    all_stay = ((tokens == kept) | ~is_kept | (tokens == PAD)).all(axis=1)
    assert all_stay.sum() > n // 2 and (tokens != filled)[all_stay].any()
    np.testing.assert_array_equal(grammar.fill_tokens(unreadable, kept, seed=5)[all_stay], tokens[all_stay])


@pytest.mark.parametrize("rules", [(), (AtMost("x", 1), MustAppear("y"))])
def test_the_fill_is_that_of_the_oracle(rules):
    """Compares tokens that stay, and draws by the random number of (seed, stream, row, position)."""
    grammar, n, seed, stream = Grammar(SMALL, 6, 1, rules), 500, 13, 2
    names = SMALL.names
    legal = oracle.legal_expressions(SMALL, 6, 1, grammar.rules)
    beginnings = {expression[:k] for expression in legal for k in range(len(expression) + 1)}
    logits, kept = normal_logits(grammar, n), partly_kept(grammar, n, 0.5, seed)
    n_drawn = n_kept = n_replaced = 0
    for row, tokens in enumerate(grammar.fill_tokens(logits, kept, seed, stream)):
        written: tuple[str, ...] = ()
        for position, token in enumerate(tokens[tokens != PAD]):
            choices = [i for i, name in enumerate(names) if (*written, name) in beginnings]
            if kept[row, position] in choices:
                assert token == kept[row, position]
                n_kept += 1
            else:
                weights = np.exp(logits[row, position, choices].astype(np.float64))
                block = _core.random_block(seed, stream, row, position // 4)
                share = ((block[position % 4] >> 9) + 0.5) / 2**23
                ends = np.cumsum(weights) / weights.sum()
                at = choices.index(token)
                assert (ends[at - 1] if at else 0.0) - 1e-5 <= share <= ends[at] + 1e-5
                n_drawn += 1
                n_replaced += kept[row, position] >= 0
            written += (names[token],)
        assert written in legal
    assert min(n_drawn, n_kept) > 300 and n_replaced > 10


def test_frequencies_match_the_enumerated_probabilities():
    grammar, n = Grammar(SMALL, 5, 1, (AtMost("x", 1),)), 40_000
    logits = np.repeat(normal_logits(grammar, 1, seed=4), n, axis=0)
    tokens, log_probs = grammar.fill(logits, nothing_kept(grammar, n), seed=11)
    rows, first, counts = np.unique(tokens, axis=0, return_index=True, return_counts=True)
    everything = oracle.legal_expressions(SMALL, 5, 1, grammar.rules)
    probabilities = np.exp(log_probs[first].sum(axis=1, dtype=np.float64))
    assert len(rows) <= len(everything)
    # outcomes that were not drawn are one more rare outcome; rare ones are counted together
    is_common = probabilities * n > 5
    observed = np.append(counts[is_common], counts[~is_common].sum())
    expected = np.append(probabilities[is_common], 1 - probabilities[is_common].sum()) * n
    assert len(observed) > 10
    assert chisquare(observed, expected).pvalue > 1e-4


def test_uniform_samples_have_uniform_first_tokens():
    grammar = Grammar(PLAIN, 9)
    first = grammar.sample(20_000, seed=8)[:, 0]
    legal = np.flatnonzero(grammar.legal_tokens(np.full((1, 1), PAD))[0, 0])
    assert chisquare([(first == token).sum() for token in legal]).pvalue > 1e-4


@pytest.mark.parametrize("case", RULED)
def test_results_do_not_depend_on_the_number_of_threads(case):
    grammar, n = Grammar(*RULED[case]), 500
    logits, kept = normal_logits(grammar, n), nothing_kept(grammar, n)
    tokens, log_probs = grammar.fill(logits, kept, seed=3, stream=7)
    legal = grammar.legal_tokens(tokens)
    for n_threads in (2, 5):
        again = grammar.fill(logits, kept, seed=3, stream=7, n_threads=n_threads)
        np.testing.assert_array_equal(again[0], tokens)
        assert again[1].tobytes() == log_probs.tobytes()
        np.testing.assert_array_equal(grammar.fill_tokens(logits, kept, 3, 7, n_threads), tokens)
        np.testing.assert_array_equal(grammar.legal_tokens(tokens, n_threads), legal)
    # nor on the rows that follow
    np.testing.assert_array_equal(grammar.fill(logits[:9], kept[:9], 3, 7)[0], tokens[:9])


def test_seed_and_stream_each_change_the_draws():
    grammar = Grammar(USUAL)
    draws = [grammar.sample(50, seed, stream) for seed in (0, 1, 2**63) for stream in (0, 1, 2**40)]
    assert len({rows.tobytes() for rows in draws}) == 9


def test_bad_arrays_are_refused():
    grammar = Grammar(PLAIN, 6)
    logits, kept = normal_logits(grammar, 4), nothing_kept(grammar, 4)
    unknown = kept.copy()
    unknown[2, 3] = 40
    bad = [
        (lambda: grammar.fill(logits[0], kept, 0), "logits must have the shape (B, M, V), got (6, 9)"),
        (lambda: grammar.fill(logits[:, :5], kept, 0), "(4, 5, 9); the grammar needs (4, 6, 9)"),
        (lambda: grammar.fill(logits[:, :, :8], kept, 0), "(4, 6, 8); the grammar needs (4, 6, 9)"),
        (lambda: grammar.fill(logits, kept[:3], 0), "(3, 6), the logits need (4, 6)"),
        (lambda: grammar.fill(logits, kept[0], 0), "tokens must have 2 dimension(s)"),
        (lambda: grammar.fill(logits, unknown, 0), "kept token 40 (row 2, position 3)"),
        (lambda: grammar.fill(logits, kept, -1), "seed must be an integer from 0"),
        (lambda: grammar.fill(logits, kept, 0, 2**64), "stream must be an integer from 0"),
        (lambda: grammar.fill(logits, kept, 0, n_threads=0), "n_threads is 0"),
        (lambda: grammar.fill_tokens(logits[0], kept, 0), "logits must have the shape (B, M, V), got (6, 9)"),
        (lambda: grammar.fill_tokens(logits, kept[:3], 0), "(3, 6), the logits need (4, 6)"),
        (lambda: grammar.fill_tokens(logits, unknown, 0), "kept token 40 (row 2, position 3)"),
        (lambda: grammar.fill_tokens(logits, np.full_like(kept, -3), 0), "kept token -3 (row 0, position 0)"),
        (lambda: grammar.fill_tokens(logits, kept, 0, n_threads=0), "n_threads is 0"),
        (
            lambda: grammar.fill_tokens(logits, kept, 0, logits_of=[0, 1, 2, 4]),
            "logits_of holds 4; there are",
        ),
        (lambda: grammar.fill_tokens(logits, kept, 0, logits_of=[0, 1, 2, -1]), "logits_of holds -1"),
        (lambda: grammar.fill_tokens(logits, kept, 0, logits_of=[0, 1, 2]), "(4, 6), the logits need (3, 6)"),
        (lambda: grammar.fill_tokens(logits, kept, 0, logits_of=[0.5] * 4), "logits_of must be integers"),
        (lambda: grammar.legal_tokens(kept, n_threads=0), "n_threads is 0"),
        (lambda: grammar.legal_tokens([[0.5]]), "tokens must be integers, got float64"),
        (lambda: grammar.legal_tokens([[70000]]), "tokens range from 70000 to 70000"),
        (lambda: grammar.legal_tokens([[8], [40]]), "row 1, position 0: token 40 is not in the"),
        (lambda: grammar.legal_tokens([[8]] * 99 + [[40]], 3), "row 99, position 0: token 40"),
        (lambda: grammar.legal_tokens([[3, 4, 8]]), "row 0, position 1: log directly below exp"),
        (lambda: grammar.legal_tokens([[8, 8, PAD]]), "row 0, position 1: tokens follow"),
        (lambda: grammar.legal_tokens([[0, PAD, 8]]), "row 0, position 2: a token stands behind"),
        (lambda: grammar.legal_tokens([[0, 8, -5]]), "row 0, position 2: token -5 is not in the"),
        (lambda: grammar.sample(-1, 0), "the number of samples must be an integer of at least 0, got -1"),
    ]
    for call, message in bad:
        with pytest.raises(GrammarError) as error:
            call()
        assert message in str(error.value)


def test_empty_batches_are_fine():
    grammar = Grammar(PLAIN, 6)
    assert grammar.sample(0, seed=1).shape == (0, 6)
    assert grammar.fill(np.zeros((0, 6, 9)), np.zeros((0, 6), np.int16), 1)[1].shape == (0, 6)
    assert grammar.legal_tokens(np.zeros((0, 6), np.int16)).shape == (0, 6, 9)
    assert grammar.is_legal(np.zeros((0, 6), np.int16)).shape == (0,)
