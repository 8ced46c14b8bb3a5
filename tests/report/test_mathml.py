"""Equations as MathML: nothing is lost, no parenthesis that is needed is left out."""

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr.expression import OPERATORS, Expression, Vocabulary
from ddsr.report.equations import typeset
from ddsr.report.mathml import name_of, to_mathml
from ddsr.search.front import FrontEntry
from page_cases import parsed
from strategies import FULL, expressions, mild_floats, variable_names

NAMES = Vocabulary(("x", "x0", "beta", "v_max", "long name"), tuple(OPERATORS))
VALUES = {"x": mpmath.mpf("1.37"), "y": mpmath.mpf("0.62"), "z": mpmath.mpf("-2.19")}
LARGEST_OPERAND = 1e4
INVISIBLE_TIMES, APPLY = "\u2062", "\u2061"


class Reader:
    """Computes what a row of MathML says, by the rules that a person reads it by."""

    def __init__(self, elements):
        self.elements = list(elements)

    @classmethod
    def value(cls, element):
        """Of one element: a row is read, anything else is an atom."""
        is_row = element.tag == "mrow" and not is_enclosed(element)
        reader = cls(element.children if is_row else [element])
        value = reader.sum()
        assert reader.elements == []
        return value

    def sign(self):
        return self.elements[0].text if self.elements and self.elements[0].tag == "mo" else ""

    def take(self):
        return self.elements.pop(0)

    def sum(self):
        is_minus = self.sign() == "−" and self.take()
        value = self.product()
        value = -value if is_minus else value
        while self.sign() in ("+", "−"):
            value = value + self.product() if self.take().text == "+" else value - self.product()
        return value

    def product(self):
        value = atom(self.take())
        while self.sign() in ("⋅", INVISIBLE_TIMES):
            self.take()
            value = value * atom(self.take())
        return value


def atom(element):
    children = element.children
    match element.tag:
        case "mn":
            return mpmath.mpf(float(element.text))  # the double, not the decimal
        case "mi":
            return +({"π": mpmath.pi, "e": mpmath.e} | VALUES)[element.text]
        case "mfrac":
            return Reader.value(children[0]) / Reader.value(children[1])
        case "msqrt":
            return mpmath.sqrt(Reader.value(*children))
        case "msup":
            # what is raised is one symbol, a function, or in parentheses
            assert children[0].tag in ("mi", "mn", "msqrt") or is_enclosed(children[0])
            return atom(children[0]) ** Reader.value(children[1])
    assert element.tag == "mrow" and is_enclosed(element), element.tag
    if children[0].tag == "mi":
        name = children[0].text.replace("arc", "a")
        return (FUNCTIONS.get(name) or getattr(mpmath, name))(*arguments(children[2]))
    enclosing = {"|": abs, "⌊": mpmath.floor}.get(children[0].text, lambda value: value)
    return enclosing(Reader.value(children[1]))


def arguments(row):
    """The values between the parentheses of a call."""
    inner = row.children[1:-1]
    return [Reader.value(element) for element in inner if element.text != "," or element.tag != "mo"]


def is_enclosed(row):
    """Whether it is (…), |…|, ⌊…⌋ or f(…)."""
    first, *_, last = row.children
    is_call = first.tag == "mi" and row.children[1].text == APPLY and is_enclosed(last)
    return is_call or first.text + last.text in ("()", "||", "⌊⌋")


def read(markup):
    """The value of the right side of y = …"""
    elements = [child for math in parsed(markup).all("math") for child in math.children]
    assert [element.text for element in elements[:2]] == ["y", "="]
    reader = Reader(elements[2:])
    value = reader.sum()
    assert reader.elements == []
    return value


def plain(markup):
    """The markup as text: {a}/{b} for a fraction, {a}^{b} for a power, a_{b} for an index."""

    def text(element):
        parts = [text(child) for child in element.children]
        match element.tag:
            case "mfrac":
                return f"{{{parts[0]}}}/{{{parts[1]}}}"
            case "msup":
                return f"{parts[0]}^{{{parts[1]}}}"
            case "msub":
                return f"{parts[0]}_{{{parts[1]}}}"
            case "msqrt":
                return f"√{{{''.join(parts)}}}"
        return "".join(parts) if parts else element.text.replace(INVISIBLE_TIMES, " ").replace(APPLY, "")

    return "".join(map(text, parsed(markup).children))


