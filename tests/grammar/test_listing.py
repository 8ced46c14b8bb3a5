"""Listed equations use the given operators and obey the rules, at every moment."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from ddsr import DDSRRegressor
from ddsr.config import DefaultConfig
from ddsr.engine import Engine, FitOptions
from ddsr.expression import Expression, Kind, Vocabulary
from ddsr.grammar import AtMost, Forbid, Grammar, MustAppear, Nesting
from ddsr.grammar.listing import Listing
from ddsr.grammar.rules import read_rules
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.search.lister import Lister
from ddsr.search.presets import parse_method, pose, settings, start
from strategies import PLAIN

RNG = np.random.default_rng(0)
X = pd.DataFrame({"m": RNG.uniform(0.5, 3.0, 40), "c": RNG.uniform(0.5, 3.0, 40)})
Y = 6 * X["m"].to_numpy() + np.sin(X["c"].to_numpy()) + 0.1 * RNG.normal(size=40)
TINY = {
    "ddsr:generator=none": {"evaluations_per_epoch": 200, "max_length": 16, "prior": None},
    "uniform": {"batch_size": 50, "max_length": 12},
}


def nodes_of(equation):
    nodes = [equation.tree]
    for node in nodes:  # grows during the loop
        nodes.extend(node.children)
    return nodes


def variables_below(node):
    below = nodes_of_tree(node)
    return {each.name for each in below if each.kind is Kind.VARIABLE}


def nodes_of_tree(node):
    nodes = [node]
    for each in nodes:
        nodes.extend(each.children)
    return nodes


def name_of(node):
    return {Kind.CONSTANT: "?", Kind.ONE: "1"}.get(node.kind, node.name)


def obeys(equation, rule):
    """The rules on trees: an oracle that shares no code with the grammar."""
    nodes = nodes_of(equation)
    match rule:
        case Forbid(operator, variable):
            return not any(variable in variables_below(node) for node in nodes if name_of(node) == operator)
        case AtMost(tokens, n):
            listed = (tokens,) if isinstance(tokens, str) else tokens
            return sum(name_of(node) in listed for node in nodes) <= n
        case MustAppear(variables):
            return set(variables) <= variables_below(equation.tree)
        case Nesting(outer, inner, 0):
            above = [node for node in nodes if name_of(node) in outer]
            below = [name_of(each) for node in above for each in nodes_of_tree(node)[1:]]
            return not set(inner) & set(below)
    raise AssertionError(rule)


RULES = (
    Forbid("mul", on="m"),
    Forbid("exp", on="c"),
    AtMost("?", 1),
    AtMost("?", 0),
    AtMost(("add", "sub"), 1),
    AtMost(("mul", "div"), 1),
    MustAppear("m"),
    MustAppear("m", "c"),
    Nesting(("add",), ("mul",)),
    Nesting(("mul",), ("?",)),
)
OPERATORS = ("add", "sub", "mul", "div", "sin", "exp", "log", "pow", "neg", "sqrt")


def drawn(seed):
    """Operators and rules that at least one expression obeys."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        names = [*rng.permutation(OPERATORS)[: rng.integers(2, 7)]]
        known = {*names, "?", "1", "m", "c"}
        fitting = [rule for rule in RULES if words_of(rule) <= known]
        rules = [fitting[i] for i in rng.permutation(len(fitting))[: rng.integers(0, 3)]]
        try:
            Grammar(Vocabulary(("m", "c"), names), rules=rules)
        except ValueError:
            continue
        return names, rules
    raise AssertionError("no rules that can be obeyed")


def words_of(rule):
    parts = [part for part in vars(rule).values() if not isinstance(part, int)]
    return {word for part in parts for word in ((part,) if isinstance(part, str) else part)}


def assert_listed(entries, names, rules):
    assert len(entries)
    for entry in entries:
        used = {node.name for node in nodes_of(entry.equation) if node.kind is Kind.OPERATOR}
        assert used <= set(names), entry.equation.text()
        assert all(obeys(entry.equation, rule) for rule in rules), (entry.equation.text(), rules)
        assert entry.size == len(entry.equation)


