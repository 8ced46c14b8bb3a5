"""Fitted exponents that few laws have cost more than other constants."""

import numpy as np
import pytest

from ddsr import Engine, Expression, Vocabulary
from ddsr.price.description_length import DescriptionLength
from ddsr.price.exponents import nats_of_exponents
from ddsr.price.model import Model

VOCABULARY = Vocabulary(["x"], ("add", "mul", "pow", "exp"))


def model(text, is_fixed=False):
    expression = Expression.parse(text, VOCABULARY)
    return Model(expression, (is_fixed,) * expression.n_constants)


@pytest.mark.parametrize("text", ["2.3 * x^0.71", "2.3 * x^4.6", "(2.3 + x)^-1.3", "17.9 * exp(17.9 * x)"])
def test_usual_exponents_and_other_constants_cost_nothing(text):
    assert nats_of_exponents(model(text)) == 0.0


def test_exponents_cost_more_the_farther_they_are_from_usual_ones():
    large = [nats_of_exponents(model(f"2.3 * x^{power}")) for power in (8.1, 12.7, 18.3, 1.1e200)]
    small = [nats_of_exponents(model(f"2.3 * x^{power}")) for power in (0.21, 0.02, 0.0, -0.0)]
    assert 0.0 < large[0] < large[1] < large[2] < large[3] < np.inf
    assert 0.0 < small[0] < small[1] < small[2] == small[3] < np.inf
    assert nats_of_exponents(model("x^18.3")) == nats_of_exponents(model("x^-18.3"))


def test_fixed_exponents_are_priced_as_numbers():
    assert nats_of_exponents(model("x^18.3", is_fixed=True)) == 0.0


def test_two_exponents_add_up():
    one, other = (nats_of_exponents(model(f"x^{power}")) for power in (18.3, 12.7))
    assert nats_of_exponents(model("x^18.3 + x^12.7")) == pytest.approx(one + other)


def test_an_exponential_is_preferred_to_its_approximation():
    """Between 300 and 340, x^18.2 is nearly an exponential."""
    x = np.linspace(300.0, 340.0, 12)
    y = np.exp(0.057 * x) * 1e-7
    engine = Engine(VOCABULARY, x[:, None], y)
    length = DescriptionLength.on(engine)
    models = [model("1e-7 * exp(0.057 * x)"), model("1e-45 * x^18.2")]
    information = np.eye(2)
    exponential, power = (length(each, 0.03, information) for each in models)
    assert power - exponential > nats_of_exponents(models[1]) - 1.0 > 2.0
