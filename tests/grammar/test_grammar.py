import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import grammar_oracle as oracle
from ddsr import _core
from ddsr.errors import GrammarError
from ddsr.expression import OPERATORS as ALL_OPERATORS
from ddsr.expression.vocabulary import Vocabulary
from ddsr.grammar import AtMost, Forbid, Grammar, MustAppear, Nesting
from grammar_cases import BARE, PLAIN, SMALL, THREE, UNARY, WITHOUT, ids

PAD, MASK = _core.PAD, _core.MASK


def produced(grammar: Grammar) -> set[tuple[str, ...]]:
    """All expressions reachable by legal tokens, following every path; fails at a dead end."""
    names = grammar.vocabulary.names
    arities = np.array([oracle.arity(grammar.vocabulary, name) for name in names])
    complete = set()
    rows = np.full((1, grammar.max_length), PAD, np.int16)
    n_open = np.ones(1, int)
    for position in range(grammar.max_length):
        legal = grammar.legal_tokens(rows)[:, position]
        assert legal.any(axis=1).all(), "a legal beginning that cannot be continued"
        row, token = np.nonzero(legal)
        rows, n_open = rows[row], n_open[row] + arities[token] - 1
        rows[:, position] = token
        for done in rows[n_open == 0]:
            complete.add(tuple(names[token] for token in done[: position + 1]))
        rows, n_open = rows[n_open > 0], n_open[n_open > 0]
        if not len(rows):
            break
    assert not len(rows), "an expression longer than allowed"
    return complete


CASES = {
    "no further rules": (PLAIN, 5, 10, ()),
    "no constants left": (PLAIN, 5, 0, ()),
    "one constant": (SMALL, 7, 1, ()),
    "a single token": (PLAIN, 1, 10, ()),
    "only unary operators": (UNARY, 5, 10, ()),
    "only unary operators, one required": (UNARY, 4, 10, (MustAppear("y"), Forbid("sin", on="y"))),
    "no constant-like leaf": (BARE, 7, 10, ()),
    "no constants": (WITHOUT, 7, 10, ()),
    "no constants, 1 limited": (WITHOUT, 6, 10, (AtMost("1", 2),)),
    "no constants, exp on 1 alone": (WITHOUT, 6, 10, (Forbid("exp", on="x"), Forbid("exp", on="y"))),
    "no constants, exp on a limited 1": (
        WITHOUT, 6, 10, (Forbid("exp", on="x"), Forbid("exp", on="y"), AtMost("1", 1)),
    ),
    "no constants, one required": (WITHOUT, 5, 10, (MustAppear("y"), AtMost("x", 1))),
    "no operators": (Vocabulary(("x", "y"), ()), 5, 10, (AtMost("x", 0),)),
    "forbidden on one variable": (PLAIN, 5, 10, (Forbid("exp", on="x"),)),
    "forbidden on all variables": (PLAIN, 5, 10, (Forbid("exp", on="x"), Forbid("exp", on="y"))),
    "between them all": (PLAIN, 5, 10, (Forbid("exp", on="x"), Forbid("sin", on="y"))),
    "levels of nesting": (UNARY, 5, 10, (Nesting("exp", "exp", 1), Nesting("neg", ("exp", "x")))),
    "no sum in a product": (PLAIN, 5, 10, (Nesting("mul", ("add", "?")),)),
    "no constant below exp": (SMALL, 7, 10, (Nesting("exp", ("?", "1")),)),
    "operators limited": (PLAIN, 6, 10, (AtMost(("add", "sin"), 1),)),
    "leaves and operators limited together": (SMALL, 6, 10, (AtMost(("exp", "x", "1"), 2),)),
    "each variable once": (THREE, 7, 10, (AtMost("x", 1), AtMost("y", 1), AtMost("z", 1))),
    "each variable once, no constants": (BARE, 7, 10, (AtMost("x", 1), AtMost("y", 1))),
    "variables limited together": (THREE, 7, 1, (AtMost(("x", "y"), 1), AtMost("z", 1))),
    "constants and x": (THREE, 7, 9, (AtMost(("?", "x"), 2), AtMost("y", 1), AtMost("z", 0))),
    "limited, and forbidden below": (
        THREE, 7, 1, (AtMost("x", 1), Forbid("sin", on="y"), Forbid("sin", on="z"), AtMost("y", 1)),
    ),
    "one required": (PLAIN, 5, 10, (MustAppear("y"),)),
    "two required": (SMALL, 7, 10, (MustAppear("x", "y"),)),
    "all required": (THREE, 7, 10, (MustAppear("x", "y", "z"),)),
    "all required, no room to spare": (THREE, 5, 10, (MustAppear("x", "y", "z"),)),
    "required, but not below": (THREE, 6, 10, (MustAppear("x", "y"), Forbid("sin", on="y"))),
    "required beside, not below": (THREE, 5, 9, (MustAppear("x", "y"), Nesting("sin", ("x", "y")))),
    "the same with room": (THREE, 6, 9, (MustAppear("x", "y"), Nesting("sin", ("x", "y")))),
    "required in different places": (
        THREE, 7, 1, (MustAppear("x", "y"), Forbid("sin", on="y"), AtMost(("x", "z"), 1)),
    ),
    "required and once": (THREE, 7, 0, (MustAppear("x", "y"), AtMost("x", 1), AtMost("y", 1))),
    "required, limited together": (THREE, 7, 1, (MustAppear("x", "y"), AtMost(("x", "y", "z"), 2))),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_legal_tokens_lead_to_all_legal_expressions_and_no_others(case):
    vocabulary, max_length, max_constants, rules = CASES[case]
    grammar = Grammar(vocabulary, max_length, max_constants, rules)
    assert produced(grammar) == oracle.legal_expressions(vocabulary, *CASES[case][1:])


OPERATORS = ("add", "mul", "sin", "cos", "exp", "log", "neg", "square", "sqrt")


@st.composite
def problems(draw):
    operators = draw(st.lists(st.sampled_from(OPERATORS), max_size=3, unique=True))
    variables = ("x", "y", "z")[: draw(st.integers(1, 3))]
    vocabulary = Vocabulary(variables, tuple(operators), draw(st.booleans()), draw(st.booleans()))
    names = st.sampled_from(vocabulary.names)
    sets = st.lists(names, min_size=1, max_size=3, unique=True).map(tuple)
    kinds = [st.builds(AtMost, sets, st.integers(0, 3))]
    kinds.append(st.lists(st.sampled_from(variables), min_size=1).map(lambda v: MustAppear(*v)))
    if operators:
        outer = st.lists(st.sampled_from(operators), min_size=1, unique=True).map(tuple)
        kinds.append(st.builds(Nesting, outer, sets, st.integers(0, 2)))
        kinds.append(st.builds(Forbid, st.sampled_from(operators), st.sampled_from(variables)))
    rules = draw(st.lists(st.one_of(kinds), max_size=4).map(tuple))
    return vocabulary, draw(st.integers(1, 6)), draw(st.integers(0, 2)), rules


def check_against_oracle(problem):
    expected = oracle.legal_expressions(*problem)
    try:
        grammar = Grammar(*problem)
    except GrammarError as error:
        is_undecidable = "more than one rule" in str(error) or "no other rule" in str(error)
        assert not expected or is_undecidable, error
        return
    assert produced(grammar) == expected


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problems())
def test_random_rules_agree_with_the_enumeration(problem):
    check_against_oracle(problem)


