"""The estimator in tools of scikit-learn and joblib: pipelines, searches, copies, pickles, processes."""

import inspect
import os
import pickle
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import BaggingRegressor
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ddsr import DDSRRegressor, Forbid

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))
HARD = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 2] / X[:, 0])
FRAME = pd.DataFrame(X, columns=["a b", "I", "c"])


def tiny(**parameters):
    config = {"batch_size": 60, "max_length": 9}
    return DDSRRegressor(
        **{"preset": "uniform", "max_epochs": 2, "random_state": 0, "config": config} | parameters
    )


def test_there_are_few_parameters_and_the_constructor_only_assigns_them():
    parameters = inspect.signature(DDSRRegressor).parameters
    assert len(parameters) <= 30
    odd = {name: object() for name in parameters}
    assert vars(DDSRRegressor(**odd)) == odd


def test_a_clone_has_the_same_parameters_and_nothing_fitted():
    model = tiny(rules=["forbid exp on x0", Forbid("log", on="x1")], guesses=["C * x0"]).fit(X, HARD)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not [name for name in vars(copy) if name.endswith("_")]


def test_a_pipeline_keeps_names_and_passes_weights():
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, tiny()).fit(FRAME, HARD, ddsrregressor__sample_weight=np.ones(60))
    assert pipeline.predict(FRAME).shape == (60,)
    assert list(pipeline[-1].feature_names_in_) == ["a b", "I", "c"]
    assert make_pipeline(StandardScaler(), tiny()).fit(X, HARD).score(X, HARD) > 0


@pytest.mark.slow
def test_cross_validation_in_processes():
    scores = cross_val_score(tiny(), FRAME, HARD, cv=3, n_jobs=2)
    assert scores.shape == (3,)
    np.testing.assert_array_equal(scores, cross_val_score(tiny(), FRAME, HARD, cv=3))
    assert cross_val_predict(tiny(), X, np.column_stack([HARD, -HARD]), cv=2).shape == (60, 2)


def test_a_grid_search_over_settings():
    grid = {
        "max_epochs": [1, 3],
        "operators": [("+", "*"), None],
        "config": [{"batch_size": 30, "max_length": 5}, {"batch_size": 30, "max_length": 9}],
    }
    found = GridSearchCV(tiny(), grid, cv=2).fit(FRAME, HARD)
    assert set(found.best_params_) == set(grid)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    assert found.best_estimator_.sympy() is not None


def test_other_estimators_around_it():
    logged = TransformedTargetRegressor(tiny(), func=np.log, inverse_func=np.exp).fit(X, np.exp(X[:, 0]))
    assert logged.score(X, np.exp(X[:, 0])) > 0.99
    assert BaggingRegressor(tiny(), n_estimators=2, random_state=0).fit(X, HARD).predict(X).shape == (60,)
    assert MultiOutputRegressor(tiny()).fit(X, np.column_stack([HARD, -HARD])).predict(X).shape == (60, 2)


@pytest.mark.parametrize("y", [HARD, np.column_stack([HARD, X[:, 0]])], ids=["one", "several"])
def test_survives_pickle_and_joblib(y, tmp_path):
    model = tiny().fit(FRAME, y)
    joblib.dump(model, tmp_path / "model.joblib")
    for twin in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        assert (twin.predict(FRAME) == model.predict(FRAME)).all()
        assert str(twin.sympy()) == str(model.sympy()) and twin.to_python() == model.to_python()
        assert str(twin.equations_) == str(model.equations_)
        assert str(twin.confidence_intervals()) == str(model.confidence_intervals())


@pytest.mark.slow
def test_many_fits_at_once_are_as_one_after_the_other():
    def losses(n_jobs):
        fits = (joblib.delayed(tiny(random_state=seed).fit)(X, HARD) for seed in range(4))
        return [model.get_best()["loss"] for model in joblib.Parallel(n_jobs=n_jobs)(fits)]

    assert losses(2) == losses(1)


def test_inputs_are_never_altered():
    frame, target, weights = FRAME.copy(), HARD.copy(), np.ones(60)
    tiny(model_selection="description_length").fit(frame, target, weights).predict(frame)
    pd.testing.assert_frame_equal(frame, FRAME)
    assert (target == HARD).all() and (weights == 1).all()
    locked = X.copy()
    locked.flags.writeable = False
    tiny().fit(locked, HARD).predict(locked)


@pytest.mark.slow
def test_the_check_that_needs_a_switch_before_anything_is_imported():
    """The check of other array libraries, which test_estimator.py skips."""
    tests = Path(__file__).with_name("test_estimator.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests), "-k", "array_api"]
    ran = subprocess.run(
        command, env=os.environ | {"SCIPY_ARRAY_API": "1"}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0 and "1 passed" in ran.stdout, ran.stdout
