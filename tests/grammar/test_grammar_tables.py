"""The exported tables agree with the native grammar."""

import numpy as np
import pytest

from ddsr import _core
from ddsr.expression.vocabulary import Vocabulary
from ddsr.grammar import AtMost, Forbid, Grammar, GrammarTables, MustAppear, Nesting
from grammar_cases import PLAIN, USUAL, WIDE, WITHOUT

GRAMMARS = {
    "plain": Grammar(PLAIN, max_length=8, max_constants=1),
    "nested": Grammar(PLAIN, 12, 3, [Nesting("exp", ("exp", "log"), 1), AtMost(("add", "exp"), 3)]),
    "without": Grammar(WITHOUT, max_length=9, rules=[Forbid("exp", on="y")]),
    "usual": Grammar(USUAL, 16, 2, [AtMost("mul", 2), Nesting("sqrt", "sqrt"), AtMost(("sin", "cos"), 1)]),
    "wide": Grammar(WIDE, max_length=10, max_constants=2),
}


def holds(sets: np.ndarray, row: int) -> np.ndarray:
    """The tokens of a set as booleans."""
    bits = np.unpackbits(sets[row].astype("<u8").view(np.uint8), bitorder="little")
    return bits.astype(bool)


def legal_by_tables(tables: GrammarTables, vocabulary: Vocabulary, row: np.ndarray, length: int):
    """Which tokens may be at each position, from the tables only."""
    n_tokens, legal = len(vocabulary), []
    slots, uses_left = [(0, -1, "single")], tables.use_limits.copy()
    for position, token in enumerate(row[row != _core.PAD]):
        context, parent, place = slots[position]
        room = length - len(slots)
        tokens = holds(tables.allowed, context) & holds(tables.directly_below, parent + 1)
        tokens &= holds(tables.of_arity_at_most, min(room, 2))
        constants = holds(tables.constant_like, 0)
        if place == "single" or (place == "second" and constants[row[position - 1]]):
            tokens &= ~constants
        for rule, left in enumerate(uses_left):
            if left == 0:
                tokens &= ~holds(tables.use_sets, rule)
            uses_left[rule] -= holds(tables.use_sets, rule)[token]
        legal.append(tokens[:n_tokens])
        places = {0: (), 1: ("single",), 2: ("first", "second")}[vocabulary.arities[token]]
        slots += [(int(tables.below[context, token]), int(token), place) for place in places]
    return np.array(legal)


@pytest.mark.parametrize("name", GRAMMARS)
def test_tables_give_the_legal_tokens(name):
    grammar = GRAMMARS[name]
    tables = grammar.tables()
    assert not tables.needs_lookahead
    rows = grammar.sample(40, seed=1)
    for row, legal in zip(rows, grammar.legal_tokens(rows), strict=True):
        expected = legal_by_tables(tables, grammar.vocabulary, row, grammar.max_length)
        np.testing.assert_array_equal(legal[: len(expected)], expected)


@pytest.mark.parametrize("rule", [MustAppear("x"), AtMost("x", 2)])
def test_limits_on_variables_need_lookahead(rule):
    assert Grammar(PLAIN, max_length=8, rules=[rule]).tables().needs_lookahead
