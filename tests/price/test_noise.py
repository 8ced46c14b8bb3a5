"""Detection of the kind of error of a table."""

import numpy as np
import pytest

from ddsr import DDSRRegressor, Engine, Vocabulary
from ddsr.expression import OPERATORS
from ddsr.price.noise import find_noise

VOCABULARY = Vocabulary(["x"], tuple(OPERATORS))
LITTLE = {"evaluations_per_epoch": 200, "max_length": 12}


def noise_of(y, X):
    return find_noise(Engine(VOCABULARY, X, y))


def table(n_rows=40):
    X = np.geomspace(0.1, 50.0, n_rows)[:, None]
    return X, 3.4 * X[:, 0] ** 0.75


@pytest.mark.parametrize("seed", range(5))
def test_relative_and_constant_errors_are_distinguished(seed):
    X, clean = table()
    noise = np.random.default_rng(seed).normal(size=len(clean))
    relative = noise_of(clean * (1.0 + 0.1 * noise), X)
    assert relative.kind == "relative"
    # row weights are about the inverse square of the value
    assert np.allclose(relative.weights * clean**2 / np.mean(relative.weights * clean**2), 1.0, atol=0.5)
    constant = noise_of(clean + 5.0 + noise, X)
    assert constant.kind == "constant" and constant.weights is None


def test_a_change_of_sign_or_an_exact_law_leave_errors_constant():
    X, clean = table()
    assert noise_of(clean - 20.0, X).kind == "constant"
    assert noise_of(2.0 * X[:, 0], X).kind == "constant"


def test_large_relative_errors_over_decades_are_relative():
    year = np.arange(1971.0, 2003.0, 2.0)
    clean = 2300.0 * 2.0 ** ((year - 1971.0) / 2.0)
    noise = np.random.default_rng(0).normal(size=len(year))
    assert noise_of(clean * np.exp(0.25 * noise), year[:, None]).kind == "relative"


def test_misfits_of_a_too_small_form_are_not_errors():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 3.0, size=(60, 1))
    y = 5.0 + 4.0 * np.sin(9.0 * X[:, 0]) * np.exp(-0.5 * X[:, 0]) + 0.01 * rng.normal(size=60)
    assert noise_of(y, X).kind == "constant"


def test_many_rows_have_constant_errors():
    X, clean = table(101)
    noise = np.random.default_rng(0).normal(size=len(clean))
    assert noise_of(clean * (1.0 + 0.1 * noise), X).kind == "constant"


def test_negative_values_have_relative_errors_too():
    X, clean = table()
    noise = np.random.default_rng(0).normal(size=len(clean))
    assert noise_of(-clean * (1.0 + 0.1 * noise), X).kind == "relative"


def test_the_model_reports_and_saves_the_kind_of_error(tmp_path):
    X, clean = table()
    y = clean * (1.0 + 0.1 * np.random.default_rng(1).normal(size=len(clean)))
    model = DDSRRegressor("ddsr:generator=none", max_epochs=1, random_state=0, config=LITTLE, prior=None)
    model.fit(X, y)
    assert model.noise_ == "relative"
    model.save(tmp_path / "model.json")
    assert DDSRRegressor.load(tmp_path / "model.json").noise_ == "relative"
    model.fit(X, y, sample_weight=np.ones(len(y)))
    assert model.noise_ == "constant"
