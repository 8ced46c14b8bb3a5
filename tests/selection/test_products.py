"""Products of powers inside and outside a root, and their notation."""

from fractions import Fraction

import pytest

from ddsr.expression import Expression, Node, Vocabulary
from ddsr.selection.rational.products import Factors, Polynomial, Product, Symbols
from ddsr.selection.rational.writer import Writer, cost_of

X, Y, ROOT = 0, 1, 2
DIFFERENCE: Polynomial = (((1, 0, 0), Fraction(1)), ((0, 1, 0), Fraction(-1)))
SUM: Polynomial = (((1, 0, 0), Fraction(1)), ((0, 1, 0), Fraction(1)))
NAMES = Vocabulary(("x", "y"))


def symbols(radicand: Factors, positive: tuple[int, ...] = (X, Y)) -> Symbols:
    return Symbols(frozenset({*positive, ROOT}), {ROOT: radicand})


def product(factors: Factors, radicand: Factors, positive: tuple[int, ...] = (X, Y)) -> Product:
    return Product.of(factors, symbols(radicand, positive))


@pytest.mark.parametrize(
    ("outside", "under", "left_outside", "left_under"),
    [(1, 2, 2, 0), (1, -1, 0, 1), (0, 3, 1, 1), (0, -3, -1, -1), (-2, 1, -1, -1), (-1, 2, 0, 0)],
)
def test_integer_powers_of_positive_variables_leave_the_root(
    outside: int, under: int, left_outside: int, left_under: int
) -> None:
    powers = {X: outside, ROOT: 1} if outside else {ROOT: 1}
    found = product(Factors(powers=powers), Factors(powers={X: under}))
    assert found.outer.powers == ({X: left_outside} if left_outside else {})
    assert found.inner.powers == ({X: left_under} if left_under else {})


def test_possibly_negative_powers_stay_under_the_root() -> None:
    found = product(Factors(powers={ROOT: 1}), Factors(powers={X: 2, Y: 1}), positive=(Y,))
    assert (found.outer.powers, found.inner.powers) == ({}, {X: 2, Y: 1})
    both = Factors(powers={DIFFERENCE: 1, SUM: 1})
    found = product(Factors(powers={ROOT: 1, DIFFERENCE: 1}), both, positive=())
    assert (found.outer.powers, found.inner.powers) == ({DIFFERENCE: 1}, both.powers)


def test_a_lone_radicand_is_not_negative() -> None:
    found = product(Factors(powers={ROOT: 1, DIFFERENCE: -1}), Factors(powers={DIFFERENCE: 1}))
    assert (found.outer.powers, found.inner.powers) == ({}, {DIFFERENCE: -1})


def test_a_minus_sign_under_the_root_turns_a_difference() -> None:
    found = product(Factors(powers={ROOT: 1, DIFFERENCE: 1}), Factors(Fraction(-1), {DIFFERENCE: 1}))
    turned = (((1, 0, 0), Fraction(-1)), ((0, 1, 0), Fraction(1)))
    assert found.outer.coefficient == -1
    assert found.outer.powers == {turned: 1} and found.inner.powers == {turned: 1}


@pytest.mark.parametrize(
    ("outside", "under", "numbers"), [(1, "9/4", ("3/2", 1)), (2, "1/2", (1, 2)), (-2, "1/2", (-1, 2))]
)
def test_numbers_stand_in_one_place(outside: int, under: str, numbers: tuple[str, int]) -> None:
    found = product(Factors(Fraction(outside), {ROOT: 1}), Factors(Fraction(under), {X: 1}))
    assert (found.outer.coefficient, found.inner.coefficient) == tuple(map(Fraction, numbers))


def written(found: Product, vocabulary: Vocabulary = NAMES) -> list[str]:
    nodes = [Node.variable("x"), Node.variable("y"), Node.operator("sqrt", Node.variable("x"))]
    writer = Writer(vocabulary, nodes, symbols(Factors(powers={X: 1})))
    return [Expression.from_tree(vocabulary, node).text() for node in writer.shortest_first(found)]


def test_equal_exponents_are_shared() -> None:
    assert written(product(Factors(powers={X: 3, Y: -3}), Factors())) == ["(x / y)^3"]
    assert written(product(Factors(Fraction(2), {X: -2}), Factors())) == ["2 / (x * x)"]


def test_sums_are_multiplied_out_and_divided_through() -> None:
    found = written(product(Factors(powers={X: 1, ROOT: -1}), Factors(powers={DIFFERENCE: 1, SUM: 1})))
    expected = {"1 / sqrt(1 - (y / x)^2)", "x / sqrt(x * x - y * y)"}
    assert found[0] == "x / sqrt((x - y) * (x + y))" and expected < set(found)


def test_a_number_costs_more_than_a_variable() -> None:
    costs = [cost_of(Expression.parse(text, NAMES).tree) for text in ("x * y", "x * 2", "x * y * y")]
    assert costs == sorted(costs) and len(set(costs)) == 3
