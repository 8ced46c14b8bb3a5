"""Rules on the form and the constants of equations: their texts, and which equations break them."""

import numpy as np
import pytest

from ddsr import (
    ConstantRange,
    Exponents,
    Expression,
    Grammar,
    GrammarError,
    Increasing,
    MaxDepth,
    MustAppear,
    NoOffset,
    OperandSize,
    Symmetric,
    ValueRange,
    Vocabulary,
    ZeroAt,
)
from ddsr.expression.template_parser import parse_template
from ddsr.grammar.listing import Listing
from ddsr.grammar.rules import read_rules

VOCABULARY = Vocabulary(("x", "z"), ("+", "-", "*", "/", "^", "exp", "log", "sin", "neg"))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("exponents constant", Exponents()),
        ("whole exponents", Exponents(whole=True)),
        ("exponents whole from -3 to 3", Exponents(True, -3, 3)),
        ("exponents from -0.5 to 2e1", Exponents(False, -0.5, 20)),
        ("depth at most 4", MaxDepth(4)),
        ("at most 5 tokens below exp", OperandSize("exp", 5)),
        ("at most 1 token below exp", OperandSize("exp", 1)),
        ("constants from 0 to 10", ConstantRange(0, 10)),
        ("constants at least 0.5", ConstantRange(0.5)),
        ("constants at most 7", ConstantRange(high=7)),
        ("no offset", NoOffset()),
        ("zero at x = 0", ZeroAt("x")),
        ("zero at speed of light=-2.5", ZeroAt("speed of light", -2.5)),
        ("y from 0 to 1", ValueRange(0, 1)),
        ("values at least 0", ValueRange(0)),
        ("increasing in x", Increasing("x")),
        ("symmetric in x, z", Symmetric("x", "z")),
    ],
)
def test_text_is_the_rule_it_names(text, rule):
    assert read_rules(text) == (rule,)
    assert read_rules(str(rule)) == read_rules(str(read_rules(str(rule))[0]))


def test_numbers_of_numpy_are_numbers():
    assert MaxDepth(np.int64(3)) == MaxDepth(3)
    assert ConstantRange(np.float32(0.5), np.int64(2)).holds(1.0)


def test_text_may_name_several_inputs():
    names = [rule.variable for rule in read_rules("convex in x, z")]
    assert names == ["x", "z"]
    assert read_rules("symmetric in a, b, c") == (Symmetric("a", "b"), Symmetric("a", "c"))


def test_constants_may_have_a_sign():
    for text, allowed in (("constants positive", 2.0), ("constants negative", -2.0)):
        (rule,) = read_rules(text)
        assert str(rule) == text
        assert rule.holds(allowed) and not rule.holds(-allowed) and not rule.holds(0.0)


def test_a_dict_holds_them():
    rules = {
        "exponents": "whole",
        "depth": 3,
        "operand_size": {"exp": 2},
        "constants": {"low": 0, "high": 10},
        "no_offset": True,
        "zero_at": {"x": 0},
        "values": {"low": 0},
        "increasing": ["x", "z"],
        "symmetric": ["x", "z"],
    }
    assert read_rules(rules) == (
        *(Exponents(whole=True), MaxDepth(3), OperandSize("exp", 2), ConstantRange(0, 10), NoOffset()),
        *(ZeroAt("x", 0), ValueRange(0), Increasing("x"), Increasing("z"), Symmetric("x", "z")),
    )
    assert read_rules({"exponents": {"whole": True, "low": -3}}) == (Exponents(True, -3),)
    assert read_rules({"constants": "positive"}) == read_rules("constants positive")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("increassing in x", "did you mean 'increasing in x'"),
        ("constants from 5 to 1", "ends below its beginning: from 5 to 1"),
        ("rate from 0 to 9", "did you mean 'y from 0 to 9'"),
        ("depth at most 0", "must be an integer of at least 1"),
        ("symmetric in x", "at least two inputs"),
        ("symmetric in x, x", "two different inputs"),
        ("whole exponents from 0.2 to 0.8", "no whole number"),
        ({"constants": {}}, "has no end"),
        ({"constants": {"least": 3}}, "cannot read the rules under 'constants'"),
        ({"zero_at": "x"}, "cannot read the rules under 'zero_at'"),
        ({"increasing": 3}, "cannot read the rules under 'increasing'"),
        ({"values": {"low": float("nan")}}, "must have finite numbers"),
    ],
)
def test_what_cannot_be_read_is_refused(given, message):
    with pytest.raises(GrammarError, match=message):
        read_rules(given)


def flaw(text: str, *rules: str) -> str | None:
    grammar = Grammar(VOCABULARY, 40, 10, read_rules(list(rules)))
    expression = Expression.parse(text, VOCABULARY)
    assert (grammar.is_legal([expression.tokens], constants=[[*expression.constants, 0.0]])[0]) == (
        grammar.check(expression.tokens, expression.constants) is None
    )
    return grammar.check(expression.tokens, expression.constants)


