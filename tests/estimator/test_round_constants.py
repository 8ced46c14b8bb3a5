"""Constants as fitted, on request."""

from __future__ import annotations

import numpy as np
import pytest

from ddsr import DDSRRegressor

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3.0, (60, 2))
Y = 2.0 * X[:, 0] ** 2 * X[:, 1] + 0.1 * RNG.normal(size=60)
BRIEF = {"max_epochs": 1, "random_state": 0, "prior": None, "preset": "ddsr:generator=none"}
LITTLE = {"evaluations_per_epoch": 200, "max_length": 7}


def fitted(**parameters):
    model = DDSRRegressor(**BRIEF, config=LITTLE, guesses=["2 * x0^2 * x1"], **parameters)
    return model.fit(X, Y)


@pytest.fixture(scope="module")
def rounded():
    return fitted()


@pytest.fixture(scope="module")
def unrounded():
    return fitted(round_constants=False)


def test_fitted_values_are_those_of_least_squares(rounded, unrounded):
    assert rounded.best_.equation.text() == "2 * x1 * x0^2"
    (factor,) = unrounded.best_.equation.constants[:1]
    term = X[:, 0] ** 2 * X[:, 1]
    assert factor == pytest.approx(term @ Y / (term @ term), rel=1e-6) and factor != 2.0
    assert unrounded.best_.equation.text(2) == "2 * x1 * x0^2"  # the exponent is part of the form


def test_no_error_is_larger(rounded, unrounded):
    assert unrounded.best_.nrmse <= rounded.best_.nrmse
    errors = {entry.size: entry.nrmse for entry in rounded.front_}
    assert all(entry.nrmse <= errors.get(entry.size, np.inf) * (1.0 + 1e-9) for entry in unrounded.front_)


def test_the_rest_of_the_model_belongs_to_it(unrounded, tmp_path):
    assert unrounded.best_ in list(unrounded.front_)
    assert unrounded.forms_["weight"].sum() <= 1.0 + 1e-9
    assert "This form has a probability of" in str(unrounded)
    low, high = unrounded.predict_interval(X).T
    assert (low < high).all()
    unrounded.save(tmp_path / "model.json")
    loaded = DDSRRegressor.load(tmp_path / "model.json")
    assert loaded.round_constants is False
    np.testing.assert_array_equal(loaded.predict(X), unrounded.predict(X))
