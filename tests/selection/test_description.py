"""How long models are."""

import numpy as np
import pytest

from ddsr.expression import Expression, Vocabulary
from ddsr.selection import PreciseLength
from ddsr.selection.model import Model


@pytest.mark.parametrize("slope", [1e200, np.inf, np.nan])
def test_derivatives_that_overflow_cost_much_but_not_infinitely_much(slope):
    """JSON, and so a model file, has no infinity."""
    expression = Expression.parse("x * 2.5", Vocabulary(["x"]))
    model = Model(expression, (False,))
    length = PreciseLength(n_rows=100, spread=1.0, least_nrmse=1e-12)
    plain = length(model, 0.5, np.array([[1.0]]))
    assert plain + 100 < length(model, 0.5, np.array([[slope]])) < np.inf


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