FUNCTIONS = {
    **{"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b},
    **{"div": lambda a, b: a / b, "pow": lambda a, b: a**b, "neg": lambda a: -a, "inverse": lambda a: 1 / a},
    **{"square": lambda a: a**2, "cube": lambda a: a**3, "abs": abs, "min": min, "max": max},
    **{"step": lambda a: mpmath.mpf(a >= 0), "relu": lambda a: max(a, mpmath.mpf(0))},
    **{"logistic": lambda a: 1 / (1 + mpmath.exp(-a)), "Γ": mpmath.gamma, "gamma": mpmath.gamma},
}


OF_REALS = ("min", "max", "sign", "floor", "step", "relu", "atan2", "hypot")


def applied(row, operands):
    if any(abs(operand) > LARGEST_OPERAND for operand in operands):
        raise OverflowError  # the exponential of an exponential of it would take for ever
    if row.name in OF_REALS and any(isinstance(operand, mpmath.mpc) for operand in operands):
        raise mpmath.libmp.ComplexResult
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
            written = read(to_mathml(expression, "y", precision=17))
    except (ZeroDivisionError, ValueError, OverflowError, mpmath.libmp.ComplexResult):
        return
    if not mpmath.isfinite(expected) or abs(roughly - expected) >= 1e-20 * abs(expected):
        return  # infinite, or known to no digit, as the sine of a huge number is
    assert abs(written - expected) <= 1e-12 * abs(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + -2.5", "x−2.5"),
        ("x - -2.5 * beta", "x+2.5 β"),
        ("x - (beta - 2)", "x−(β−2)"),
        ("x + (beta - 2)", "x+β−2"),
        ("x + (-beta + 2)", "x−β+2"),
        ("(x + 2) * 1 * beta", "(x+2) β"),
        ("-((x + 2) / 1)", "−(x+2)"),
        ("x * 3", "3 x"),
        ("2 * 3 * x", "2⋅3 x"),
        ("x * 2^beta", "2^{β} x"),
        ("(x / beta) / (x0 / x)", "{x x}/{β x_{0}}"),
        ("(-x)^2", "(−x)^{2}"),
        ("(x / 3)^2", "({x}/{3})^{2}"),
        ("square(sin(x))", "sin(x)^{2}"),
        ("sin(x)^-1", "sin(x)^{−1}"),
        ("sqrt(x + 1)", "√{x+1}"),
        ("abs(-x)", "|−x|"),
        ("exp(x / 2)", "e^{{x}/{2}}"),
        ("x^2^x", "x^{2^{x}}"),
        ("(x^2)^x", "(x^{2})^{x}"),
        ("1^x", "1^{x}"),
        ("1.25e-7 * x", "1.25⋅10^{−7} x"),
        ("1e-7 * x", "10^{−7} x"),
        ("0.3333333333333333 * x", "{x}/{3}"),
        ("6.283185307179586 * x", "2 π x"),
        ("0.07957747154594767 * x", "{x}/{4 π}"),
        ("-0.3183098861837907 / x", "−{1}/{π x}"),
        ("0.123456 * x", "0.1235 x"),
        ("`long name` * v_max", "long name⋅v_{max}"),
        ("x * `long name`", "x⋅long name"),
        ("asin(x)", "arcsin(x)"),
    ],
)
def test_equations_are_written_as_people_write_them(text, expected):
    assert plain(to_mathml(Expression.parse(text, NAMES), "y", 4)) == f"y={expected}"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x", "<mi>x</mi>"),
        ("x12", "<msub><mi>x</mi><mtext>12</mtext></msub>"),
        ("theta_1", "<msub><mi>θ</mi><mtext>1</mtext></msub>"),
        ("lambda", "<mi>λ</mi>"),
        ("mass", "<mi>mass</mi>"),
        ("int", "<mi>int</mi>"),  # the name of a character in HTML, but not of a letter
        ("a_b_c", "<msub><mi>a</mi><mtext>b_c</mtext></msub>"),
        ("mass_0", "<mi>mass_0</mi>"),
        ("x_", "<mi>x_</mi>"),
        ("_", "<mi>_</mi>"),
        ("cost [$] <b>&", "<mi>cost [$] &lt;b&gt;&amp;</mi>"),
        ("v_<i>", "<msub><mi>v</mi><mtext>&lt;i&gt;</mtext></msub>"),
        ("x  \n1", "<mi>x 1</mi>"),
        ("名前", "<mi>名前</mi>"),
    ],
)
def test_names_are_letters_with_indices_or_stand_as_they_are(name, expected):
    assert name_of(name) == expected


def test_long_exponents_are_not_small_print():
    text = to_mathml(Expression.parse("exp(sin(x) * cos(beta) + x0 * x * v_max)", NAMES), "y", 4)
    assert plain(text).startswith("y=exp(")


def test_lines_can_break_between_the_terms_of_a_sum():
    text = to_mathml(Expression.parse("x - beta * (x + 2) + sin(x + 1)", NAMES), "y", 4)
    assert [plain(part) for part in text.split("<wbr>")] == ["y=x", "−β (x+2)", "+sin(x+1)"]
    # the sign at the beginning of a line stands between two terms
    assert text.count('<math displaystyle="true"><mo form="infix">') == 2


@given(variable_names(), st.data())
def test_every_equation_can_be_typeset(names, data):
    vocabulary = Vocabulary(names, tuple(OPERATORS))
    expression = data.draw(expressions(vocabulary, max_size=8))
    (span,) = parsed(typeset(FrontEntry(expression, 0.1), names[0])).children
    assert span.tag == "span" and span.attributes["class"] == "equation"
    assert {element.tag for element in span.all()} <= {
        *("span", "math", "mrow", "mi", "mn", "mo", "mtext", "mfrac", "msup", "msub", "msqrt", "wbr")
    }
