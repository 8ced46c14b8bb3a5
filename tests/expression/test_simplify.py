"""Simplification keeps the value, is never longer, uses only the vocabulary's tokens, and is complete."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from ddsr.errors import ExpressionError
from ddsr.expression import OPERATORS, Batch, Expression, Vocabulary
from strategies import FULL, PLAIN, data, examples, expressions, mild_floats, vocabularies

WHOLE = st.integers(-4, 4).map(float)
HALVES = st.integers(-6, 6).map(lambda value: value / 2)
QUARTER_TURNS = st.integers(-4, 4).map(lambda value: value * np.pi / 2)
TELLING = st.one_of(WHOLE, HALVES, QUARTER_TURNS, mild_floats)
"""Constants at which rules apply: 0, 1, integer and half exponents, shifts of sine and cosine."""

ROWS = np.vstack([data(24), np.abs(data(24, seed=1)), np.eye(3), -np.eye(3), np.zeros((1, 3))])


def assert_simplified(original: Expression) -> None:
    simple = original.simplified()
    assert len(simple) <= len(original)
    assert simple.simplified() == simple
    assert simple.vocabulary == original.vocabulary
    n_variables = len(original.vocabulary.variables)
    if n_variables <= ROWS.shape[1]:
        oracle.assert_same_values(original, simple, ROWS)


@given(expressions(FULL, constants=TELLING))
@examples(400)
def test_any_expression(expression: Expression) -> None:
    assert_simplified(expression)


@given(expressions(PLAIN, constants=TELLING, max_size=30))
@examples(400)
def test_any_expression_of_the_default_vocabulary(expression: Expression) -> None:
    assert_simplified(expression)


@given(st.data())
@examples(300)
def test_any_vocabulary(draw: st.DataObject) -> None:
    operators = draw.draw(st.lists(st.sampled_from(sorted(OPERATORS)), unique=True))
    vocabulary = Vocabulary(("x", "y", "z"), operators, draw.draw(st.booleans()), draw.draw(st.booleans()))
    assert_simplified(draw.draw(expressions(vocabulary, constants=TELLING)))


VARIABLES = st.sampled_from("xyz")
CONSTANTS = st.one_of(st.integers(1, 9).map(float), st.floats(0.01, 100)).flatmap(
    lambda size: st.sampled_from([size, -size])
)
SUMS = st.builds("({0} * {1} + {2})".format, CONSTANTS, VARIABLES, CONSTANTS)
FACTORS = st.one_of(VARIABLES, SUMS, st.builds("({0} * {1})".format, VARIABLES, SUMS))
POWERS = st.builds("{0}^{1}".format, FACTORS, st.sampled_from([-2.5, -2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2, 3]))


@given(CONSTANTS, st.lists(POWERS, min_size=1, max_size=4))
@examples(300)
def test_any_product_of_powers_of_scaled_sums(factor: float, powers: list[str]) -> None:
    assert_simplified(Expression.parse(f"{factor} * " + " * ".join(powers), PLAIN))


@given(st.lists(st.tuples(CONSTANTS, FACTORS), min_size=2, max_size=4))
def test_any_sum_of_logarithms(terms: list[tuple[float, str]]) -> None:
    assert_simplified(Expression.parse(" + ".join(f"{c} * log({u})" for c, u in terms), PLAIN))


def test_a_divisor_that_only_rounding_keeps_from_zero() -> None:
    vocabulary = Vocabulary(("x", "y", "z"), ("div", "acos", "cos"), has_one=False, has_constant=False)
    original = Expression.parse("x / cos(acos(x))", vocabulary)  # at 0 it is 0 / 6e-17
    assert str(original.simplified()) == "x / x"
    assert_simplified(original)


@given(vocabularies().flatmap(expressions))
def test_any_finite_constants(expression: Expression) -> None:
    simple = expression.simplified()
    assert len(simple) <= len(expression)
    assert np.all(np.isfinite(simple.constants))
    assert simple.simplified() == simple


@given(st.lists(expressions(PLAIN, constants=TELLING), min_size=1, max_size=40), st.integers(1, 3))
@examples(30)
def test_a_batch_is_its_expressions(listed: list[Expression], n_threads: int) -> None:
    assert list(Batch.of(listed).simplified(n_threads)) == [each.simplified() for each in listed]


def test_a_bad_batch_is_refused() -> None:
    with pytest.raises(ExpressionError, match="expression 0"):
        Batch.from_tokens(PLAIN, [[0, 0, 0]]).simplified()


EXAMPLES = {
    "constants": """
        2 + 3 -> 5
        1 + 1 -> 2
        sin(2 * 0) + x -> x
        log(-1) + x -> log(-1) + x
        x / 0 -> x / 0
        2 + (3 + x) -> x + 5
        2 * (3 * x) -> 6 * x
        x * 6 / 2 -> 3 * x
        6 / (2 * x) -> 3 / x
        x + 5 - 2 -> x + 3
        x - -2 -> x + 2
        1e200 * (1e200 * x) -> 1e+200 * (1e+200 * x)
        x / 3 + 0 * y -> x / 3
        0.1 * x + 0.2 * x - 0.3 * x -> 0
        x * 2 * y * 3 / 4 -> 1.5 * x * y
        5 * ((3 * x + 2) * y) -> y * (15 * x + 10)
        4 * (3 * x + 6)^2 -> 36 * (x + 2)^2
    """,
    "scales": """
        0.5 * sqrt(y * (8 - 4 * x)) -> sqrt(y * (2 - x))
        2 * sqrt(y * (2.5 - 1.5 * x / z)) -> sqrt(y * (10 - 6 * x / z))
        3 * (y * (8 * x + 4 * z))^2 -> 48 * (y * (2 * x + z))^2
        3 / (y * (8 * x + 4 * z))^2 -> 0.1875 / (y * (2 * x + z))^2
        4 / sqrt(y * (16 * x + 32)) -> (y * (x + 2))^-0.5
        0.5 * sqrt(12 * x + 8) -> sqrt(3 * x + 2)
        3 * sqrt(-2 * x) -> sqrt(-18 * x)
        3 * sqrt(-4 * x * (y - 1)) -> 6 * sqrt(x * (1 - y))
        (2.04 * x + 1.02) / (1.02 * y + 3.06) -> (2 * x + 1) / (y + 3)
        (1.5 * x + 3) / (4.5 * y + 7.5) -> (x + 2) / (3 * y + 5)
        (5 * x + 2) / (4 * y + 3) -> (1.25 * x + 0.5) / (y + 0.75)
        (2 * x + 4) / (y + 3) -> (2 * x + 4) / (y + 3)
    """,
    "identities": """
        x + 0 -> x
        x * 1 -> x
        x * 0 -> 0
        x / 1 -> x
        x^1 -> x
        x^0 -> 1
        1^x -> 1
        x - x -> 0
        x / x -> 1
        0 + (0 - x) + y -> y - x
        x + -1 * y -> x - y
        x - -1 * y -> x + y
        -1 * x * (-1 * y) -> x * y
        (x - y) / (y - x) -> -1
        x + x + x -> 3 * x
        2 * x + 3 * x -> 5 * x
        2 * (x * y) + 3 * (y * x) -> 5 * x * y
        2 * x + 2 * y -> 2 * (x + y)
        2 * (x + y) + y + y -> 2 * x + 4 * y
    """,
    "quotients": """
        1 / (1 / x) -> x
        x / (x * y / z) -> z / y
        x / y / x -> 1 / y
        x * (y / x) -> y
        x * y / (x * z) -> y / z
        2 / x / y / 3 -> 0.6666666666666666 / (x * y)
    """,
    "powers": """
        x * x^2 -> x^3
        x / x^2 -> 1 / x
        x^0.5 * x^1.5 -> x^2
        sqrt(x) * sqrt(x) -> x
        sqrt(x) * sqrt(y) -> sqrt(x * y)
        sqrt(x)^2 -> x
        (x^3)^0.5 -> x^1.5
        (x^0.5)^4 -> x^2
        (x^4)^0.5 -> x^2
        sqrt(x^2) -> sqrt(x^2)
        sqrt(exp(x)^2) -> exp(x)
        sqrt(x^2 * y) -> sqrt(x^2 * y)
        x^2 / y^2 -> (x / y)^2
        3 * sqrt(4 * x) -> 6 * sqrt(x)
        3 * (2 * x)^2 -> 12 * x^2
        sqrt(-2 * x) -> sqrt(-2 * x)
        (y - x)^2 / (x - y) -> x - y
        x^1.5 / sqrt(y * z) -> sqrt(x^3 / (y * z))
        x^1.5 / (y * z)^0.5 -> sqrt(x^3 / (y * z))
        (x * y)^1.5 * sqrt(z) -> sqrt((x * y)^3 * z)
        x^1.5 * sqrt(y / x) -> sqrt(x^2 * y)
        x^1.5 * y^2.5 -> x^1.5 * y^2.5
        x * sqrt(x / (y * z)) -> x * sqrt(x / (y * z))
        sqrt(sqrt(x)) -> sqrt(sqrt(x))
    """,
    "exp and log": """
        exp(log(x)) -> x
        log(exp(x)) -> x
        exp(2 * log(x) + y) -> x^2 * exp(y)
        exp(x) * exp(y) -> exp(x + y)
        exp(x) / exp(y) -> exp(x - y)
        sqrt(exp(2 * x)) -> exp(x)
        sqrt(1 / exp(x * x)) -> exp(-0.5 * x^2)
        exp(2 * x)^3 -> exp(6 * x)
        1 / exp(y - x) -> exp(x - y)
        2 * exp(x + 3) -> 40.171073846375336 * exp(x)
        x * exp(-1 * y) -> x * exp(-y)
        2 * exp(x - 700) -> 2 * exp(x - 700)
        2 * log(x^3) -> 6 * log(x)
        2 * log(x^2) -> 2 * log(x^2)
        log(x) + log(2) + log(3 * x) -> 2 * log(x) + 1.791759469228055
        log(x * y) -> log(x * y)
        log(x) - log(y) -> log(x / y)
        log(x) + log(y) -> log(x * y)
        2.5 * log(x + 1) - 2.5 * log(y) -> 2.5 * log((x + 1) / y)
        z - 3 * log(x) - 3 * log(y) -> z - 3 * log(x * y)
        log(x * y) - log(y) -> log(x)
        2 * log(x) - log(y) -> 2 * log(x) - log(y)
        log(-1) + log(x) -> log(-1) + log(x)
        log(exp(x) * y) -> x + log(y)
    """,
    "sin and cos": """
        cos(0 - x) -> cos(x)
        cos(y - x) + cos(x - y) -> 2 * cos(x - y)
        y + sin(-1 * x) -> y - sin(x)
        cos(x - 1.5707963267948966) -> sin(x)
        sin(x + 1.5707963267948966) -> cos(x)
        cos(x + 3.141592653589793) -> -cos(x)
        y + sin(x + 4.71238898038469) -> y - cos(x)
        cos(x - 1.5707) -> cos(x - 1.5707)
    """,
    "what would be longer stays": """
        x * x -> x * x
        x + x -> x + x
        0 - x -> 0 - x
        sqrt(exp(x)) -> sqrt(exp(x))
        sqrt(2 * x) -> sqrt(2 * x)
        x * (y + z) -> x * (y + z)
        (0.1 * x + 0.3) * y -> (0.1 * x + 0.3) * y
    """,
}
MORE_OPERATORS = """
    neg(neg(x)) -> x
    inverse(inverse(x)) -> x
    sqrt(square(x)) -> abs(x)
    square(sqrt(x)) -> x
    x * x * x -> cube(x)
    1 / x -> inverse(x)
    x^4 -> x^4
    abs(abs(x)) -> abs(x)
    abs(square(x)) -> square(x)
    square(abs(x)) -> square(x)
    2 * abs(3 - 3 * x) -> 6 * abs(x - 1)
    y - sin(neg(x)) -> y + sin(x)
    tan(atan(x)) -> x
    atan(tan(x)) -> atan(tan(x))
    tan(x + 3.141592653589793) -> tan(x)
    neg(x) * neg(y) -> x * y
    x + neg(y) -> x - y
    0 - x -> -x
    relu(relu(x)) -> relu(x)
    relu(square(x)) -> square(x)
    2 * relu(3 * x - 3) -> 6 * relu(x - 1)
    sign(-2 * x) -> -sign(x)
    sign(exp(x)) -> 1
    step(abs(x)) -> 1
    step(5 * x) -> step(x)
    min(x, x) -> x
    max(x, y) - max(y, x) -> 0
    abs(hypot(x, y)) -> hypot(x, y)
    sqrt(max(square(x), y)^2) -> max(square(x), y)
    min(atan2(y, x), 2) -> min(atan2(y, x), 2)
    atan2(y, x) - atan2(x, y) -> atan2(y, x) - atan2(x, y)
