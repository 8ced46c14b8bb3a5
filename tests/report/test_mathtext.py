"""Equations as they are typeset: nothing is lost, no parenthesis that is needed is left out."""

import re

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr.expression import OPERATORS, Expression, Vocabulary
from ddsr.report.equations import typeset
from ddsr.report.glyphs import GlyphSheet, draw, has_glyphs
from ddsr.report.mathtext import name_of, to_mathtext
from page_cases import parsed
from strategies import FULL, expressions, mild_floats, variable_names

NAMES = Vocabulary(("x", "x0", "beta", "v_max", "long name"), tuple(OPERATORS))
VALUES = {"x": mpmath.mpf("1.37"), "y": mpmath.mpf("0.62"), "z": mpmath.mpf("-2.19")}
LARGEST_OPERAND = 1e4
WORDS = re.compile(
    r"\s*(\\mathrm\{[\d.]+\}|\\mathrm\{[a-z]+\}|\\[a-z]?frac|\\sqrt|\\left[(|]|\\right[)|]|\\cdot|\\times"
    r"|\\,|\\pi|[-+^{}]|[a-z])"
)


class Reader:
    """Evaluates mathtext by the rules by which people read it."""

    def __init__(self, text):
        self.words = WORDS.findall(text)
        assert "".join(self.words) == text.replace(" ", "")
        self.words.append("end")

    def take(self, *expected):
        word = self.words.pop(0)
        assert not expected or word in expected, (word, expected)
        return word

    def sum(self):
        is_minus = self.words[0] == "-" and self.take()
        value = self.product()
        value = -value if is_minus else value
        while self.words[0] in "+-":
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self):
        value = self.factor()
        while self.words[0] in (r"\cdot", r"\times", r"\,"):
            self.take()
            value *= self.factor()
        return value

    def factor(self):
        word = self.take()
        function = re.fullmatch(r"\\mathrm\{([a-z]+)\}", word)
        if function:
            power = self.exponent()
            self.take(r"\left(")
            argument = self.sum()
            self.take(r"\right)")
            name = function[1].replace("arc", "a")
            value = getattr(mpmath, name)(argument)
            return value if power is None else value**power
        value = self.atom(word)
        power = self.exponent()
        return value if power is None else value**power

    def exponent(self):
        if self.words[0] != "^":
            return None
        self.take()
        return self.group()

    def group(self):
        self.take("{")
        value = self.sum()
        self.take("}")
        return value

    def atom(self, word):
        if word in (r"\dfrac", r"\frac"):
            return self.group() / self.group()
        if word == r"\sqrt":
            return mpmath.sqrt(self.group())
        if word == r"\left(":
            value = self.sum()
            self.take(r"\right)")
            return value
        if word == r"\left|":
            value = abs(self.group())
            self.take(r"\right|")
            return value
        if word == "{":
            value = self.sum()
            self.take("}")
            return value
        if word.startswith(r"\mathrm"):
            return mpmath.mpf(float(word[8:-1]))  # the double, not the decimal
        known = {r"\pi": mpmath.pi, "e": mpmath.e} | VALUES
        return +known[word]


