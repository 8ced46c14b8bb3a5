"""Scikit-learn's: linear regression, the least that a method has to beat, and models without a formula."""

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
    """Scikit-learn's, with its model as text."""

    def sympy(self) -> str:
        """The weighted sum."""
        terms = zip(self.coef_, self.feature_names_in_, strict=True)
        return " + ".join([repr(float(self.intercept_)), *(f"({float(w)!r})*{name}" for w, name in terms)])


class Unwritten:
    """A model that is not a formula: it has a size in place of one, as SRBench counts it."""

    def __init__(self, estimator: Any, count: Callable[[Any], int]) -> None:
        self._estimator = estimator
        self._count = count

    def fit(self, X: Any, y: NDArray[np.float64]) -> Unwritten:
        """Learn. A perceptron that stops after its iterations is no reason to warn."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self._estimator.fit(X, y)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The model's values."""
        return np.asarray(self._estimator.predict(X), dtype=np.float64)

    def sympy(self) -> None:
        """There is none."""

    def complexity(self) -> int:
        """Number of the nodes of all trees, or of the weights of a network."""
        return self._count(self._estimator)


def linear(seed: int, time: float | None, threads: int) -> WrittenLinearRegression:
    """Nothing is random, and nothing takes time."""
    return WrittenLinearRegression(n_jobs=threads)


def forest(seed: int, time: float | None, threads: int) -> Unwritten:
    """A hundred trees; it ends by itself, well within a symbolic method's time."""
    return Unwritten(RandomForestRegressor(n_estimators=100, random_state=seed, n_jobs=threads), _count_nodes)


def boosting(seed: int, time: float | None, threads: int) -> Unwritten:
    """A hundred trees of depth three; it uses one thread, and ends by itself."""
    return Unwritten(GradientBoostingRegressor(n_estimators=100, random_state=seed), _count_nodes)


def mlp(seed: int, time: float | None, threads: int) -> Unwritten:
    """One layer of a hundred; 500 iterations at most."""
    network = MLPRegressor(hidden_layer_sizes=(100,), max_iter=500, random_state=seed)
    return Unwritten(network, _count_weights)


def _count_nodes(ensemble: Any) -> int:
    return sum(int(tree.tree_.node_count) for tree in np.ravel(ensemble.estimators_))


def _count_weights(network: MLPRegressor) -> int:
    return sum(int(part.size) for part in (*network.coefs_, *network.intercepts_))