@pytest.mark.slow
@settings(max_examples=5000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problems())
def test_many_random_rules_agree_with_the_enumeration(problem):
    check_against_oracle(problem)


def test_one_plus_one_is_legal_only_without_constants():
    """As in DSR: without a constant that can be 2, `1 + 1` is the only way to write it."""
    for vocabulary, is_legal in ((WITHOUT, True), (SMALL, False)):
        rows = np.full((2, 4), PAD, np.int16)
        rows[0, :3] = ids(vocabulary, "add", "1", "1")
        rows[1, :2] = ids(vocabulary, "exp", "1")
        assert Grammar(vocabulary, 4).is_legal(rows).tolist() == [is_legal, is_legal]


def test_legal_tokens_of_partial_rows():
    rows = np.full((3, 6), PAD, np.int16)
    rows[1, :2] = ids(PLAIN, "add", "?")
    rows[2, 0] = ids(PLAIN, "x")[0]
    legal = Grammar(PLAIN, 6).legal_tokens(rows)
    assert legal.shape == (3, 6, len(PLAIN))
    assert set(np.flatnonzero(legal[0, 0])) == set(range(len(PLAIN))) - set(ids(PLAIN, "1", "?"))
    assert set(np.flatnonzero(legal[1, 2])) == set(range(len(PLAIN))) - set(ids(PLAIN, "1", "?"))
    assert legal[1, 1, ids(PLAIN, "?")[0]]
    assert not legal[0, 1:].any() and not legal[1, 3:].any() and not legal[2, 1:].any()
    rows[rows == PAD] = MASK
    np.testing.assert_array_equal(Grammar(PLAIN, 6).legal_tokens(rows), legal)


