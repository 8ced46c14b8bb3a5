"""The search and selection use the same prices for structures with all constants fitted."""

import numpy as np
import pytest

from ddsr import Expression, Vocabulary
from ddsr.expression import OPERATORS, Batch
from ddsr.price import TableCode
from ddsr.price.table_code import MOST_NATS_OF_CANDIDATES

VOCABULARY = Vocabulary(["x", "y"], tuple(OPERATORS))
TEXTS = (
    "2.3 * exp(-0.7 * x)",
    "7.4 * x / (1.9 + x)",
    "1.3 * atan(0.7 * x)",
    "0.6 * x * y^2",
    "2.3 + 1.7 * log(x) / y",
    "sin(exp(1.7 * x)) * 2.4",
)


def nats(texts: tuple[str, ...], is_scaled: bool) -> np.ndarray:
    batch = Batch.of([Expression.parse(text, VOCABULARY) for text in texts])
    price = TableCode.shipped().price_of_candidates(2)
    return price.nats(VOCABULARY.core, batch.tokens, batch.constants, is_scaled)


def test_the_search_and_the_choice_pay_the_same():
    expressions = [Expression.parse(text, VOCABULARY) for text in TEXTS]
    of_choice = TableCode.shipped().prices(expressions, [[True] * each.n_constants for each in expressions])
    assert nats(TEXTS, False) == pytest.approx(of_choice)


def test_a_factor_and_an_offset_that_are_fitted_anyway():
    bare, scaled, shifted = "exp(-0.7 * x)", "2.3 * exp(-0.7 * x)", "1.4 + 2.3 * exp(-0.7 * x)"
    least = nats((scaled, shifted), False).min()
    assert nats((bare,), True)[0] == pytest.approx(least)


def test_a_number_that_no_formula_has_costs_as_much_as_the_rarest():
    common, rare = nats(("2.3 * x^2", "2.3 * (y * x)^2 * x^2 * x^2 * x^2 * x^2 * x^2 * x^3"), False)
    assert common < rare < common + 3 * MOST_NATS_OF_CANDIDATES + 30.0