FUNCTIONS = {
    **{"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b},
    **{"div": lambda a, b: a / b, "pow": lambda a, b: a**b, "neg": lambda a: -a, "inverse": lambda a: 1 / a},
    **{"square": lambda a: a**2, "cube": lambda a: a**3, "abs": abs},
}


def applied(row, operands):
    if any(abs(operand) > LARGEST_OPERAND for operand in operands):
        raise OverflowError  # the exponential of an exponential of it would take for ever
    return (FUNCTIONS.get(row.name) or getattr(mpmath, row.name))(*operands)


def value_of(expression):
    names = expression.vocabulary.variables
    return expression.fold(
        variable=lambda column: VALUES[names[column]],
        constant=mpmath.mpf,
        one=mpmath.mpf(1),
        apply=applied,
    )


@given(expressions(FULL, max_size=14, constants=mild_floats))
def test_what_is_written_has_the_expression_s_value(expression):
    try:
        with mpmath.workdps(30):
            roughly = mpmath.mpmathify(value_of(expression))
        with mpmath.workdps(60):
            expected = mpmath.mpmathify(value_of(expression))
            written = Reader(to_mathtext(expression, precision=17)).sum()
    except (ZeroDivisionError, ValueError, OverflowError, mpmath.libmp.ComplexResult):
        return
    if not mpmath.isfinite(expected) or abs(roughly - expected) >= 1e-20 * abs(expected):
        return  # infinite, or known to no digit, as the sine of a huge number is
    assert abs(written - expected) <= 1e-12 * abs(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + -2.5", r"x - \mathrm{2.5}"),
        ("x - -2.5 * beta", r"x + \mathrm{2.5}\,\beta"),
        ("x - (beta - 2)", r"x - \left(\beta - \mathrm{2}\right)"),
        ("x + (beta - 2)", r"x + \beta - \mathrm{2}"),
        ("x + (-beta + 2)", r"x - \beta + \mathrm{2}"),
        ("(x + 2) * 1 * beta", r"\left(x + \mathrm{2}\right)\,\beta"),
        ("-((x + 2) / 1)", r"-\left(x + \mathrm{2}\right)"),
        ("x * 3", r"\mathrm{3}\,x"),
        ("2 * 3 * x", r"\mathrm{2} \cdot \mathrm{3}\,x"),
        ("(x / beta) / (x0 / x)", r"\dfrac{x\,x}{\beta\,x_{\text{0}}}"),
        ("-(x + 2)", r"-\left(x + \mathrm{2}\right)"),
        ("(-x)^2", r"{\left(-x\right)}^{\mathrm{2}}"),
        ("square(sin(x))", r"\mathrm{sin}^{\mathrm{2}}\left(x\right)"),
        ("sin(x)^-1", r"{\mathrm{sin}\left(x\right)}^{-\mathrm{1}}"),
        ("exp(x / 2)", r"e^{\frac{x}{\mathrm{2}}}"),
        ("x^2^x", r"{x}^{{\mathrm{2}}^{x}}"),
        ("(x^2)^x", r"{\left({x}^{\mathrm{2}}\right)}^{x}"),
        ("1.25e-7 * x", r"\mathrm{1.25} \times \mathrm{10}^{-\mathrm{7}}\,x"),
        ("0.3333333333333333 * x", r"\dfrac{x}{\mathrm{3}}"),
        ("6.283185307179586 * x", r"\mathrm{2}\,\pi\,x"),
        ("0.07957747154594767 * x", r"\dfrac{x}{\mathrm{4}\,\pi}"),
        ("-0.3183098861837907 / x", r"-\dfrac{\mathrm{1}}{\pi\,x}"),
        ("0.123456 * x", r"\mathrm{0.1235}\,x"),
        ("`long name` * v_max", r"\text{long name} \cdot v_{\text{max}}"),
        ("asin(x)", r"\mathrm{arcsin}\left(x\right)"),
    ],
)
def test_equations_are_written_as_people_write_them(text, expected):
    assert to_mathtext(Expression.parse(text, NAMES)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x", "x"),
        ("x12", r"x_{\text{12}}"),
        ("theta_1", r"\theta_{\text{1}}"),
        ("mass", r"\text{mass}"),
        ("a_b_c", r"a_{\text{b}\_\text{c}}"),
        ("_", r"\_"),
        ("$x{", r"\text{\$x\{}"),
    ],
)
def test_names_are_letters_with_indices_or_stand_as_they_are(name, expected):
    assert name_of(name) == expected


def test_long_exponents_are_not_small_print():
    text = to_mathtext(Expression.parse("exp(sin(x) * cos(beta) + x0 * x * v_max)", NAMES))
    assert text.startswith(r"\mathrm{exp}\left(")


@given(variable_names(), st.data())
def test_every_equation_can_be_drawn(names, data):
    vocabulary = Vocabulary(names, tuple(OPERATORS))
    expression = data.draw(expressions(vocabulary, max_size=8))
    page = parsed(typeset(expression, names[0], GlyphSheet()))
    (drawn,) = page.children
    assert drawn.tag in ("svg", "code") and drawn.attributes["class"] == "equation"


def test_fractions_have_bars_and_stand_around_the_line():
    flat, fraction = draw("x + y"), draw(r"\dfrac{x}{y}")
    assert flat.bars == () and len(fraction.bars) == 1
    assert fraction.depth > flat.depth and fraction.height > flat.height
    assert flat.width > fraction.width > 0


def test_outlines_are_shared():
    sheet = GlyphSheet()
    sheet.place(draw("x + x"), "")
    once = sheet.definitions()
    sheet.place(draw("x + x + x"), "")
    assert sheet.definitions() == once


def test_letters_that_no_font_has_are_known():
    assert has_glyphs("aé β_²")
    assert not has_glyphs("名")


def test_settings_of_matplotlib_change_nothing():
    import matplotlib

    before = draw("x + 2")
    with matplotlib.rc_context({"mathtext.fontset": "cm", "mathtext.default": "bf", "font.size": 30}):
        after = draw("x + 2")
    assert before.outlines == after.outlines and np.isclose(before.width, after.width)
