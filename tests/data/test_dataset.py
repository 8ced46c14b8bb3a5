"""The data of a fit are checked once, at its beginning."""

import numpy as np
import pytest
from sklearn.utils import validation

from ddsr import DDSRRegressor
from ddsr.data import checks, dataset, frames
from ddsr.data.dataset import Dataset
from ddsr.engine import Engine
from ddsr.errors import DataError
from ddsr.expression import Vocabulary

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3.0, size=(300, 2))
Y = np.sin(3.1 * X[:, 0] ** 1.7) / (0.3 + X[:, 1] ** 2.9)


@pytest.fixture
def checked(monkeypatch):
    """Shapes of the tables that were checked, by scikit-learn and by ddsr."""
    shapes = {"scikit-learn": [], "ddsr": []}
    by_sklearn, finite = validation.check_array, checks.check_finite

    def check_array(table, *arguments, **options):
        shapes["scikit-learn"].append(np.shape(table))
        return by_sklearn(table, *arguments, **options)

    def check_finite(rows, variables):
        shapes["ddsr"].append(np.shape(rows))
        return finite(rows, variables)

    monkeypatch.setattr(validation, "check_array", check_array)
    for module in (checks, dataset):
        monkeypatch.setattr(module, "check_finite", check_finite)
    return shapes


@pytest.mark.parametrize(("n_outputs", "counts"), [(2, None), (1, np.arange(300) % 3)])
def test_a_fit_checks_its_columns_once(checked, n_outputs, counts):
    """With noise, symmetries and the choice; tables that a search makes of X have checks of their own."""
    config = {"evaluations_per_epoch": 150, "prior": None, "least_share": 0.34, "batch_size": 20}
    config["max_length"] = 12
    targets = Y if n_outputs == 1 else np.column_stack([Y, Y + X[:, 0]])
    model = DDSRRegressor(max_epochs=2, random_state=0, device="cpu", config=config)
    model.fit(X, targets, counts=counts)
    n_rows = 300 if counts is None else 200
    assert checked["scikit-learn"] == [(300, 2)]
    assert checked["ddsr"].count((n_rows, 2)) == 1


def test_reading_is_what_is_counted(checked):
    frames.read_rows(DDSRRegressor(), X)
    Dataset.of(X, Y, names=["a", "b"])
    assert checked == {"scikit-learn": [(300, 2)], "ddsr": [(300, 2)]}


def test_an_engine_takes_a_data_set_as_it_is(checked):
    data = Dataset.of(X, Y, names=["a", "b"])
    engine = Engine(Vocabulary(["a", "b"]), data)
    assert engine.dataset is data and engine.rows is data.X
    assert engine.reweighted(np.arange(300.0)).rows is data.X
    assert Engine(Vocabulary(["a", "b"]), data.take(np.arange(0, 300, 2))).n_rows == 150
    assert len(checked["ddsr"]) == 1
    with pytest.raises(DataError, match="columns a, b, but the vocabulary has the variables x, y"):
        Engine(Vocabulary(["x", "y"]), data)


def test_rows_are_taken_with_all_that_belongs_to_them():
    weights, counts = RNG.uniform(size=300), np.arange(300) % 3
    data = Dataset.of(X, Y, weights, counts, names=["a", "b"])
    some = data.take(np.array([3, 5]))
    given = np.flatnonzero(counts)[[3, 5]]
    np.testing.assert_array_equal(some.kept, given)
    np.testing.assert_array_equal(some.X, X[given])
    np.testing.assert_array_equal(some.sample_weight, weights[given])
    assert some.weighting.n_observed == counts[given].sum()


def test_the_arrays_are_read_only_and_those_of_the_user_are_not():
    rows, target, weights, counts = X.copy(), Y.copy(), np.linspace(1.0, 2.0, 300), np.full(300, 2.0)
    data = Dataset.of(rows, target, weights, counts, names=("x0", "x1"))
    others = data.with_target(target + 1.0), data.reweighted(weights)
    for each in (data, *others):
        for values in (each.X, each.y, each.sample_weight, each.counts, each.weighting.counts):
            assert values is None or not values.flags.writeable
    engine = Engine(Vocabulary(["x0", "x1"]), rows, target)
    for values in (engine.rows, engine.target):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 77.0
    assert np.shares_memory(engine.rows, rows) and np.shares_memory(engine.target, target)
    assert all(values.flags.writeable for values in (rows, target, weights, counts))