@pytest.mark.parametrize(
    ("rule", "obey", "broken"),
    [
        ("exponents constant", ["x^2.5", "exp(x)"], ["x^z", "x^(z + 2)", "exp(2 * log(x))"]),
        ("whole exponents", ["x^2", "x^-3.0", "exp(0.5 * x)"], ["x^2.5", "exp(log(x) + z)"]),
        ("exponents from -1 to 2", ["x^0.5", "x^2"], ["x^2.1", "x^-1.5"]),
        ("depth at most 3", ["x + 2 * z", "x"], ["x + 2 * sin(z)"]),
        ("depth at most 1", ["x"], ["sin(x)", "x * z"]),
        ("at most 3 tokens below exp", ["exp(x * z)", "exp(x)"], ["exp(2 * x * z)"]),
        ("constants from 0 to 10", ["x - 3", "10 * x^-2.0", "x + 1"], ["-3 * x", "x + 10.5"]),
        ("constants positive", ["0.001 * x"], ["x * -0.001"]),
        ("no offset", ["2 * x", "2 * (x + 3)", "x - z"], ["x + 3", "3 - x", "z - (x - 2)", "neg(x + 2)"]),
    ],
)
def test_the_grammar_checks_the_form(rule, obey, broken):
    assert [flaw(text, rule) for text in obey] == [None] * len(obey)
    assert all(flaw(text, rule) for text in broken)


def test_the_reason_is_named():
    assert "2.5 is not whole" in str(flaw("x^2.5", "whole exponents"))
    assert "11 is not between 0 and 10" in str(flaw("x * 11", "constants from 0 to 10"))
    assert "5 tokens stand below exp" in str(flaw("exp(2 * x * z)", "at most 3 tokens below exp"))
    assert "may have no offset" in str(flaw("x + 3", "no offset"))


def test_constants_of_unknown_value_may_have_any():
    grammar = Grammar(VOCABULARY, 20, 3, [ConstantRange(5, 6), Exponents(whole=True)])
    expression = Expression.parse("x^2.5 * 3", VOCABULARY)
    assert grammar.check(expression.tokens) is None


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_fill_knows_the_depth(depth):
    rules = [MaxDepth(depth), MustAppear("z")]
    grammar = Grammar(VOCABULARY, 16, 4, rules)
    rows = grammar.sample(200, seed=0)
    assert grammar.is_legal(rows).all()
    sizes = {int((row >= 0).sum()) for row in rows}
    assert max(sizes) <= 2**depth - 1 and (depth == 1 or len(sizes) > 1)


def test_depth_can_be_combined_with_several_required_variables():
    grammar = Grammar(VOCABULARY, 5, 4, [MaxDepth(2), MustAppear("x", "z")])
    rows = grammar.sample(1000, seed=0)
    legal = grammar.is_legal(rows)
    assert legal.any()
    assert {int((row >= 0).sum()) for row in rows[legal]} == {3}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (["increasing in x", "decreasing in x"], "'increasing in x' and 'decreasing in x' contradict"),
        (["decreasing in x", "increasing in x"], "does not depend on x"),
        (["constants positive", "constants negative"], "no number in common"),
        (["y from 0 to 1", "y at least 2"], "no number in common"),
        (["exponents at most 2", "exponents at least 3"], "no number in common"),
        (["whole exponents", "exponents from 0.2 to 0.8"], "no whole number"),
        (["zero at x = 0", "y from 1 to 2"], "0 is not in this range"),
        (["depth at most 1", "use x, z"], "'depth at most 1' has room for 1 of .* which are x and z"),
        (["at most 1 of tanh"], "tanh is not one of the operators of the search"),
        (["increasing in q"], "there is no column 'q'"),
        (["convex in exp"], "exp is not a column"),
        (["at most 3 tokens below x"], "x is not an operator"),
        (["at most 3 tokens below cosh"], "rule 'at most 3 tokens below cosh'"),
    ],
)
def test_contradictions_are_refused(rules, message):
    with pytest.raises(GrammarError, match=message):
        Grammar(VOCABULARY, 20, 4, read_rules(rules))


def test_a_template_has_no_rules_on_its_sum():
    template = parse_template("A * exp(-f(x)) + z", ("x", "z"))
    vocabulary = Vocabulary(("x", "z"), ("+", "*"), template=template)
    for rule in (NoOffset(), MaxDepth(3)):
        with pytest.raises(GrammarError, match="does not apply to a template"):
            Grammar(vocabulary, 20, 4, [rule])
    Grammar(vocabulary, 20, 4, [Increasing("x"), ConstantRange(0, 10)])


def test_scale_and_offset_are_refused_where_a_rule_may_forbid_them():
    def always(*rules: str) -> bool:
        return Listing(Grammar(VOCABULARY, 20, 4, read_rules(list(rules)))).always_allows_scale_and_offset

    assert always("increasing in x", "whole exponents", "no offset", "at most 3 tokens below exp")
    for rule in ("constants positive", "depth at most 3", "at most 3 tokens below +"):
        assert not always(rule)


def test_a_number_alone_obeys_rules_on_constants():
    def allows(value: float, rule: str) -> bool:
        listing = Listing(Grammar(VOCABULARY, 20, 4, read_rules(rule)))
        return listing.allows(Expression(VOCABULARY, [VOCABULARY.token("?")], [value]))

    assert allows(3.0, "constants positive") and not allows(-3.0, "constants positive")
    assert not allows(3.0, "no offset")
    assert allows(3.0, "increasing in x")


def test_grammars_with_rules_can_be_copied():
    import pickle

    grammar = Grammar(VOCABULARY, 20, 4, read_rules(["whole exponents", "increasing in x", "no offset"]))
    copy = pickle.loads(pickle.dumps(grammar))
    assert copy == grammar
    expression = Expression.parse("x^2.5", VOCABULARY)
    assert copy.check(expression.tokens, np.array(expression.constants)) is not None
