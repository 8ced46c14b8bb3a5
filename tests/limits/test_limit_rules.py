"""Each limit: the template's values draw near the operator's as its operand goes to the limit."""

import numpy as np
import pytest

from ddsr.expression import Expression, Node
from ddsr.limits.rules import DERIVATIVES, FIRST, SECOND, evaluated, filled, limits_of
from strategies import FULL

X = np.random.default_rng(0).uniform(1.0, 3.0, size=(200, 3))


def remainders(text, kind):
    """Of the root of an expression: what each template of this kind leaves of its variation."""
    expression = Expression.parse(text, FULL)
    operands = [Expression.from_tree(FULL, child).to_callable()(X) for child in expression.tree.children]
    leaves = [
        np.asarray(child.value) if not child.name else values
        for child, values in zip(expression.tree.children, operands, strict=True)
    ]
    values = expression.to_callable()(X)
    with np.errstate(all="ignore"):
        templates = [template for found, template in limits_of(expression.tree, leaves) if found == kind]
        return [np.abs(values - evaluated(each, leaves)).max() / values.std() for each in templates]


@pytest.mark.parametrize(
    ("text", "kind", "falls_by"),
    [
        ("cos({} * x)", "parabola", 80),
        ("cos({} * x + 3.141592653589793)", "parabola", 80),
        ("sin({} * x - 1.5707963267948966)", "parabola", 80),
        ("cosh({} * x)", "parabola", 80),
        ("cos({} * x)", "symmetric", 80),
        ("sin({} * x)", "small", 80),
        ("tan({} * x)", "small", 80),
        ("tanh({} * x)", "small", 80),
        ("atan({} * x)", "small", 80),
        ("asin({} * x)", "small", 80),
        ("acos({} * x)", "small", 80),
        ("sinh({} * x)", "small", 80),
        ("exp({} * x)", "small", 8),
        ("exp({} * x + 1)", "linear", 8),
        ("log({} * x + 1)", "small", 8),
        ("log({} * x + 7)", "linear", 8),
        ("sqrt({} * x + 2)", "linear", 8),
        ("inverse({} * x + 2)", "linear", 8),
        ("y / ({} * x + 2)", "linear", 80),
        ("({} * x + 2)^3.3", "linear", 8),
        ("({} * x + 2)^-1", "linear", 8),
        ("x^{}", "logarithm", 8),
        ("(x * y)^(-{})", "logarithm", 8),
        ("x + {} * y", "negligible term", 8),
        ("{} * y - x", "negligible term", 8),
        ("x - {} * y", "steady term", 8),
        ("x * ({} * y + 2)", "steady factor", 8),
        ("({} * y + 2) / x", "steady factor", 8),
    ],
)  # fmt: skip
def test_the_limit_is_approached(text, kind, falls_by):
    """Ten times nearer, a remainder of the next order is ten times smaller, one two orders up a hundred."""
    far, near = (min(remainders(text.format(small), kind)) for small in (0.1, 0.01))
    assert 0.0 < near < far / falls_by
    assert far < 1.0


def test_a_power_of_what_is_near_one_is_an_exponential():
    """(1 - u/n)^n for growing n."""
    far, near = (min(remainders(f"(1 - {1 / n} * x)^{n}", "exponential")) for n in (20, 200))
    assert near < far / 8
    shifted = min(remainders("(5 + 0.05 * x)^100", "exponential"))
    assert shifted < 0.03


def test_a_constant_base_is_written_with_e():
    assert remainders("1.01^x", "base") == [pytest.approx(0.0, abs=1e-12)]
    assert remainders("(-2.0)^x", "base") == []


@pytest.mark.parametrize(
    ("exponent", "rounded"), [(2.01, 2.0), (0.4997, 0.5), (-1.03, -1.0), (1.04, 1.0), (-1.46, -1.5)]
)
def test_exponents_are_rounded_to_halves(exponent, rounded):
    tree, operands = Expression.parse(f"x^({exponent})", FULL).tree, [X[:, 0], np.asarray(exponent)]
    (template,) = (template for kind, template in limits_of(tree, operands) if kind == "exponent")
    assert evaluated(template, [X[:, 0]]) == pytest.approx(X[:, 0] ** rounded)


@pytest.mark.parametrize("exponent", [2.0, 2.3, 0.05, 7.01])
def test_other_exponents_are_left(exponent):
    tree = Expression.parse(f"x^{exponent}", FULL).tree
    kinds = [kind for kind, _ in limits_of(tree, [X[:, 0], np.asarray(exponent)])]
    assert "exponent" not in kinds and "linear" in kinds


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives(name):
    function = Expression.from_tree(FULL, Node.operator(name, Node.variable("x"))).to_callable()
    at = np.zeros((2, 3)) + np.array([[0.3 - 1e-6], [0.3 + 1e-6]])
    below, above = function(at)
    assert DERIVATIVES[name](np.asarray(0.3)) == pytest.approx((above - below) / 2e-6, rel=1e-6)


def test_templates_are_filled():
    template = Node.operator("add", Node.operator("mul", Node.constant(2.0), SECOND), FIRST)
    x, y = Node.variable("x"), Node.operator("sin", Node.variable("y"))
    assert Expression.from_tree(FULL, filled(template, [x, y])).text() == "2 * sin(y) + x"


def test_operators_without_limits_have_none():
    assert list(limits_of(Expression.parse("abs(x)", FULL).tree, [X[:, 0]])) == []