"""


def pairs(lines: str) -> list[tuple[str, str]]:
    return [tuple(line.strip().split(" -> ")) for line in lines.strip().splitlines()]  # type: ignore[misc]


@pytest.mark.parametrize(("before", "after"), [pair for lines in EXAMPLES.values() for pair in pairs(lines)])
def test_rule(before: str, after: str) -> None:
    assert str(Expression.parse(before, PLAIN).simplified()) == after


@pytest.mark.parametrize(("before", "after"), pairs(MORE_OPERATORS))
def test_rule_of_more_operators(before: str, after: str) -> None:
    assert str(Expression.parse(before, FULL).simplified()) == after


@pytest.mark.parametrize(
    ("missing", "before", "after"),
    [
        ("sub", "x + -1 * y", "x + -y"),
        ("div", "x * y^-1 * y", "x"),
        ("div", "x^2 * x^-3", "x^-1"),
        ("pow", "x * x * (x * y) / x / y", "x * x"),
        ("cos", "sin(x + 1.5707963267948966)", "sin(x + 1.5707963267948966)"),
        ("sqrt", "(x^0.5)^0.5", "x^0.25"),
        ("div", "sqrt(sin(x)^4)", "sin(x)^2"),
        ("div", "(sin(x)^4)^-0.5", "sin(x)^-2"),
        ("div", "sqrt(sin(x)^2)", "sqrt(sin(x)^2)"),
        ("mul", "x + x + x", "x + x + x"),
        ("mul", "log(x) + log(y) + x - x", "log(x) + log(y)"),
    ],
)
def test_only_tokens_of_the_vocabulary(missing: str, before: str, after: str) -> None:
    vocabulary = Vocabulary(PLAIN.variables, [name for name in PLAIN.operators if name != missing])
    assert str(Expression.parse(before, vocabulary).simplified()) == after


def test_without_constants_or_literals() -> None:
    vocabulary = Vocabulary(PLAIN.variables, PLAIN.operators, has_one=False, has_constant=False)
    assert str(Expression.parse("x / x", vocabulary).simplified()) == "x / x"
    assert str(Expression.parse("x * y / y + z", vocabulary).simplified()) == "x + z"
    assert str(Expression.parse("x + x - x", vocabulary).simplified()) == "x"


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("exp(1 + " * 1300 + "x" + ")" * 1300, 3901),
        ("(" * 800 + "x" + " + y)^2" * 800, 3201),
        (" + ".join(["x * y"] * 1000), 5),
        (" + ".join(f"sin({k} * x)" for k in range(1, 600)), 2992),
    ],
    ids=["deep calls", "deep powers", "one term", "many terms"],
)
def test_long_expressions(text: str, length: int) -> None:
    assert len(Expression.parse(text, PLAIN).simplified()) == length


ODD = [row.name for row in OPERATORS.values() if row.parity == "odd" and row.name != "neg"]
EVEN = [row.name for row in OPERATORS.values() if row.parity == "even"]


@pytest.mark.parametrize("name", ODD)
def test_a_difference_in_an_odd_function_takes_the_sign_in_front_of_it(name: str) -> None:
    vocabulary = Vocabulary(("x", "y"), [each for each in OPERATORS if each != "neg"])
    expression = Expression.parse(f"-1 * {name}(x - y)", vocabulary)
    assert expression.simplified() == Expression.parse(f"{name}(y - x)", vocabulary)


@pytest.mark.parametrize("name", EVEN)
def test_a_sign_in_an_even_function_is_dropped(name: str) -> None:
    assert (
        Expression.parse(f"{name}(-x)", FULL).simplified()
        == Expression.parse(f"{name}(x)", FULL).simplified()
    )
