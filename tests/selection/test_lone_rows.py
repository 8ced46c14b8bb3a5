"""Exact fits that depend on one row lose; exact laws whose rows are far apart do not."""

import warnings

import numpy as np
import pytest

from ddsr import DataError, DDSRRegressor
from ddsr.engine import Engine, values
from ddsr.expression import Expression, Vocabulary
from ddsr.price.model import Model
from ddsr.selection.guards.lone_rows import nats_of_lone_rows
from ddsr.selection.select import select

NAMES = Vocabulary(["a", "b"])


def engine_of(X, y):
    """An engine on one column, and a second one of ones."""
    return Engine(NAMES, np.column_stack([X, np.ones(len(X))]), y)


NEAR = 2.0**-40  # distance of a row from the pole


@pytest.mark.parametrize(
    "text", [f"{NEAR!r} / (a - 7)", f"{NEAR**2!r} / (a - 7)^2", f"{NEAR**2!r} * b * (a - 7)^-2"]
)
def test_a_pole_at_the_only_nonzero_row_is_detected(text):
    rows = np.arange(20.0)
    rows[7] += NEAR
    engine = engine_of(rows, (np.arange(20) == 7).astype(float))
    assert nats_of_lone_rows(Model.free(Expression.parse(text, NAMES)), engine, 1e-13) > 20 * 20


@pytest.mark.parametrize("text", ["3.3 * a", "2.5 * a^1.5", "0.7 * a^2 + 12.3", "5.1 * sqrt(a) + 1e-6 * a^2"])
def test_exact_laws_over_many_decades_are_not_penalised(text):
    law, rows = Expression.parse(text, NAMES), np.geomspace(1e-3, 1e6, 12)
    y = values([law], np.column_stack([rows, np.ones(12)]))[0][0]
    assert nats_of_lone_rows(Model.free(law), engine_of(rows, y), 1e-13) == 0.0


def test_a_single_one_among_zeros_does_not_justify_a_pole():
    rows = np.arange(20.0)
    y = (rows == 7.0).astype(float)
    engine = engine_of(rows, y)
    spikes = ["1e-14 / (a - 6.99999999999999)", "1e-20 / (a - 6.9999999999)^2", "0.1 * b", "0.001 * a + 0.1"]
    chosen = select([Expression.parse(text, NAMES) for text in spikes], engine)[0]
    assert "a" not in chosen.expression.variables_used


def test_listed_equations_are_finite_on_the_data():
    """(c * a) / b overflows where c * (a / b) does not."""
    rng = np.random.default_rng(0)
    rows = 1e307 * rng.uniform(0.5, 3.0, size=(30, 2))
    y = 1e150 * (rows[:, 0] / rows[:, 1]) * (1.0 + 0.01 * rng.normal(size=30))
    engine = Engine(NAMES, rows, y)
    texts = ["1e150 * (a / b)", "1e150 * (sqrt(a) / sqrt(b))", "1e150"]
    assert not engine.is_finite(Expression.parse("(1e150 * a) / b", NAMES))
    found = select([Expression.parse(text, NAMES) for text in texts], engine)
    assert found and all(engine.is_finite(each.expression) for each in found)


@pytest.mark.parametrize("factor", [5e-324, 1e-320, 1e300])
def test_extreme_inputs_warn_of_nothing_and_have_finite_predictions(factor):
    rng = np.random.default_rng(0)
    rows = np.round(rng.uniform(1.0, 30.0, size=(30, 2))) * factor
    y = np.arange(30.0) + rng.normal(size=30)
    config = {"evaluations_per_epoch": 200}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = DDSRRegressor(max_epochs=1, random_state=0, prior=None, config=config).fit(rows, y)
    for row in range(len(model.equations_)):
        assert np.isfinite(model.predict(rows, index=row)).all()


def test_targets_whose_squares_are_denormal_are_refused():
    with pytest.raises(DataError, match="squares exceed double precision"):
        engine_of(np.arange(5.0), 1e-160 * np.arange(5.0))
