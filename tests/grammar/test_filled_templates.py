"""Legal fillings of templates: exactly the expressions whose parts fill the holes, without dead ends."""

from itertools import product

import numpy as np
import pytest

import grammar_oracle as oracle
from ddsr.errors import GrammarError
from ddsr.expression import Expression, Node, Vocabulary
from ddsr.expression.operators import TEMPLATE
from ddsr.expression.template_parser import parse_template
from ddsr.grammar import AtMost, Forbid, Grammar, MustAppear, Rule

COLUMNS = ("x", "y")
OPERATORS = ("add", "sin")
CASES = {
    "one function": ("f(x)", 4, 10, ()),
    "a constant and a function": ("A * f(x)", 5, 2, ()),
    "no constant left": ("A * B + f(x)", 6, 2, ()),
    "two functions": ("f(x) * g(y)", 6, 1, ()),
    "functions of both": ("f(x, y) + A * g(x)", 6, 2, ()),
    "constants only": ("A * x + B", 4, 2, ()),
    "a rule": ("A * f(x, y)", 6, 2, (Forbid("sin", on="y"),)),
    "a limit": ("f(x, y) + g(y)", 6, 2, (AtMost(("x", "y"), 2),)),
    "a limit on constants": ("A + f(x) + g(y)", 6, 5, (AtMost("?", 2),)),
    "required": ("f(x, y) + g(y)", 6, 1, (MustAppear("x", "y"),)),
}


def vocabulary_of(text: str) -> Vocabulary:
    return Vocabulary(COLUMNS, OPERATORS, template=parse_template(text, COLUMNS))


def produced(grammar: Grammar) -> set[tuple[int, ...]]:
    """All expressions reachable by legal tokens; fails at a dead end."""
    arities = np.array(grammar.vocabulary.arities)
    complete: set[tuple[int, ...]] = set()
    rows = np.full((1, grammar.max_length), -1, np.int16)
    n_open = np.ones(1, int)
    for position in range(grammar.max_length):
        legal = grammar.legal_tokens(rows)[:, position]
        assert legal.any(axis=1).all(), "a legal beginning that cannot be continued"
        row, token = np.nonzero(legal)
        rows, n_open = rows[row], n_open[row] + arities[token] - 1
        rows[:, position] = token
        complete |= {tuple(done[: position + 1].tolist()) for done in rows[n_open == 0]}
        rows, n_open = rows[n_open > 0], n_open[n_open > 0]
    assert not len(rows), "an expression longer than allowed"
    return complete


def fillings(
    vocabulary: Vocabulary, max_length: int, max_constants: int, rules: tuple[Rule, ...]
) -> set[tuple[int, ...]]:
    """Every filling with legal parts that obeys the rules as a whole."""
    assert vocabulary.template is not None
    choices = []
    for hole in vocabulary.template.holes:
        leaves = [("?",)] if hole.is_constant else [("?",), ("1",)]
        trees = [] if hole.is_constant else list(oracle.all_trees(vocabulary.of_parts, max_length))
        foreign = {*COLUMNS} - {*hole.inputs}
        legal = [
            tree
            for tree in trees
            if oracle.is_legal(vocabulary.of_parts, tree, max_constants, ())
            and not any(node[0] in foreign for node in oracle.nodes(tree))
        ]
        choices.append([*leaves, *legal])
    found = set()
    for parts in product(*choices):
        whole = (TEMPLATE, *parts)
        names = [node[0] for node in oracle.nodes(whole)]
        if len(names) > max_length or names.count("?") > max_constants:
            continue
        if all(oracle.obeys(whole, rule) for rule in rules):
            found.add(tuple(vocabulary.token(name) for name in oracle.breadth_first(whole)))
    return found


@pytest.mark.parametrize("case", CASES)
def test_legal_tokens_lead_to_all_fillings_and_no_others(case: str) -> None:
    text, *limits = CASES[case]
    vocabulary = vocabulary_of(text)
    assert produced(Grammar(vocabulary, *limits)) == fillings(vocabulary, *limits)


def test_foreign_parts_are_named() -> None:
    vocabulary = vocabulary_of("A * f(x)")
    grammar = Grammar(vocabulary, 10)
    x, y, one = Node.variable("x"), Node.variable("y"), Node.constant()

    def reason(*parts: Node) -> str:
        return str(grammar.check(Expression.from_tree(vocabulary, Node.operator(TEMPLATE, *parts)).tokens))

    assert "y may not fill hole 2" in reason(one, y)
    assert "x may not fill hole 1" in reason(x, x)
    assert "y is not an input of this hole" in reason(one, Node.operator("add", x, y))
    assert "where the template should" in str(grammar.check(Expression.parse("x + x", vocabulary).tokens))
    assert grammar.check(Expression.parse("x", vocabulary).tokens) is not None


def test_limits_that_no_filling_meets_are_refused() -> None:
    with pytest.raises(GrammarError, match="needs at least 4 tokens"):
        Grammar(vocabulary_of("A * f(x) + B"), 3)
    with pytest.raises(GrammarError, match="2 constants, more than max_constants"):
        Grammar(vocabulary_of("A * f(x) + B"), 10, 1)


def test_random_fillings_are_legal() -> None:
    grammar = Grammar(vocabulary_of("f(x, y) + A * g(x)"), 20, 4)
    rows = grammar.sample(300, seed=0)
    assert grammar.is_legal(rows).all()
    assert (rows[:, 0] == grammar.vocabulary.token(TEMPLATE)).all()
