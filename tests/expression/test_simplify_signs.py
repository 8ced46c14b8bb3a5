"""Simplification with known signs of variables: the same value on data with these signs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from ddsr.errors import VocabularyError
from ddsr.expression import Batch, Expression, Vocabulary
from strategies import FULL, PLAIN, data, examples, expressions, mild_floats

HALVES = st.integers(-6, 6).map(lambda value: value / 2)
TELLING = st.one_of(st.integers(-4, 4).map(float), HALVES, mild_floats)

EDGES = np.array([[1.0, 0.0, -1.0], [2.0, 0.0, 0.0], [0.5, 1.0, 0.0], [1.0, 1.0, 1.0], [3.0, 0.0, 2.0]])
ANY_SIGN = np.vstack([data(40, seed=2), np.abs(data(20, seed=3)), EDGES])
SIGNED = np.column_stack([np.abs(ANY_SIGN[:, :2]), ANY_SIGN[:, 2]])
"""x is positive, y is nonnegative with zeros among it, z has any sign."""

ALL_POSITIVE = np.abs(data(40, seed=4))
ALL_NONNEGATIVE = np.vstack([ALL_POSITIVE, np.eye(3), np.zeros((1, 3)), 1.0 - np.eye(3)])
DOMAINS = [
    ({"positive": ["x"], "nonnegative": ["y"]}, SIGNED),
    ({"positive": ["x", "y", "z"]}, ALL_POSITIVE),
    ({"nonnegative": ["x", "y", "z"]}, ALL_NONNEGATIVE),
]


@pytest.mark.parametrize("vocabulary", [PLAIN, FULL], ids=["plain", "full"])
@pytest.mark.parametrize(("signs", "rows"), DOMAINS, ids=["mixed", "positive", "nonnegative"])
@given(st.data())
@examples(200)
def test_values_stay_on_the_domain(
    vocabulary: Vocabulary, signs: dict[str, list[str]], rows: np.ndarray, draw: st.DataObject
) -> None:
    original = draw.draw(expressions(vocabulary, 24, TELLING))
    simple = original.simplified(**signs)
    oracle.assert_same_values(original, simple, rows)
    assert len(simple) <= len(original.simplified())
    assert simple.simplified(**signs) == simple
    assert list(Batch.of([original]).simplified(1, **signs)) == [simple]


@pytest.mark.parametrize(
    "text", ["(4 / ((-2.5 - y) / -0.5))^cosh(square(exp(1.0)))", "sin(3e15) * x", "cos(z * 1e15 / 3)"]
)
@pytest.mark.parametrize(("signs", "rows"), DOMAINS, ids=["mixed", "positive", "nonnegative"])
def test_values_that_rounding_decides_are_not_compared(
    text: str, signs: dict[str, list[str]], rows: np.ndarray
) -> None:
    original = Expression.parse(text, FULL)
    oracle.assert_same_values(original, original.simplified(**signs), rows)
    assert (oracle.evaluate(original, rows[rows[:, 2] != 0.0]).worst > 1e-6).all()


def test_values_that_rounding_leaves_alone_are_compared() -> None:
    original = Expression.parse("sin(300 * x) * (y + 2)^20", FULL)
    assert (oracle.evaluate(original, ALL_POSITIVE).worst < np.inf).all()
    with pytest.raises(AssertionError):
        oracle.assert_same_values(
            Expression.parse("sin(300 * x)", FULL), Expression.parse("cos(300 * x)", FULL), ALL_POSITIVE
        )


POSITIVE = """
    sqrt(x^2) -> x
    sqrt(x^2 * z) -> x * sqrt(z)
    (x^1.5)^2.5 -> x^3.75
    (x^4)^0.5 -> x^2
    sqrt(x * y) * (x / y)^1.5 -> x^2 / y
    (x * y)^0.5 / x^0.5 -> sqrt(y)
    x * sqrt(x / z) -> sqrt(x^3 / z)
    6.28 * x * sqrt(x / (y * z)) -> 6.28 * sqrt(x^3 / (y * z))
    log(x^2) - log(x) -> log(x)
    log(x^3) / log(x) -> 3
    log(x * z) - log(x) -> log(z)
    log(x) + log(y) -> log(x * y)
    2 * log(x) - 2 * log(y) -> 2 * log(x / y)
    exp(y * log(x)) -> x^y
    log(x^z) / z -> log(x)
    (x^z)^(y / z) -> x^y
    exp(log(x) / 2 + log(y)) -> sqrt(x) * y
    x * (y / x + x) -> y + x^2
    (x * y + x * z) / x -> y + z
    z / (x * (1 / x + x)) -> z / (x^2 + 1)
    x * (y + z) -> x * (y + z)
