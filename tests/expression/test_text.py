"""Printing and parsing: exactly printed text parses back to the same expression."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ddsr import Expression, ExpressionError, Vocabulary
from ddsr.expression import OPERATORS, Node
from ddsr.expression.operators import TEMPLATE
from ddsr.expression.template_parser import parse_template
from strategies import FULL, NASTY_NAMES, examples, expressions, vocabularies

XY = Vocabulary(("x", "y"))


@examples(600)
@given(expressions(max_size=25) | expressions(FULL, 25))
def test_parse_undoes_print(expression):
    again = Expression.parse(str(expression), expression.vocabulary)
    assert again == expression
    assert repr(again.constants) == repr(expression.constants)  # -0.0 too


@examples(350)
@given(expressions(max_size=25) | expressions(FULL, 25))
def test_parse_undoes_skeleton(expression):
    again = Expression.parse(expression.skeleton(), expression.vocabulary)
    assert again == expression.with_constants([1.0] * expression.n_constants)


@examples(250)
@given(expressions(FULL, 25, st.floats(-1e6, 1e6)), st.integers(1, 17))
def test_rounded_text_keeps_the_structure(expression, precision):
    again = Expression.parse(expression.text(precision), FULL)
    assert again.tokens == expression.tokens
    for value, rounded in zip(expression.constants, again.constants, strict=True):
        assert rounded == pytest.approx(value, rel=0.51 * 10 ** (1 - precision), abs=0)


@pytest.mark.parametrize("name", NASTY_NAMES)
def test_any_name_survives(name):
    vocabulary = Vocabulary((name, "other"), tuple(OPERATORS))
    variable = Expression(vocabulary, [vocabulary.first_variable])
    text = f"sin({variable}) + {variable} * other"
    expression = Expression.parse(text, vocabulary)
    assert str(expression) == text
    assert expression.variables_used == (name, "other")


@examples(250)
@given(expressions(FULL, 20))
def test_no_parentheses_are_wasted(expression):
    """Removing any pair of parentheses that does not belong to a call changes or breaks the expression.

    Only in -(-2) the parentheses around the number after a minus stay, for readability.
    """
    text = str(expression)
    pairs, begun = [], []
    for position, letter in enumerate(text):
        if letter == "(":
            begun.append(position)
        elif letter == ")":
            pairs.append((begun.pop(), position))
    for start, end in pairs:
        if start and (text[start - 1].isalnum() or text[start : start + 2] == "(-"):
            continue
        bare = f"{text[:start]} {text[start + 1 : end]} {text[end + 1 :]}"
        assert Expression.parse(bare, FULL) != expression


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("x+y+1", "x + y + 1"),
        ("x+(y+1)", "x + (y + 1)"),
        ("x-(y-1)", "x - (y - 1)"),
        ("(x*y)/(x*y)", "x * y / (x * y)"),
        ("(x^y)^2", "(x^y)^2"),
        ("x**(y**2)", "x^y^2"),
        ("(-2)^x", "(-2)^x"),
        ("x^(-2)", "x^-2"),
        ("x + (-2)", "x + -2"),
        ("x + -2", "x + -2"),
        ("x - +2.50", "x - 2.5"),
        ("-x^2", "-x^2"),
        ("-2**x", "-2^x"),
        ("-2*x", "-2 * x"),
        ("(-x)^2", "(-x)^2"),
        ("-(x*y)", "-(x * y)"),
        ("-x*y", "-x * y"),
        ("--x", "-(-x)"),
        ("1.0 * 1 * 2.0 * 1e3 * 1e22", "1.0 * 1 * 2 * 1000 * 1e+22"),
        ("add(x, pow(y, 3))", "x + y^3"),
        ("neg(x)", "-x"),
        (".5*1.*1e-7", "0.5 * 1.0 * 1e-07"),
        ("? * x", "1.0 * x"),
    ],
)
def test_known_texts(text, printed):
    assert str(Expression.parse(text, FULL)) == printed


def test_minus_without_neg_is_a_factor():
    for text in ("-x", "-2^x", "y - -x", "-x * y", "-(x * y)", "x^-y", "(-x)^2", "-(-x)", "-1 * -2"):
        expression = Expression.parse(text, XY)
        assert str(expression) == text
        assert "neg" not in [XY.names[token] for token in expression.tokens]
    assert str(Expression.parse("-1 * x", FULL)) == "-1 * x"  # which is not neg(x)
    assert Expression.parse("-3", XY).constants == (-3.0,)


def test_the_literal_one_and_the_constant_one_differ():
    assert XY.names[Expression.parse("1", XY).tokens[0]] == "1"
    for text in ("1.0", "-1", "01", "1e0", "?"):
        assert XY.names[Expression.parse(text, XY).tokens[0]] == "?"
    without_one = Vocabulary(("x",), has_one=False)
    assert Expression.parse("1", without_one).constants == (1.0,)
    only_neg = Vocabulary(("x",), ("neg",), has_constant=False)
    assert str(Expression.parse("-1", only_neg)) == "-(1)"


def test_precision_and_skeleton():
    expression = Expression.parse("3.14159 * x + 0.99999 - 1e-7 / 1", XY)
    assert expression.text(3) == "3.14 * x + 1.0 - 1e-07 / 1"
    assert expression.skeleton() == "? * x + ? - ? / 1"
    with pytest.raises(ExpressionError, match="at least 1 digit, not 0"):
        expression.text(0)


def test_a_bare_name_is_a_variable_and_before_a_parenthesis_a_function():
    vocabulary = Vocabulary(("sin", "exp"))
    assert Expression.parse("sin(sin) + exp", vocabulary) == (
        Expression.parse("sin(`sin`) + `exp`", vocabulary)
    )


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "the text is empty"),
        ("  \n", 0, "the text is empty"),
        ("x + z", 4, "unknown variable 'z' at position 4; the variables are: x, y"),
        ("X + y", 0, "unknown variable 'X' at position 0 .did you mean 'x'\\?.; the variables are"),
        ("x + ``", 4, "unknown variable '' at position 4"),
        ("x + `sin`", 4, "unknown variable 'sin' at position 4"),
        ("sin", 0, "function 'sin' at position 0 lacks its arguments"),
        (
            "cosine(x)",
            0,
            "unknown function 'cosine' at position 0 .did you mean 'cos'\\?.; choose from: add",
        ),
        ("arctan(x)", 0, "unknown function 'arctan' at position 0 .did you mean 'atan'"),
        ("2 * tan(x)", 4, "operator 'tan' at position 4 is not in this vocabulary, .*: add, sub"),
        ("y(x)", 0, "'y' at position 0 is a variable, not a function; multiply with"),
        ("(x + y", 0, "parenthesis of '\\(' at position 0 is never closed"),
        ("1 + sin(x", 4, "parenthesis of 'sin' at position 4 is never closed"),
        ("x + y)", 5, "'\\)' at position 5 closes no parenthesis"),
        ("()", 1, "unexpected '\\)' at position 1; a number, a variable"),
        ("x +", 3, "unexpected end of text at position 3; a number"),
        ("x * / y", 4, "unexpected '/' at position 4"),
        ("x y", 2, "unexpected 'y' at position 2; an operator"),
        ("2x", 1, "unexpected 'x' at position 1; an operator"),
        ("x (y)", 0, "'x' at position 0 is a variable"),
        ("2 (y)", 2, "unexpected '\\(' at position 2; an operator"),
        ("2 ? 3", 2, "unexpected '\\?' at position 2"),
        ("x = y", 2, "unexpected character '=' at position 2"),
        ("x + `y", 4, "the backtick at position 4 is never closed"),
        ("x, y", 1, "unexpected ',' at position 1 outside"),
        ("(x, y)", 2, "unexpected ',' at position 2 outside"),
        ("sin(x, y)", 0, "'sin' at position 0 takes 1 operand.s., not 2"),
        ("1 + add(x)", 4, "'add' at position 4 takes 2 operand.s., not 1"),
        ("sin()", 0, "'sin' at position 0 takes 1 operand.s., not 0"),
        ("add(x, )", 7, "unexpected '\\)' at position 7"),
        ("x + 1e999", 4, "number '1e999' at position 4 is too large"),
        ("x + -1e999", 5, "number '1e999' at position 5 is too large"),
        ("__import__('os')", 11, 'unexpected character "\'" at position 11'),
        ("x.__class__", 1, "unexpected character '.' at position 1"),
    ],
)
def test_errors_say_what_and_where(text, position, message):
    with pytest.raises(ExpressionError, match=message) as caught:
        Expression.parse(text, XY)
    assert caught.value.position == position


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2", "'2' at position 0 needs a constant, but this vocabulary has none"),
        ("x + ?", "'\\?' at position 4 needs a constant"),
        ("-x", "'-' at position 0 needs neg, or mul and a constant"),
        ("x * x", "operator '\\*' at position 2 is not in this vocabulary, .* are: add"),
    ],
)
def test_text_beyond_the_vocabulary_is_refused(text, message):
    with pytest.raises(ExpressionError, match=message):
        Expression.parse(text, Vocabulary(("x",), ("add",), has_constant=False))


def test_only_text_is_parsed():
    with pytest.raises(ExpressionError, match="not 3"):
        Expression.parse(3, XY)


def test_deep_nesting_is_an_error_of_ddsr():
    for text in ("(" * 20_000, "-" * 20_000 + "x", "x^" * 20_000 + "x", "sin(" * 20_000):
        with pytest.raises(ExpressionError):
            Expression.parse(text, FULL)
    assert str(Expression.parse("(" * 20_000 + "x" + ")" * 20_000, XY)) == "x"


FRAGMENTS = st.sampled_from(
    [*"xy+-*/^(),?`. 1", "**", "2.5", "1e", "1e999", "sin", "(x)", "add(", "`x`", "neg", "z", "é"]
)


@examples(600)
@given(st.lists(FRAGMENTS, max_size=12).map("".join) | st.text(max_size=12), vocabularies())
@example("``` `", XY)
def test_any_text_gives_an_expression_or_our_error(text, drawn):
    for vocabulary in (XY, FULL, drawn):
        try:
            expression = Expression.parse(text, vocabulary)
        except ExpressionError as error:
            assert error.position is None or 0 <= error.position <= len(text)
        else:
            assert Expression.parse(str(expression), vocabulary) == expression


@pytest.mark.parametrize(
    ("template", "part", "rounded"),
    [
        ("x + A", None, "x - 2.5"),
        ("x - A", None, "x + 2.5"),
        ("x + A * x", None, "x - 2.5 * x"),
        ("exp(-f(x))", "3.5 * x", "exp(-3.5 * x)"),
        ("x^(-f(x))", "3.5 * x", "x^(-3.5 * x)"),
        ("x * -f(x)", "3.5 * x", "x * (-3.5 * x)"),
        ("x - f(x)", "-3.5 * x", "x + 3.5 * x"),
        ("A^2 + f(x)^2", "-x", "(-2.5)^2 + (-x)^2"),
    ],
)
def test_rounded_templates_have_few_signs(template, part, rounded):
    operators = ("+", "-", "*", "^", "exp", "neg")
    vocabulary = Vocabulary(["x"], operators, template=parse_template(template, ["x"]))
    parts = [Node.constant(-2.5)] if "A" in template else []
    parts += [] if part is None else [Expression.parse(part, vocabulary.of_parts).tree]
    filled = Expression.from_tree(vocabulary, Node.operator(TEMPLATE, *parts))
    shown = filled.text(4)
    assert shown == rounded
    rows = np.linspace(0.1, 2.0, 20)[:, None]
    for text in (shown, str(filled)):
        again = Expression.parse(text, vocabulary.plain)
        assert np.allclose(again.to_callable()(rows), filled.to_callable()(rows))
