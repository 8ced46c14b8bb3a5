import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr._core import PAD
from ddsr.config import DSRConfig
from ddsr.errors import GrammarError, MethodError
from ddsr.expression import Vocabulary
from ddsr.generators.recurrent.constraints import PrefixRules, PrefixWalk, retrace
from ddsr.generators.recurrent.order import breadth_first_rows, prefix_rows
from ddsr.grammar import AtMost, Grammar
from strategies import FULL, PLAIN, from_prefix, prefix_tokens

SMALL = Vocabulary(("x",), ("add", "sin", "exp", "log"))
WITHOUT = Vocabulary(("x",), ("add", "sin", "exp", "log"), has_constant=False)


def complete_prefixes(vocabulary, max_length):
    """Yield every tree of at most `max_length` tokens, legal or not, in prefix order."""
    partial = [((), 1)]
    while partial:
        tokens, n_open = partial.pop()
        if n_open == 0:
            yield tokens
            continue
        for token, arity in enumerate(vocabulary.arities):
            if len(tokens) + n_open + arity <= max_length:
                partial.append(((*tokens, token), n_open - 1 + arity))


def padded(rows, length):
    table = np.full((len(rows), length), PAD, np.int16)
    for row, tokens in enumerate(rows):
        table[row, : len(tokens)] = tokens
    return table


@pytest.mark.parametrize("min_length", (1, 4))
@pytest.mark.parametrize("vocabulary, max_constants", ((SMALL, 0), (SMALL, 1), (SMALL, 10), (WITHOUT, 10)))
def test_exactly_the_legal_expressions_can_be_written(vocabulary, min_length, max_constants):
    grammar = Grammar(vocabulary, max_length=5, max_constants=max_constants)
    rules = PrefixRules(grammar, min_length)
    written = [()]
    reached = set()
    while written:
        prefix = written.pop()
        walk = PrefixWalk(rules, 1)
        for token in prefix:
            walk.advance(np.array([token]))
        if walk.n_open[0] == 0:
            reached.add(prefix)
            continue
        choices = np.flatnonzero(walk.legal()[0])
        assert len(choices) > 0, "a dead end"
        written += [(*prefix, int(token)) for token in choices]
    every = list(complete_prefixes(vocabulary, 5))
    is_legal = grammar.is_legal(breadth_first_rows(vocabulary, padded(every, 5)))
    expected = {
        tokens for tokens, legal in zip(every, is_legal, strict=True) if legal and len(tokens) >= min_length
    }
    assert reached == expected and len(reached) > 10


def test_dsr_writes_one_plus_one_only_without_constants():
    for vocabulary, is_legal in ((WITHOUT, True), (SMALL, False)):
        names = ("add", "x", "add", "1", "1")
        tokens = padded([[vocabulary.token(name) for name in names]], 6)
        traversal = retrace(PrefixRules(Grammar(vocabulary, max_length=6), 1), tokens, 10.0, 5.0)
        assert traversal.is_legal[0, 4, vocabulary.token("1")] == is_legal


@given(st.data())
def test_a_tree_is_legal_in_prefix_order_if_it_is_breadth_first(data):
    grammar = Grammar(FULL, max_length=16, max_constants=2)
    tokens = padded([data.draw(prefix_tokens(FULL, 16))], 16)
    traversal = retrace(PrefixRules(grammar, 1), tokens, 10.0, 5.0)
    size = int((tokens != PAD).sum())
    steps = [traversal.is_legal[0, k, tokens[0, k]] for k in range(size)]
    assert all(steps) == grammar.is_legal(breadth_first_rows(FULL, tokens))[0]
    assert not traversal.is_legal[0, size:].any()


@given(prefix_tokens(PLAIN, 20))
def test_conversions_of_order_agree_with_expressions_and_invert(tokens):
    prefix = padded([tokens], 20)
    breadth_first = breadth_first_rows(PLAIN, prefix)
    expression = from_prefix(PLAIN, tokens)
    assert tuple(breadth_first[0, : len(tokens)]) == expression.tokens
    assert (breadth_first[0, len(tokens) :] == PAD).all()
    assert (prefix_rows(PLAIN, breadth_first) == prefix).all()


def test_parent_and_sibling_are_those_of_the_tree():
    names = ("add", "sin", "mul", "x", "y", "sub", "z", "x")  # sin(x * y) + (z - x)
    tokens = padded([[PLAIN.token(name) for name in names]], 9)
    rules = PrefixRules(Grammar(PLAIN, max_length=9), 4)
    traversal = retrace(rules, tokens, 10.0, 5.0)
    called = (*PLAIN.names, "")
    parents = [called[k] for k in traversal.parent[0, :8]]
    siblings = [called[k] for k in traversal.sibling[0, :8]]
    assert parents == ["", "add", "sin", "mul", "mul", "add", "sub", "sub"]
    assert siblings == ["", "", "", "", "x", "sin", "", "z"]
    assert traversal.is_masked[0].tolist() == [True] * 8 + [False]


def test_the_soft_length_prior_pulls_from_both_sides():
    walk = PrefixWalk(PrefixRules(Grammar(SMALL, max_length=9), 4), 2)
    add, sin, x = (SMALL.token(name) for name in ("add", "sin", "x"))
    walk.advance(np.array([add, sin]))  # two slots open, one slot open
    early = walk.length_preference(preferred=3.0, scale=2.0)
    assert early[0].tolist() == [0.0] * len(SMALL)
    assert early[1, x] == -1.0 and early[1, add] == early[1, sin] == 0.0
    for _ in range(4):
        walk.advance(np.array([sin, sin]))
    late = walk.length_preference(preferred=3.0, scale=2.0)
    assert (late[:, [add, sin]] == -1.0).all() and (late[:, x] == 0.0).all()


def test_no_length_is_preferred_by_default():
    """As in DSR's runs in SRBench, short laws are not made less likely."""
    walk = PrefixWalk(PrefixRules(Grammar(SMALL, max_length=9), 4), 2)
    assert DSRConfig().preferred_length is None
    assert not walk.length_preference(None, 5.0).any()
    assert walk.length_preference(None, 5.0).shape == (2, len(SMALL))
    with pytest.raises(MethodError, match="preferred_length"):
        DSRConfig(preferred_length="long")


def test_rules_unknown_in_prefix_order_are_refused():
    with pytest.raises(GrammarError, match="rules beyond"):
        PrefixRules(Grammar(PLAIN, rules=(AtMost("sin", 1),)), 4)
    with pytest.raises(GrammarError, match="binary operator"):
        PrefixRules(Grammar(Vocabulary(("x",), ("sin", "exp"))), 4)
    with pytest.raises(GrammarError, match="min_length, 4"):
        PrefixRules(Grammar(PLAIN, max_length=4), 4)


def test_a_variable_may_be_called_like_an_operator():
    vocabulary = Vocabulary(("sin", "y"), ("add", "sin"))
    rules = PrefixRules(Grammar(vocabulary, max_length=9), 4)
    assert rules.is_periodic.tolist() == [False, True, False, False, False, False]