# The first twelve have every preset with every selection.
SEEDS = [*range(12), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(12, 24))]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_rules_and_operators_are_obeyed(seed):
    names, rules = drawn(seed)
    preset = [*TINY][seed % 4 == 3]
    fronts = []
    model = DDSRRegressor(
        preset,
        operators=names,
        rules=rules,
        config=TINY[preset],
        max_epochs=2,
        random_state=seed,
        model_selection=("description_length", "best", "accuracy")[seed % 3],
        callback=lambda state: fronts.append(state.front),
    ).fit(X, Y)
    for entries in (*fronts, model.front_):
        assert_listed(entries, names, rules)


@pytest.mark.parametrize(
    "parameters",
    [
        {"rules": "at most 1 of ?"},
        {"rules": "use m"},
        {"rules": "forbid * on m"},
        {"operators": ["+", "sin"]},
        {"operators": ["*", "sin"]},
        {"rules": ["use m, c", "at most 0 of ?"]},
    ],
    ids=str,
)
@pytest.mark.parametrize("selection", ["description_length", "best"])
def test_the_scale_and_offset_obey(parameters, selection):
    preset = "ddsr:generator=none"
    model = DDSRRegressor(
        preset, max_epochs=1, config=TINY[preset], random_state=0, model_selection=selection, **parameters
    ).fit(X, Y)
    names = Vocabulary(("m", "c"), parameters.get("operators", DefaultConfig().operators)).operators
    rules = [named(rule) for rule in read_rules(parameters.get("rules", ()))]
    assert_listed(model.front_, names, rules)


def named(rule):
    return Forbid("mul", rule.on) if isinstance(rule, Forbid) else rule


def interrupt(_state):
    raise KeyboardInterrupt


@pytest.mark.parametrize("rules", ["use m", "at most 1 of ?"])
def test_results_of_an_interrupt_obey_the_rules(rules):
    preset = "ddsr:generator=none"
    model = DDSRRegressor(preset, rules=rules, config=TINY[preset], random_state=0, callback=interrupt)
    assert_listed(model.fit(X, Y).front_, model.best_.expression.vocabulary.operators, read_rules(rules))


@pytest.mark.parametrize("selection", ["description_length", "best", "accuracy"])
def test_complexity_is_the_size_of_what_is_listed(selection):
    model = DDSRRegressor(
        "ddsr:generator=none",
        max_epochs=1,
        config=TINY["ddsr:generator=none"],
        random_state=0,
        model_selection=selection,
    ).fit(X, Y)
    vocabulary = model.best_.expression.vocabulary
    sizes = [len(Expression.parse(text, vocabulary)) for text in model.equations_["equation"]]
    # a negative number is one token of text and may be read as a subtraction, which has as many
    assert model.equations_["complexity"].tolist() == sizes
    assert [entry.size for entry in model.front_] == sizes


@pytest.mark.parametrize(
    ("rules", "operators", "is_free"),
    [
        ((), ("add", "mul"), True),
        ((), ("sub", "div"), True),
        ((), ("add", "sin"), False),
        ((), ("mul", "sin"), False),
        ([AtMost("?", 9)], ("add", "mul"), False),
        ([AtMost("sin", 1)], ("add", "mul", "sin"), True),
        ([Forbid("*", on="x")], ("add", "mul"), False),
        ([Forbid("sin", on="x")], ("add", "mul", "sin"), True),
        ([Nesting("add", "sin")], ("add", "mul", "sin"), False),
        ([Nesting("sin", "add")], ("add", "mul", "sin"), True),
        ([MustAppear("x")], ("add", "mul"), True),
    ],
)
def test_scales_are_fitted_only_if_they_can_always_be_listed(rules, operators, is_free):
    grammar = Grammar(Vocabulary(("x", "y"), operators), rules=rules)
    assert Listing(grammar).always_allows_scale_and_offset == is_free


def test_a_number_is_listed_unless_a_rule_forbids_it():
    number = Expression.parse("2.5", PLAIN)
    assert Listing(Grammar(PLAIN)).allows(number)
    assert Listing(Grammar(PLAIN, rules=[AtMost("sin", 1)])).allows(number)
    assert not Listing(Grammar(PLAIN, rules=[MustAppear("x")])).allows(number)
    assert not Listing(Grammar(PLAIN, rules=[AtMost("?", 0)])).allows(number)


