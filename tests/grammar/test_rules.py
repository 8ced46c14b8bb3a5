"""Rules given as text or as a dict equal the rules that they name."""

import re

import pytest

from ddsr import AtMost, Forbid, Grammar, GrammarError, MustAppear, Nesting, Vocabulary
from ddsr.grammar.rules import read_rules


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("forbid exp on mass", Forbid("exp", on="mass")),
        ("forbid / on speed of light", Forbid("/", on="speed of light")),
        ("forbid exp on `a, b`", Forbid("exp", on="`a, b`")),
        ("at most 2 of sin, cos", AtMost(("sin", "cos"), 2)),
        ("at most 1 of sqrt below sqrt", Nesting(("sqrt",), ("sqrt",), 1)),
        ("no exp, pow below exp", Nesting(("exp",), ("exp", "pow"), 0)),
        ("use mass, `sin`", MustAppear("mass", "`sin`")),
        ("  use `mass`  ", MustAppear("mass")),
    ],
)
def test_text_is_the_rule_it_names(text, rule):
    assert read_rules(text) == read_rules([text]) == (rule,)


def test_a_dict_holds_rules_of_every_kind():
    rules = {
        "forbid": {"exp": "a, b", "log": ["x", "y"]},
        "nesting": {"sin": {"cos": 0, "exp, log": 1}},
        "at_most": {"sin, cos": 2},
        "must_appear": ["x"],
    }
    assert read_rules(rules) == (
        Forbid("exp", on="a, b"),
        Forbid("log", on="x"),
        Forbid("log", on="y"),
        Nesting(("sin",), ("cos",), 0),
        Nesting(("sin",), ("exp", "log"), 1),
        AtMost(("sin", "cos"), 2),
        MustAppear("x"),
    )


def test_lists_may_mix_them():
    rule = Forbid("exp", on="x")
    assert read_rules([rule, "use x", {"at_most": {"x": 1}}]) == (rule, MustAppear("x"), AtMost(("x",), 1))
    assert read_rules(rule) == (rule,)
    assert read_rules(()) == ()


def test_a_name_in_backticks_is_the_variable():
    vocabulary = Vocabulary(("sin", "x"), ("+", "sin"))
    (rule,) = read_rules("forbid sin on `sin`")
    grammar = Grammar(vocabulary, 8, 2, [rule])
    variable, function, x = vocabulary.token("`sin`"), vocabulary.token("sin"), vocabulary.token("x")
    assert grammar.check([function, variable]) is not None
    assert grammar.check([function, x]) is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("exp not on x", "cannot read the rule 'exp not on x'; examples of rules"),
        ("at most many of sin", "cannot read"),
        ("no exp on x", "did you mean 'forbid exp on x'"),
        ("forbid exp below sin", "did you mean 'no exp below sin'"),
        ("forbit exp on x", "cannot read the rule 'forbit exp on x' .did you mean 'forbid exp on x'"),
        ("forbid exp, log on x", "expected one name, got 'exp, log'"),
        ("use `x", "backtick is never closed"),
        ([3], "3 is not a rule"),
        (3, "rules must be a list"),
        ({"use x"}, "rules must be a list"),
        (
            {"forbidden": {}},
            "unknown kind of rule 'forbidden' .did you mean 'forbid'.*; choose from: forbid, nesting",
        ),
        ({"at_most": ["sin"]}, "cannot read the rules under 'at_most'"),
        ({"nesting": {"sin": 0}}, "cannot read the rules under 'nesting'"),
    ],
)
def test_invalid_rules_are_refused(given, message):
    with pytest.raises(GrammarError, match=message):
        read_rules(given)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("y positive", "y at least 0"),
        ("t increasing", "increasing in t"),
        ("y increases with t", "increasing in t"),
        ("y between 0 and 1", "y from 0 to 1"),
        ("0 <= y <= 1", "y from 0 to 1"),
        ("constants >= 0", "constants at least 0"),
        ("positive constants", "constants positive"),
        ("integer exponents", "whole exponents"),
        ("max depth 4", "depth at most 4"),
        ("y = 0 at t = 0", "zero at t = 0"),
        ("f(0) = 0", "zero at x = 0"),
        ("a and b symmetric", "symmetric in a, b"),
        ("symmetric in a and b", "symmetric in a, b"),
        ("without offset", "no offset"),
        ("convx in t", "convex in t"),
        ("no sin", "at most 0 of sin"),
        ("y bounded", "y from 0 to 1"),
    ],
)
def test_errors_suggest_the_rule_that_was_meant(given, meant):
    with pytest.raises(GrammarError, match=re.escape(f"'{meant}'")):
        read_rules(given)
    assert read_rules(meant)


def test_errors_do_not_suggest_what_is_no_rule():
    with pytest.raises(GrammarError, match="cannot read the rule 'foo bar'; examples of rules"):
        read_rules("foo bar")
