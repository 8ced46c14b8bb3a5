"""The folder `srbench/` through the calls of SRBench's evaluate_model."""

import importlib.util
import inspect
import json
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sympy
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold

FOLDER = Path(__file__).resolve().parents[2] / "srbench"


def load_method():
    spec = importlib.util.spec_from_file_location("srbench_regressor", FOLDER / "regressor.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def method(monkeypatch):
    """The method with small epochs, and few of the cheap forms fitted before them."""
    monkeypatch.setattr("ddsr.search.plain_forms.NUMBERS", (500,))
    module = load_method()
    config = {"evaluations_per_epoch": 500, "max_length": 16}
    module.est.set_params(preset="ddsr:generator=none", device="cpu", config=config)
    return module


@pytest.fixture
def data():
    X = pd.DataFrame(np.random.default_rng(0).uniform(1, 3, (60, 2)), columns=["beta", "x_1"])
    return X, (X["beta"] * X["x_1"] ** 2 + np.sin(X["beta"])).to_numpy()


def values(text, X):
    symbols = sympy.symbols(list(X.columns))
    form = sympy.parse_expr(text, local_dict={symbol.name: symbol for symbol in symbols})
    return np.broadcast_to(sympy.lambdify(symbols, form)(*X.to_numpy().T), len(X))


class AlarmRaised(Exception):
    pass


def raise_alarm(number, frame):
    if (
        frame is not None and frame.f_code.co_name == "gc_callback"
    ):  # Python drops errors that are raised there
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        return
    raise AlarmRaised


def test_an_evaluation(method, data):
    X, y = data
    est = method.est.set_params(**method.eval_kwargs["test_params"])
    assert hasattr(est, "random_state") and hasattr(est, "max_time")
    est.random_state = 7
    est.fit(X, y)
    assert "X" in inspect.signature(method.model).parameters
    np.testing.assert_allclose(values(method.model(est, X), X), est.predict(X), rtol=1e-9)
    assert method.model(est) == method.model(est, X)
    assert isinstance(method.complexity(est), int) and method.complexity(est) > 1
    json.dumps({name: str(value) for name, value in est.get_params().items()})


def test_an_alarm_inside_fit_leaves_a_model(method, data):
    X, y = data
    y = y + np.random.default_rng(1).normal(0.0, 0.1, len(y))  # so that no fit is exact
    est = method.est
    est.max_time, est.random_state = 3600, 0
    # Soon after the first epoch, wherever the search is then.
    est.callback = lambda state: signal.setitimer(signal.ITIMER_REAL, 0.05)
    before = signal.signal(signal.SIGALRM, raise_alarm)
    try:
        with pytest.raises(AlarmRaised):
            est.fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    np.testing.assert_allclose(values(method.model(est, X), X), est.predict(X), rtol=1e-9)
    assert method.complexity(est) >= 1


def test_an_array_gets_the_columns_names(method, data):
    X, y = data
    est = method.est.set_params(max_epochs=1, max_time=None)
    est.fit(X.to_numpy(), y)
    np.testing.assert_allclose(values(method.model(est, X), X), est.predict(X.to_numpy()), rtol=1e-9)
    assert "x0" not in method.model(est, X) and "beta" not in method.model(est)


@pytest.mark.slow
def test_the_older_evaluation_tunes_and_clones(method, data):
    X, y = data
    est = clone(method.est).set_params(max_epochs=1, max_time=None)
    folds = KFold(n_splits=2, shuffle=True, random_state=0)
    search = GridSearchCV(est, cv=folds, param_grid=method.hyper_params, scoring="r2").fit(X, y)
    assert method.complexity(search.best_estimator_) >= 1


def test_the_shipped_method_is_the_default_search():
    assert load_method().est.preset == "ddsr"
    lines = (FOLDER / "metadata.yml").read_text().splitlines()
    keys = [line.partition(":")[0] for line in lines if not line.startswith(" ")]
    assert keys == ["authors", "email", "name", "description", "url"]
