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
