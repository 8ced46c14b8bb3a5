"""The classifier: scikit-learn's checks, labels of any kind, probabilities, and files."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from ddsr import DDSRClassifier, DDSRRegressor
from ddsr.errors import DataError, RunError
from sklearn_cases import expected_failures

RNG = np.random.default_rng(0)
X = pd.DataFrame({"a": RNG.uniform(-2.0, 2.0, 200), "b": RNG.uniform(-2.0, 2.0, 200)})
LABELS = np.where(RNG.random(200) < expit(3.0 * X.a * X.b), "yes", "no")
KINDS = np.array(["low", "middle", "high"])[np.digitize(X.a + 0.3 * RNG.normal(size=200), [-0.7, 0.7])]
ISLANDS = {"n_islands": 2, "dictionary_size": 1000}
BRIEF = {"max_epochs": 1, "random_state": 0, "prior": None}
LITTLE = {"evaluations_per_epoch": 300, "max_length": 7, "evolution": ISLANDS}
FAST = {
    "config": {"evaluations_per_epoch": 30, "max_length": 5, "evolution": ISLANDS},
    "operators": ["+", "*"],
    "max_epochs": 1,
}


def brief(**parameters: object) -> DDSRClassifier:
    return DDSRClassifier(**BRIEF | {"config": LITTLE} | parameters)  # type: ignore[arg-type]


@parametrize_with_checks(
    [DDSRClassifier(**FAST, model_selection="best")], expected_failed_checks=expected_failures
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([DDSRClassifier(**FAST)], expected_failed_checks=expected_failures)
def test_scikit_learn_checks_where_equations_are_shortened(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def model() -> DDSRClassifier:
    return brief(guesses=["C * a * b"]).fit(X, LABELS)


def test_two_classes(model: DDSRClassifier) -> None:
    assert model.classes_.tolist() == ["no", "yes"]
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    np.testing.assert_allclose(chances[:, 1], expit(model.decision_function(X)))
    assert (model.predict(X) == model.classes_[chances.argmax(axis=1)]).all()
    assert model.score(X, LABELS) > 0.8
    assert {"a", "b"} <= {*model.best_.equation.variables_used}


def test_several_classes_have_an_equation_each() -> None:
    model = brief(guesses=["C * a + C", "C * a * a + C"], model_selection="best").fit(X, KINDS)
    assert len(model.equations_) == 3 and model.classes_.tolist() == ["high", "low", "middle"]
    chances = model.predict_proba(X)
    assert chances.shape == (200, 3)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert model.score(X, KINDS) > 0.75


def test_files_keep_the_classes(model: DDSRClassifier, tmp_path: Path) -> None:
    model.save(tmp_path / "model.json")
    loaded = DDSRClassifier.load(tmp_path / "model.json")
    assert (loaded.predict(X) == model.predict(X)).all() and loaded.classes_.tolist() == ["no", "yes"]
    assert loaded.outcomes_[0].loss.name == "logistic"
    with pytest.raises(RunError, match=r"DDSRClassifier\.load"):
        DDSRRegressor.load(tmp_path / "model.json")


def test_intervals_are_those_of_the_law(model: DDSRClassifier) -> None:
    low, high = model.predict_interval(X, of_measurements=False).T
    assert (low <= model.decision_function(X)).mean() > 0.9 and (low <= high).all()
    with pytest.raises(DataError, match="log-odds are not measured"):
        model.predict_interval(X)
    errors = model.confidence_intervals()["standard_error"]
    assert ((errors > 0.0) | model.confidence_intervals()["is_exact"]).all()


def test_cross_validation() -> None:
    assert cross_val_score(brief(guesses=["C * a * b"], model_selection="best"), X, LABELS, cv=2).mean() > 0.7


def test_one_class_is_refused() -> None:
    with pytest.raises(DataError, match="only one class"):
        brief().fit(X, np.zeros(200))