REASONS = [
    ((), "add x", "position 2: 1 operand(s) are missing"),
    ((), "x x", "position 1: tokens follow a complete expression"),
    ((), "add add add x y x y", "2: add makes the expression at least 7 tokens long; at most 6"),
    ((), "exp log x", "position 1: log directly below exp undoes it"),
    ((), "sin exp sin x", "2: sin is nested too deeply: on a path below sin at most 0 of sin"),
    ((), "?", "position 0: ? alone is an expression without a variable"),
    ((), "exp 1", "position 1: exp has only the constant 1 to work on"),
    ((), "add ? 1", "position 2: add has only constants to work on, the second being 1"),
    ((AtMost(("x", "y"), 1),), "add x y", "2: one y too many: of x and y at most 1 may be used"),
    ((Forbid("exp", on="x"),), "add y exp x", "3: x is nested too deeply: on a path below exp"),
    ((Nesting("exp", ("x", "y")),), "exp x", "position 0: exp would have no legal operand"),
    ((MustAppear("y"),), "exp x", "position 1: with x here nothing of at most 6 tokens completes"),
    ((MustAppear("y"),), "exp x", "still to appear: y"),
    ((AtMost(("x", "y"), 1),), "mul add y ? 1", "position 2: with y here nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "text", "reason"), REASONS)
def test_check_names_the_position_and_the_rule(rules, text, reason):
    grammar = Grammar(PLAIN, 6, 10, rules)
    message = grammar.check(ids(PLAIN, *text.split()))
    assert message is not None and reason in message
    row = np.full((1, 8), PAD, np.int16)
    row[0, : len(text.split())] = ids(PLAIN, *text.split())
    assert not grammar.is_legal(row)[0]


def test_check_passes_what_is_legal():
    grammar = Grammar(PLAIN, 6, 10, (MustAppear("y"),))
    assert grammar.check(ids(PLAIN, "add", "exp", "?", "y")) is None
    assert "is not in the vocabulary of 9" in grammar.check([0, 99, 8])
    assert not grammar.is_legal([[8, PAD, 8], [MASK, PAD, PAD]]).any()


CONTRADICTIONS = [
    ((AtMost(("x", "y"), 0),), "no expression of at most 6 tokens satisfies all rules"),
    ((MustAppear("x"), AtMost("x", 0)), "no expression"),
    ((MustAppear("x", "y"), AtMost(("x", "y"), 1)), "no expression"),
    ((MustAppear("x", "y"), AtMost(("add", "mul"), 3)), "x and y must all appear, which needs"),
    ((AtMost("x", 1), AtMost(("x", "y"), 2)), "x is limited by more than one rule on uses"),
    ((AtMost("x", -1),), "the limit of AtMost"),
    ((Nesting("exp", "exp", -1),), "the limit of Nesting"),
    ((Nesting("exp", "exp", 1.5),), "must be an integer of at least 0, got 1.5"),
    ((Forbid("x", on="y"),), "nothing stands below x, which is not an operator"),
    (
        (Forbid("exp", on="w"),),
        "rule 'forbid exp on w': there is no column 'w'; the columns are: x, y",
    ),
    ((Forbid("exp", on="X"),), r"there is no column 'X' \(did you mean 'x'\?\)"),
    ((Forbid("exponential", on="x"),), r"'exponential' is not in this vocabulary \(did you mean 'exp'\?\)"),
    ((AtMost(("x", "tanh"), 1),), "tanh is not one of the operators of the search"),
    ((AtMost((), 1),), "names no token"),
    ((MustAppear("exp"),), "exp must appear, but only a variable can be required"),
    (("x",), "'x' is not a grammar rule"),
]


@pytest.mark.parametrize(("rules", "message"), CONTRADICTIONS)
def test_rules_that_cannot_be_met_are_refused(rules, message):
    with pytest.raises(GrammarError, match=message):
        Grammar(PLAIN, 6, 10, rules)


def test_two_required_variables_need_room():
    Grammar(PLAIN, 3, 10, (MustAppear("x", "y"),))
    with pytest.raises(GrammarError, match="no expression of at most 2 tokens"):
        Grammar(PLAIN, 2, 10, (MustAppear("x", "y"),))


def test_limits_that_are_implied_do_not_clash():
    rules = (AtMost(("?", "x"), 2), AtMost("?", 3), AtMost("y", 1), AtMost("y", 1))
    grammar = Grammar(THREE, 7, 5, rules)
    assert grammar.check(ids(THREE, "add", "x", "z")) is None


@pytest.mark.parametrize("max_length", [0, -3, 5000, 2.5, True])
def test_bad_lengths_are_refused(max_length):
    with pytest.raises(GrammarError, match="max_length"):
        Grammar(PLAIN, max_length)


def test_too_many_rules_are_refused():
    with pytest.raises(GrammarError, match="max_constants"):
        Grammar(PLAIN, 6, -1)
    operators = list(ALL_OPERATORS)
    rules = [Nesting(name, name, 1) for name in operators]
    with pytest.raises(GrammarError, match="combine to more than 65536 cases"):
        Grammar(Vocabulary(("x",), operators), rules=rules)


def test_a_copy_is_the_same_grammar():
    grammar = Grammar(PLAIN, 6, 3, [MustAppear("x"), Forbid("exp", on="y")])
    copy = pickle.loads(pickle.dumps(grammar))
    assert copy == grammar and copy.rules == grammar.rules
    np.testing.assert_array_equal(copy.sample(20, seed=1), grammar.sample(20, seed=1))
