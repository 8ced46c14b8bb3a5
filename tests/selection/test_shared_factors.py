"""Two terms over one fitted factor, if the data allow it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr.engine import Engine, values
from ddsr.expression import Expression, Vocabulary
from ddsr.price.model import Model
from ddsr.selection.moves.alternatives import alternatives
from ddsr.selection.select import select

NAMES = Vocabulary(("x", "y", "z"))
X = np.random.default_rng(0).uniform(1.0, 5.0, size=(1000, 3))


def chosen(truth: str, candidate: str, noise: float) -> Expression:
    clean = Expression.parse(truth, NAMES).to_callable()(X)
    y = clean + noise * clean.std() * np.random.default_rng(1).normal(size=len(X))
    return select([Expression.parse(candidate, NAMES)], Engine(NAMES, X, y))[0].expression


@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize(
    ("truth", "candidate", "skeleton"),
    [
        ("3.71823 * (x + 2 * z)", "3.7 * x + 7.4 * z", "c * (x + 2 * z)"),
        ("3.71823 * (x + 2 * z) + 5.12347", "3.7 * x + 7.4 * z + 5.1", "c * (x + 2 * z) + c"),
        ("3.71823 * (x + 2 * z - 3 * y)", "3.7 * x + 7.4 * z - 11 * y", "c * (x + 2 * z - 3 * y)"),
        ("3.71823 * (sin(x) - y)", "3.7 * sin(x) - 3.7 * y", "c * (sin(x) - y)"),
        ("3.71823 * (x + 2 * z) / (y + 1)", "(3.7 * x + 7.4 * z) / (y + 1.01)", "c * (x + 2 * z) / (y + 1)"),
    ],
)
def test_terms_share_a_factor_where_its_ratio_is_simple(truth, candidate, skeleton, noise):
    found = chosen(truth, candidate, noise)
    free = sorted(value for value in found.constants if value != round(value))
    assert len(free) == skeleton.count("c *") + skeleton.count("+ c")
    factor = 3.71823 if noise == 0.0 else pytest.approx(3.71823, rel=0.01)
    assert free[0] == factor
    with_factor = skeleton.replace("c *", f"{free[0]!r} *").replace("+ c", f"+ {free[-1]!r}")
    expected = Expression.parse(with_factor, NAMES)
    assert np.allclose(found.to_callable()(X), expected.to_callable()(X), rtol=1e-12)


def test_a_ratio_that_is_not_simple_is_left_alone():
    found = chosen("3.71823 * x + 5.27184 * z", "3.7 * x + 5.3 * z", 0.02)
    assert sum(value != round(value) for value in found.constants) == 2


def test_a_factor_is_written_before_the_root():
    found = chosen("231780 * sqrt(x^2 + 3 * y * z)", "sqrt(5.37e10 * x^2 + 1.61e11 * y * z)", 0.0)
    assert found.text() == "231780 * sqrt(x^2 + 3 * y * z)"


@given(
    st.floats(0.1, 100.0).filter(lambda value: abs(value - round(value, 3)) > 1e-6),
    st.sampled_from([-3.0, -1.0, -0.5, 0.5, 1.0, 2.0, 5.0]),
    st.sampled_from(
        ["{} * x + {} * z", "y + {} * x / z + {} * sin(y)", "{} * x - ({} * z - y)", "{} + x * {}"]
    ),
)
def test_where_the_ratio_is_exact_values_stay(factor, ratio, form):
    """If the data allow nothing else, one alternative has one constant fewer and the same values."""
    expression = Expression.parse(form.format(repr(factor), repr(factor * ratio)), NAMES)

    def nats_lost(number: int, value: float) -> float:
        return 0.0 if math.isclose(value, expression.constants[number], rel_tol=1e-9) else math.inf

    joined = [
        other.expression
        for other in alternatives(Model.free(expression), nats_lost)
        if len(other.free_constants) == 1
    ]
    before, *found = values([expression, *joined], X)[0]
    assert any(np.allclose(each, before, rtol=1e-9) for each in found)
