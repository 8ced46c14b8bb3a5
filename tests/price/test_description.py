"""Description lengths of models."""

import numpy as np
import pytest

from ddsr.expression import OPERATORS, Expression, Vocabulary
from ddsr.price.description_length import DescriptionLength, nats_of_structure
from ddsr.price.model import Model


@pytest.mark.parametrize("slope", [1e200, np.inf, np.nan])
def test_derivatives_that_overflow_cost_much_but_not_infinitely_much(slope):
    """JSON, and so a model file, has no infinity."""
    expression = Expression.parse("x * 2.5", Vocabulary(["x"]))
    model = Model(expression, (False,))
    length = DescriptionLength(n_rows=100, spread=1.0, least_nrmse=1e-12)
    plain = length(model, 0.5, np.array([[1.0]]))
    assert plain + 100 < length(model, 0.5, np.array([[slope]])) < np.inf


@pytest.mark.parametrize("n_rows", [50, 1000])
def test_a_constant_near_zero_costs_as_much_as_the_noise_it_may_fit(n_rows):
    """BIC's price. With a lower one, every few data sets a constant near zero would be kept."""
    vocabulary = Vocabulary(["x"])
    length = DescriptionLength(n_rows=n_rows, spread=1.0, least_nrmse=1e-12)
    bare = length(Model.free(Expression.parse("x", vocabulary)), 0.1, np.zeros((0, 0)))
    for constant in (1e-17, 0.1 / np.sqrt(n_rows), 0.05):
        model = Model.free(Expression.parse(f"x + {constant}", vocabulary))
        structure = nats_of_structure(model.expression, (False,)) - nats_of_structure(
            Expression.parse("x", vocabulary), ()
        )
        assert length(model, 0.1, np.array([[1.0]])) >= bare + structure + 0.5 * np.log(n_rows)


def nats_of(text: str, is_fixed: tuple[bool, ...], n_rows: int = 12) -> float:
    model = Model(Expression.parse(text, Vocabulary(("x",), tuple(OPERATORS))), is_fixed)
    n = len(is_fixed)
    return DescriptionLength(n_rows, spread=1.0, least_nrmse=1e-12)(model, 0.1, np.zeros((n, n)))


def test_a_number_costs_also_where_the_structure_hides_it():
    """0.2^x has the structure of exp(c * x), in which 0.2 is a constant."""
    assert nats_of("0.2^x", (True,)) > nats_of("0.5^x", (True,))
    assert nats_of("0.2^x", (True,)) > nats_of("0.2^x", (False,)) - 3.0
    assert nats_of("1.7320508075688772^x", (True,)) > nats_of("0.5^x", (True,))


def test_constants_cost_more_the_fewer_there_are():
    one, two = ("2.7 * x", (False,)), ("2.7 * x + 1.3", (False, False))
    extra = {n: nats_of(*two, n) - nats_of(*one, n) for n in (6, 12, 150)}
    beyond_rows = {n: nats - 0.5 * np.log(n) for n, nats in extra.items()}
    assert beyond_rows[6] > beyond_rows[12] > beyond_rows[150]