"""

NONNEGATIVE = """
    sqrt(x^2) -> x
    (x^4)^0.5 -> x^2
    sqrt(x * y) / sqrt(y) -> sqrt(x)
    x * sqrt(x / y) -> sqrt(x^3 / y)
    log(x^2) - log(x) -> log(x)
    sqrt(x^2 * z) -> sqrt(x^2 * z)
    log(x * z) - log(x) -> log(z)
"""


def pairs(lines: str) -> list[tuple[str, str]]:
    return [tuple(line.strip().split(" -> ")) for line in lines.strip().splitlines()]  # type: ignore[misc]


@pytest.mark.parametrize(("before", "after"), pairs(POSITIVE))
def test_rule_of_positive_variables(before: str, after: str) -> None:
    assert str(Expression.parse(before, PLAIN).simplified(positive=["x", "y"])) == after


@pytest.mark.parametrize(("before", "after"), pairs(NONNEGATIVE))
def test_rule_of_nonnegative_variables(before: str, after: str) -> None:
    assert str(Expression.parse(before, PLAIN).simplified(nonnegative=["x", "y"])) == after


@pytest.mark.parametrize(("before", "after"), pairs(POSITIVE))
def test_no_sign_is_taken_for_granted(before: str, after: str) -> None:
    original = Expression.parse(before, PLAIN)
    assert original.simplified() == original.simplified(positive=[], nonnegative=())
    oracle.assert_same_values(original, original.simplified(), ANY_SIGN)
    oracle.assert_same_values(original, original.simplified(positive=["x"]), SIGNED)


@pytest.mark.parametrize("text", ["sqrt(x^2)", "sqrt(x^6)", "log(x^2)", "x * sqrt(x / z)", "x * (y / x + x)"])
def test_without_signs_these_stay(text: str) -> None:
    original = Expression.parse(text, PLAIN)
    assert original.simplified() == original


def test_roots_that_cancel_leave_a_short_equation() -> None:
    vocabulary = Vocabulary(["s", "k", "v"])
    found = Expression.parse("s * (s / k) * v / (sqrt(s * k) * (s / k)^1.5 + k)", vocabulary)
    simple = found.simplified(positive=["s", "k", "v"])
    assert len(simple) <= 13
    rows = np.abs(data(30)) + 0.1
    wanted = Expression.parse("s^2 * v / (s^2 + k^2)", vocabulary)
    np.testing.assert_allclose(simple.to_callable()(rows), wanted.to_callable()(rows), rtol=1e-12)


def test_positive_says_more_than_nonnegative() -> None:
    original = Expression.parse("sqrt(x^2 * z)", PLAIN)
    both = original.simplified(positive=["x"], nonnegative=["x"])
    assert both == original.simplified(positive=["x"]) != original


def test_names_are_checked() -> None:
    original = Expression.parse("x + y", PLAIN)
    with pytest.raises(VocabularyError, match="'w' is not a variable"):
        original.simplified(positive=["w"])
    with pytest.raises(VocabularyError, match="list of names"):
        Batch.of([original]).simplified(nonnegative="xy")
