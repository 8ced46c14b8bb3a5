"""Rational forms are shorter where algebra allows it, and always have the same value."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr.engine import values
from ddsr.expression import DEFAULT_OPERATORS, Expression, Vocabulary
from ddsr.expression.operators import Operator
from ddsr.selection.rational.forms import rational_forms
from strategies import FULL, examples, expressions

MOTION = Vocabulary(("c", "v", "m", "r"))


def forms_of(
    text: str, vocabulary: Vocabulary = MOTION, positive: tuple[str, ...] | None = None
) -> list[str]:
    expression = Expression.parse(text, vocabulary)
    found = rational_forms(expression, vocabulary.variables if positive is None else positive)
    return [form.canonical().text() for form in found]


def canonical(text: str, vocabulary: Vocabulary = MOTION) -> str:
    return Expression.parse(text, vocabulary).canonical().text()


@pytest.mark.parametrize("name", ["exp", "cosh", "acos"])
def test_nonnegative_factors_are_moved_into_a_root(name: str) -> None:
    vocabulary = Vocabulary(("x", "z"), (*DEFAULT_OPERATORS, "cosh", "acos"))
    found = forms_of(f"{name}(z) * sqrt(1 - x / {name}(z)^2)", vocabulary, ())
    assert canonical(f"sqrt({name}(z)^2 - x)", vocabulary) in found


def test_a_sine_is_not_taken_into_a_root() -> None:
    vocabulary = Vocabulary(("x", "z"))
    found = forms_of("sin(z) * sqrt(1 - x / sin(z)^2)", vocabulary, ())
    assert canonical("sqrt(sin(z)^2 - x)", vocabulary) not in found


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        ("m * v * sqrt(1 + 1 / (c^2 / v^2 - 1))", "m * v / sqrt(1 - (v / c)^2)"),
        ("m * v * sqrt(c^2 / (c^2 - v^2))", "m * v / sqrt(1 - (v / c)^2)"),
        ("c * m / sqrt((c - v) * (c + v))", "m / sqrt(1 - (v / c)^2)"),
        ("r * v * sqrt(v^2 / ((c - v) * (c + v)) + 1)", "r * v / sqrt(1 - (v / c)^2)"),
        ("sin(r + c * m / sqrt((c - v) * (c + v)))", "sin(r + m / sqrt(1 - (v / c)^2))"),
        ("1 / (1 / c + 1 / v)", "c * v / (c + v)"),
        ("m * r * sqrt(c / v^10) / v", "m * r * sqrt(c) / v^6"),
        ("1 / (c / 3 + v / 3)", "3 / (c + v)"),
        ("(c^2 - v^2) / (c - v)", "c + v"),
        ("(c + v) / sqrt(c + v)", "sqrt(c + v)"),
        ("sqrt(c - v)^3 / (c - v)", "sqrt(c - v)"),
        ("0.37 * c / (0.37 * c + 0.37 * v)", "c / (c + v)"),
        ("c * exp(c / v + m / v) / (c * r)", "exp((c + m) / v) / r"),
        ("sin(c) / (sin(c) * v + sin(c) * m)", "1 / (v + m)"),
        ("c^2.5 * v / c^1.5", "c * v"),
        ("v / c * sqrt(1 - m * c^2 / (r^2 * v^2))", "sqrt((v / c)^2 - m / (r * r))"),
        ("m * v / c * sqrt(1 - 9.87 * c^2 / (r^2 * v^2))", "m * sqrt((v / c)^2 - 9.87 / (r * r))"),
        ("v / (c * sqrt(1 - m * (v / c)^2))", "((c / v)^2 - m)^-0.5"),
        ("exp(c) * sqrt(1 - v * exp(-2 * c))", "sqrt(exp(c)^2 - v)"),
        ("(c + v) * sqrt(1 - m / (c + v)^2)", "sqrt((c + v)^2 - m)"),
        ("sqrt((c + v)^2 - m) / (c + v)", "sqrt(1 - m / (c + v)^2)"),
    ],
)
def test_the_shortest_form_is_offered_first(text: str, shorter: str) -> None:
    length = len(Expression.parse(shorter, MOTION))
    found = forms_of(text)
    assert canonical(shorter) in found
    assert len(Expression.parse(found[0], MOTION)) == length < len(Expression.parse(text, MOTION))


def test_a_sum_that_is_squared_need_not_be_multiplied_out() -> None:
    assert canonical("sqrt(4 * (c * c) + (m - v)^2)") in forms_of("c * sqrt(4 + ((m - v) / c)^2)")


def test_a_sum_is_divided_through_under_the_root() -> None:
    assert canonical("m * (c * c) / sqrt(1 - (v / c)^2)") in forms_of("c^3 * m / sqrt((c - v) * (c + v))")


@pytest.mark.parametrize(
    "text", ["v * sqrt(v / (c * m))", "v * sqrt(v) / sqrt(c * m)", "v^1.5 / sqrt(c * m)"]
)
def test_half_powers_are_combined_in_one_root(text: str) -> None:
    assert canonical("sqrt(v^3 / (c * m))") in forms_of(text)


def test_a_quotient_is_freed_of_a_common_divisor() -> None:
    found = forms_of("sqrt(c^2 / v^2 - 1) / (c / v + cos(m))")
    assert canonical("sqrt(c * c - v * v) / (c + v * cos(m))") in found


def test_possibly_negative_factors_are_not_moved_into_a_root() -> None:
    assert canonical("sqrt(v * v - m)") in forms_of("v * sqrt(1 - m / v^2)", positive=("v",))
    assert canonical("sqrt(v * v - m)") not in forms_of("v * sqrt(1 - m / v^2)", positive=("m",))
    assert canonical("sqrt((c - v)^2 - m)") not in forms_of("(c - v) * sqrt(1 - m / (c - v)^2)")


def test_roots_of_reciprocals_only_are_not_offered() -> None:
    assert not any("v^-2" in form for form in forms_of("m * v * sqrt(c^2 / (c^2 - v^2))"))


def test_roots_of_one_less_a_factor_stay() -> None:
    assert canonical("c * m / sqrt((c / v)^2 - 1)") not in forms_of("m * v / sqrt(1 - v^2 / c^2)")


def test_a_sum_that_is_zero_does_not_cancel() -> None:
    nothing = "(c * (v + 1) - c * v - c)"
    expression = Expression.parse(f"m * {nothing} / ({nothing} * r + {nothing} * c)", MOTION)
    forms = {form.canonical().text() for form in rational_forms(expression, MOTION.variables)}
    assert canonical("m / (r + c)") not in forms


def test_possibly_negative_factors_stay_in_the_root() -> None:
    text = "c * m / sqrt((c - v) * (c + v))"
    assert canonical("m / sqrt(1 - (v / c)^2)") not in forms_of(text, positive=("m", "v"))
    assert canonical("m * v") not in forms_of("m * sqrt(v^3 / v)", positive=("m",))
    assert canonical("m * v") in forms_of("m * sqrt(v^3 / v)", positive=("v",))


@pytest.mark.parametrize("missing", ["pow", "sqrt", "div", "sub", "mul"])
def test_forms_are_of_the_same_vocabulary(missing: str) -> None:
    rest = Vocabulary(("x", "y", "z"), [name for name in FULL.operators if name != missing])
    texts = {
        "pow": "x / sqrt((x - y) * (x + y))",
        "sqrt": "x / ((x - y) * (x + y))^0.5",
        "div": "x * inverse(x * x + x * y)",
        "sub": "x / (x * x + x * y)",
        "mul": "1 / (1 / x + 1 / y)",
    }
    expression = Expression.parse(texts[missing], rest)
    found = list(rational_forms(expression, rest.variables))
    assert all(form.vocabulary == rest for form in found)
    assert missing == "mul" or min(map(len, found)) < len(expression)


def test_large_expressions_are_left_alone() -> None:
    long = " + ".join(["c * v / (c * m)"] * 6)
    assert forms_of(long) == []
    many = Vocabulary(tuple("abcdefghi"))
    inverse_sum = "1 / (1 / (a * b * c * d * e) + 1 / (f * g * h{}))"
    assert forms_of(inverse_sum.format(""), many) != []
    assert forms_of(inverse_sum.format(" * i"), many) == []


def test_high_powers_are_not_multiplied_out() -> None:
    """They would have thousands of terms."""
    assert forms_of("((c + v + m + r)^8 + c)^8 / (c + v)^7") == []
    given = "(c + v + m + 1)^3 / (c - v + r)^3 - 1 / (c + v * m - r)^2"
    lengths = [len(Expression.parse(text, MOTION)) for text in (given, *forms_of(given))]
    assert max(lengths) <= 2 * lengths[0]


def test_coefficients_beyond_double_precision_are_no_error() -> None:
    assert forms_of("(1000 * (900 * (800 * c)^8)^8)^2 * v / (c * m)") is not None


@pytest.mark.parametrize("bottom", ["(c * v - v * c)", "sqrt(c * v - v * c)", "sqrt(c - c)^3"])
def test_rational_forms_of_undefined_expressions_are_undefined(bottom: str) -> None:
    expression = Expression.parse(f"m / {bottom} + r * r / r", MOTION)
    found = [expression, *rational_forms(expression, MOTION.variables)]
    assert not values(found, np.full((3, 4), 0.7))[1].any()


RATIONAL = Vocabulary(("x", "y", "z"), ("add", "sub", "mul", "div", "inverse", "square", "neg"))
numbers = st.sampled_from([-1.0, 2.0, 3.0, 0.5, -1.5, 1.40625])
POINTS = (
    (Fraction(3, 7), Fraction(11, 5), Fraction(13, 17)),
    (Fraction(19, 4), Fraction(2, 9), Fraction(1, 31)),
)


def exact_value(expression: Expression, point: tuple[Fraction, ...]) -> Fraction | None:
    def apply(row: Operator, operands: list[Fraction]) -> Fraction:
        a, b = operands[0], operands[-1]
        return {
            "add": lambda: a + b,
            "sub": lambda: a - b,
            "mul": lambda: a * b,
            "div": lambda: a / b,
            "inverse": lambda: 1 / a,
            "square": lambda: a * a,
            "neg": lambda: -a,
        }[row.name]()

    def constant(value: float) -> Fraction:  # a double represents the nearest fraction
        simple = Fraction(value).limit_denominator(10**6)
        return simple if float(simple) == value else Fraction(value)

    try:
        return expression.fold(
            variable=lambda column: point[column], constant=constant, one=Fraction(1), apply=apply
        )
    except ZeroDivisionError:
        return None


@examples(150)
@given(expressions(RATIONAL, 17, numbers))
def test_ratios_keep_their_value_exactly(expression: Expression) -> None:
    for form in rational_forms(expression, RATIONAL.variables):
        for point in POINTS:
            value = exact_value(expression, point)
            found = exact_value(form, point)
            if value is not None:
                assert found is not None and abs(found - value) <= abs(value) / 10**12


ROOTS = Vocabulary(("x", "y", "z"), ("add", "sub", "mul", "div", "pow", "sqrt", "exp"))
exponents = st.sampled_from([2.0, 0.5, 1.5, -0.5, -1.0, 3.0, 1.40625])


def real_value(expression: Expression, point: tuple[Fraction, ...], most: float) -> mpmath.mpf | None:
    """The value to 60 digits; None if a part of it has no real value or an exponent exceeds `most`."""

    def apply(row: Operator, operands: list[mpmath.mpf]) -> mpmath.mpf:
        a, b = operands[0], operands[-1]
        if row.name in ("exp", "pow") and (abs(b) > most or abs(a) > most**4):
            raise OverflowError
        functions = {
            "add": lambda: a + b,
            "sub": lambda: a - b,
            "mul": lambda: a * b,
            "div": lambda: a / b,
            "pow": lambda: a**b,
            "sqrt": lambda: mpmath.sqrt(a),
            "exp": lambda: mpmath.exp(a),
        }
        value = functions[row.name]()
        if isinstance(value, mpmath.mpc):
            raise ArithmeticError
        return value

    with mpmath.workdps(60):
        try:
            return expression.fold(
                variable=lambda column: mpmath.mpf(point[column].numerator) / point[column].denominator,
                constant=mpmath.mpf,
                one=mpmath.mpf(1),
                apply=apply,
            )
        except ArithmeticError:
            return None


bases = st.sampled_from(["x", "y", "z", "(x - y)", "(x + y)", "(y - x)", "(x^2 - y^2)", "(1 + x / y)", "2"])
powers = st.sampled_from(["", "", "^2", "^3", "^-1", "^0.5", "^1.5", "^-0.5"])


def products(factors: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(st.sampled_from([" * ", " / "]), factors)
    return st.lists(pair, min_size=1, max_size=3).map(lambda pairs: "1" + "".join(map("".join, pairs)))


factors = st.tuples(bases, powers).map("".join)
roots = products(factors).map("sqrt({})".format)
products_of_roots = products(factors | roots) | st.tuples(products(factors | roots), roots).map(" + ".join)


@examples(150)
@given(
    expressions(ROOTS, 15, exponents) | products_of_roots.map(lambda text: Expression.parse(text, ROOTS)),
    st.sampled_from([("x", "y", "z"), ("x",), ("y",), ()]),
)
def test_roots_keep_their_value(expression: Expression, positive: tuple[str, ...]) -> None:
    signs = [1 if name in positive else -1 for name in ROOTS.variables]
    points = [tuple(a * sign for a, sign in zip(point, signs, strict=True)) for point in POINTS]
    for form in rational_forms(expression, positive):
        for point in (*points, *POINTS):
            value, found = real_value(expression, point, 1e3), real_value(form, point, 1e9)
            if value is not None and abs(value) < 1e30:
                assert found is not None and abs(found - value) <= 1e-9 * (abs(value) + 1e-9), form


outside = st.lists(
    st.sampled_from(["x", "y", "1 / x", "1 / z", "y^2", "(x + y)", "0.7"]), min_size=1, max_size=3
)
terms = st.sampled_from(["1", "y / x^2", "(z / (x * y))^2", "3.2 * x", "z / (x + y)^2", "z^2", "0.4 / y^2"])
taken_in = st.tuples(outside, st.sampled_from([" * ", " / "]), terms, st.sampled_from(["+", "-"]), terms)


@examples(150)
@given(taken_in, st.integers(0, 2**32 - 1))
def test_factors_taken_into_a_root_leave_the_value(
    parts: tuple[list[str], str, str, str, str], seed: int
) -> None:
    factors, joined, first, sign, second = parts
    text = f"{' * '.join(f'({factor})' for factor in factors)}{joined}sqrt({first} {sign} {second})"
    expression = Expression.parse(text, ROOTS)
    rows = np.exp(np.random.default_rng(seed).normal(size=(40, 3)))
    forms = list(rational_forms(expression, ROOTS.variables))
    (wanted, *found), _ = values([expression, *forms], rows)
    # near a zero of the radicand only rounding decides
    under = np.abs(Expression.parse(f"({first}) {sign} ({second})", ROOTS).to_callable()(rows))
    size = sum(Expression.parse(f"0 * x + {term}", ROOTS).to_callable()(rows) for term in (first, second))
    is_certain = np.isfinite(wanted) & (under > 1e-3 * size)
    for form, value in zip(forms, found, strict=True):
        np.testing.assert_allclose(value[is_certain], wanted[is_certain], rtol=1e-9, err_msg=form.text())
