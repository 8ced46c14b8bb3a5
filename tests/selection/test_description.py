"""How long models are."""

import numpy as np
import pytest

from ddsr.expression import OPERATORS, Expression, Vocabulary
from ddsr.selection import FewRowsLength, PreciseLength
from ddsr.selection.model import Model


@pytest.mark.parametrize("slope", [1e200, np.inf, np.nan])
def test_derivatives_that_overflow_cost_much_but_not_infinitely_much(slope):
    """JSON, and so a model file, has no infinity."""
    expression = Expression.parse("x * 2.5", Vocabulary(["x"]))
    model = Model(expression, (False,))
    length = PreciseLength(n_rows=100, spread=1.0, least_nrmse=1e-12)
    plain = length(model, 0.5, np.array([[1.0]]))
    assert plain + 100 < length(model, 0.5, np.array([[slope]])) < np.inf


@pytest.mark.parametrize("n_rows", [50, 1000])
def test_a_constant_that_is_hardly_told_from_zero_costs_as_much_as_the_noise_that_it_may_fit(n_rows):
    """BIC's price, below which a constant of nothing pays for itself every few data sets."""
    vocabulary = Vocabulary(["x"])
    length = PreciseLength(n_rows=n_rows, spread=1.0, least_nrmse=1e-12)
    bare = length(Model.free(Expression.parse("x", vocabulary)), 0.1, np.zeros((0, 0)))
    for constant in (1e-17, 0.1 / np.sqrt(n_rows), 0.05):
        model = Model.free(Expression.parse(f"x + {constant}", vocabulary))
        structure = length_of("x0 + x0", n_rows, 1) - length_of("x0", n_rows, 1)
        assert length(model, 0.1, np.array([[1.0]])) >= bare + structure + 0.5 * np.log(n_rows)


def test_a_minus_sign_costs_no_more_than_a_one():
    vocabulary = Vocabulary(["x"])
    length = PreciseLength(n_rows=100, spread=1.0, least_nrmse=1e-12)
    negative, difference = (
        length(Model(Expression.parse(text, vocabulary), is_fixed), 0.1, np.zeros((1, 1)))
        for text, is_fixed in (("-1 * x", (True,)), ("1 - x", ()))
    )
    assert negative <= difference


def length_of(text: str, n_rows: int, n_variables: int) -> float:
    """Nats of an expression that has no constants, and errs as much as the mean of y."""
    model = Model.free(Expression.parse(text, Vocabulary.of_size(n_variables)))
    return PreciseLength(n_rows, spread=1.0, least_nrmse=1e-12)(model, 1.0, np.zeros((1, 0, 0))[0])


@pytest.mark.parametrize(
    ("n_rows", "n_variables", "nats"),
    [(5000, 3, np.log(15)), (100, 50, 0.5 * np.log(100)), (8, 50, 2.0), (8, 1, 2.0)],
)
def test_a_token_costs_what_the_vocabulary_takes_and_the_rows_can_tell(n_rows, n_variables, nats):
    assert len(Vocabulary.of_size(3)) == 15
    assert length_of("x0", n_rows, n_variables) == pytest.approx(nats)
    assert length_of("x0 * x0", n_rows, n_variables) == pytest.approx(3 * nats)


def few_rows_nats(text: str, is_fixed: tuple[bool, ...], n_rows: int = 12) -> float:
    model = Model(Expression.parse(text, Vocabulary(("x",), tuple(OPERATORS))), is_fixed)
    n = len(is_fixed)
    return FewRowsLength(n_rows, spread=1.0, least_nrmse=1e-12)(model, 0.1, np.zeros((n, n)))


def test_on_few_rows_a_number_costs_also_where_the_structure_hides_it():
    """0.2^x has the structure of exp(c * x), in which 0.2 is a constant."""
    assert few_rows_nats("0.2^x", (True,)) > few_rows_nats("0.5^x", (True,))
    assert few_rows_nats("0.2^x", (True,)) > few_rows_nats("0.2^x", (False,)) - 3.0
    assert few_rows_nats("1.7320508075688772^x", (True,)) > few_rows_nats("0.5^x", (True,))


def test_on_few_rows_constants_cost_more_the_fewer_there_are():
    one, two = ("2.7 * x", (False,)), ("2.7 * x + 1.3", (False, False))
    extra = {n: few_rows_nats(*two, n) - few_rows_nats(*one, n) for n in (6, 12, 150)}
    beyond_rows = {n: nats - 0.5 * np.log(n) for n, nats in extra.items()}
    assert beyond_rows[6] > beyond_rows[12] > beyond_rows[150]
