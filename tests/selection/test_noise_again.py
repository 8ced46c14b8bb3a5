"""The kind of error, decided again from the results of a search."""

import numpy as np
import pytest

from ddsr import DDSRRegressor, Engine, Expression, Vocabulary
from ddsr.price.model import Model
from ddsr.selection.noise_again import noise_again

VOCABULARY = Vocabulary(["a", "b", "d"])
RNG = np.random.default_rng(0)
X = np.column_stack([RNG.uniform(1, 20, 40), RNG.uniform(1, 20, 40), RNG.uniform(2, 50, 40)])
CLEAN = 0.8 * X[:, 0] * X[:, 1] / X[:, 2]
LAW = Model.free(Expression.parse("0.7 * a * b / d", VOCABULARY))
OTHERS = [Model.free(Expression.parse(text, VOCABULARY)) for text in ("2.1 * a", "1.3 * a + 0.2 * b", "3.7")]


def kind(y, models=(LAW, *OTHERS)):
    return noise_again(models, Engine(VOCABULARY, X, y)).kind


@pytest.mark.parametrize("seed", range(5))
def test_the_law_shows_how_errors_grow(seed):
    noise = np.random.default_rng(seed).normal(size=len(X))
    assert kind(CLEAN * (1.0 + 0.1 * noise)) == "relative"
    assert (
        kind(CLEAN + 10.0 + noise, [Model.free(Expression.parse("0.7 * a * b / d + 9.1", VOCABULARY))])
        == "constant"
    )


def test_models_far_from_the_law_do_not_change_the_weights():
    y = CLEAN * (1.0 + 0.1 * np.random.default_rng(0).normal(size=len(X)))
    assert kind(y, OTHERS) == "constant" and kind(y, ()) == "constant"


def test_the_weights_go_by_the_prediction():
    y = CLEAN * (1.0 + 0.1 * np.random.default_rng(0).normal(size=len(X)))
    weights = noise_again([LAW, *OTHERS], Engine(VOCABULARY, X, y)).weights
    assert weights is not None
    shares = weights * CLEAN**2
    np.testing.assert_allclose(shares / shares.mean(), 1.0, rtol=1e-6)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_given_weights_are_kept(is_weighted):
    y = CLEAN * (1.0 + 0.1 * np.random.default_rng(0).normal(size=len(X)))
    model = DDSRRegressor(
        max_epochs=1, config={"evaluations_per_epoch": 100}, guesses=["?*x0*x1/x2"], random_state=0
    )
    model.fit(X, y, sample_weight=np.linspace(1.0, 2.0, len(y)) if is_weighted else None)
    assert model.noise_ == ("constant" if is_weighted else "relative")