def test_other_operators_are_not_listed():
    wide = Vocabulary(("x", "y", "z"), (*PLAIN.operators, "tanh"))
    listing = Listing(Grammar(PLAIN))
    assert listing.allows(Expression.parse("sin(x) + 1", wide))
    assert not listing.allows(Expression.parse("tanh(x)", wide))


def lister_of(y, rows):
    return Lister.of(Engine(PLAIN, rows, y, options=FitOptions(is_scale_free=True)), Grammar(PLAIN))


def test_forms_that_need_no_scale_or_offset_are_listed_without():
    rows = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))
    noise = 0.01 * np.random.default_rng(1).normal(size=60)
    for y, text, size in (
        (2.5 * rows[:, 0] / (1.3 + rows[:, 0]), "x / (1.3 + x)", 7),
        (np.sin(rows[:, 0]), "sin(x)", 2),
        (np.sin(rows[:, 0]) + 4, "sin(x)", 4),
        (2 * np.sin(rows[:, 0]) + 4, "sin(x)", 6),
    ):
        lister = lister_of(y + noise, rows)
        scores = lister.engine.score([Expression.parse(text, PLAIN)])
        front = lister.merge(ParetoFront(), scores)
        assert min(entry.size for entry in front if entry.nrmse < 0.1) == size


def test_entries_of_earlier_versions_are_listed_by_the_rules():
    rows = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))
    engine = Engine(PLAIN, rows, rows[:, 0])
    old = ParetoFront(
        (
            FrontEntry(Expression.parse("1", PLAIN), 1.0, 0.0, 1.7),
            FrontEntry(Expression.parse("x", PLAIN), 0.5, 2.0, 0.3),
            FrontEntry(Expression.parse("x * y", PLAIN), 0.2, 2.0, 0.3),
        )
    )
    assert [entry.size for entry in old] == [1, 5, 7]
    free = Lister.of(engine, Grammar(PLAIN)).relisted(old, ParetoFront())
    assert [entry.equation.text() for entry in free] == ["1.7", "2 * x + 0.3", "2 * (x * y) + 0.3"]
    ruled = Lister.of(engine, Grammar(PLAIN, rules=[AtMost("?", 1)])).relisted(old, ParetoFront())
    assert [entry.equation.text() for entry in ruled] == ["1.7"]
    assert Lister.of(engine, Grammar(PLAIN)).relisted(free, ParetoFront()) is free


def test_a_search_with_forbidden_scales_is_resumed_without_them():
    """Earlier versions fitted scales and offsets regardless of the rules."""
    method, rules = parse_method("ddsr:generator=none"), [AtMost("?", 1)]
    config = settings(method, TINY["ddsr:generator=none"])
    problem = pose(method, config.vocabulary(["m", "c"]), X, Y, config=config, rules=rules)
    assert config.is_scale_free and not problem.config.is_scale_free
    saved = next(start(method, replace(problem, config=config))).save()
    saved["front"] = ParetoFront((FrontEntry(problem.front.entries[0].expression, 0.1, 2.0, 0.3),)).saved()
    state = next(start(method, replace(problem, saved=saved)))
    assert state.epoch == 1
    assert_listed(state.front, config.operators, rules)


def test_an_equation_finite_in_one_notation_is_listed_in_it():
    rows = 1e200 * np.random.default_rng(0).uniform(1.0, 2.0, size=(30, 2))
    vocabulary = Vocabulary(("a", "b"))
    engine = Engine(vocabulary, rows, rows[:, 0] / rows[:, 1])
    whole, apart = (Expression.parse(text, vocabulary) for text in ("1e150 * (a / b)", "1e150 * a / b"))
    assert engine.is_finite(whole) and not engine.is_finite(apart)

    class Rewriting(Listing):
        def shortened(self, equation):
            return apart

    lister = Lister(engine, Rewriting(Grammar(vocabulary)))
    front = lister.enter(ParetoFront(), [FrontEntry(whole, 0.5)])
    assert [entry.expression for entry in front] == [whole]
    assert len(lister.enter(ParetoFront(), [FrontEntry(apart, 0.4)])) == 0
