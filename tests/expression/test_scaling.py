"""scale * expression + offset as one expression."""

import numpy as np
import pytest
from hypothesis import given

from ddsr.expression import Expression, Vocabulary, scaled
from strategies import FULL, examples, expressions, mild_floats

XY = Vocabulary(("x", "y"))


@pytest.mark.parametrize(
    ("text", "scale", "offset", "expected"),
    [
        ("sin(x)", 1.0, 0.0, "sin(x)"),
        ("sin(x)", 1.0 + 1e-14, -1e-14, "sin(x)"),
        ("sin(x)", 3.0, 0.0, "3 * sin(x)"),
        ("sin(x)", 1.0, -2.0, "sin(x) - 2"),
        ("2 * x + 1", 3.0, -0.5, "6 * x + 2.5"),
        ("3 - x", 2.0, 0.0, "-2 * x + 6"),
        ("x / 4", 4.0, 0.0, "x"),
        ("1 / x", 3.0, 0.5, "3 / x + 0.5"),
    ],
)
def test_constants_are_merged(text: str, scale: float, offset: float, expected: str) -> None:
    found = scaled(Expression.parse(text, XY), scale, offset)
    assert found is not None
    assert found.text() == expected


@given(expressions(FULL, constants=mild_floats), mild_floats, mild_floats)
@examples(300)
def test_the_function_is_scale_times_expression_plus_offset(
    expression: Expression, scale: float, offset: float
) -> None:
    found = scaled(expression, scale, offset)
    assert found is not None
    X = np.random.default_rng(0).uniform(0.5, 2.0, (6, 3))
    with np.errstate(all="ignore"):
        inner = expression.to_callable()(X)
        expected, got = scale * inner + offset, found.to_callable()(X)
    usual = np.isfinite(expected) & (np.abs(inner) < 1e6)
    np.testing.assert_allclose(got[usual], expected[usual], rtol=1e-6, atol=1e-6)


def test_a_vocabulary_that_cannot_write_it_gives_none() -> None:
    bare = Vocabulary(("x",), ("sin", "add"))
    assert scaled(Expression.parse("sin(x)", bare), 2.0, 0.0) is None
    assert scaled(Expression.parse("sin(x)", bare), 1.0, 2.0) is not None
    no_constant = Vocabulary(("x",), ("sin", "add", "mul"), has_constant=False)
    assert scaled(Expression.parse("sin(x)", no_constant), 1.0, 2.0) is None
