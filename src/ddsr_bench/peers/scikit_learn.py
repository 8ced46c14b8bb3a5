"""Models of scikit-learn: linear regression as a baseline, and models that are not formulas."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.neural_network import MLPRegressor


class WrittenLinearRegression(LinearRegression):  # type: ignore[misc]
    """Linear regression with its model as text."""

    def sympy(self) -> str:
        """Return the model as text."""
        terms = zip(self.coef_, self.feature_names_in_, strict=True)
        return " + ".join([repr(float(self.intercept_)), *(f"({float(w)!r})*{name}" for w, name in terms)])


class Unwritten:
    """A model that is not a formula, with its size as SRBench counts it."""

    def __init__(self, estimator: Any, count: Callable[[Any], int]) -> None:
        self._estimator = estimator
        self._count = count

    def fit(self, X: Any, y: NDArray[np.float64]) -> Unwritten:
        """Fit, without the warning that a network stopped at its maximum number of iterations."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self._estimator.fit(X, y)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the values of the model."""
        return np.asarray(self._estimator.predict(X), dtype=np.float64)

    def sympy(self) -> None:
        """Return None: the model is not a formula."""

    def complexity(self) -> int:
        """Return the number of nodes of all trees, or of weights of a network."""
        return self._count(self._estimator)


def linear(seed: int, time: float | None, threads: int) -> WrittenLinearRegression:
    """Return a linear regression."""
    return WrittenLinearRegression(n_jobs=threads)


def forest(seed: int, time: float | None, threads: int) -> Unwritten:
    """Return a random forest of a hundred trees."""
    return Unwritten(RandomForestRegressor(n_estimators=100, random_state=seed, n_jobs=threads), _count_nodes)


def boosting(seed: int, time: float | None, threads: int) -> Unwritten:
    """Return gradient boosting of a hundred trees of depth three, which uses one thread."""
    return Unwritten(GradientBoostingRegressor(n_estimators=100, random_state=seed), _count_nodes)


def mlp(seed: int, time: float | None, threads: int) -> Unwritten:
    """Return a network with one layer of a hundred neurons, trained for at most 500 iterations."""
    network = MLPRegressor(hidden_layer_sizes=(100,), max_iter=500, random_state=seed)
    return Unwritten(network, _count_weights)


def _count_nodes(ensemble: Any) -> int:
    return sum(int(tree.tree_.node_count) for tree in np.ravel(ensemble.estimators_))


def _count_weights(network: MLPRegressor) -> int:
    return sum(int(part.size) for part in (*network.coefs_, *network.intercepts_))
