"""Operon: genetic programming with Levenberg–Marquardt, in C++."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyoperon.sklearn import SymbolicRegressor

SETTINGS: dict[str, Any] = {
    "allowed_symbols": "add,sub,mul,div,sin,cos,exp,log,sqrt,pow,constant,variable",
    "offspring_generator": "basic",
    "initialization_method": "btc",
    "objectives": ["r2", "length"],
    "epsilon": 1e-5,
    "optimizer_iterations": 1,
    "reinserter": "keep-best",
    "female_selector": "tournament",
    "male_selector": "tournament",
    "brood_size": 5,
    "population_size": 1000,
    "max_length": 50,
    "model_selection_criterion": "minimum_description_length",
}
EVALUATIONS = 1_000_000
"""number of evaluations without a time limit"""
UNLIMITED = 10**9
DIGITS = 15


class OperonRegressor:
    """Operon's own estimator with SRBench's settings and its largest set of symbols."""

    def __init__(self, seed: int, time: float | None, threads: int) -> None:
        self._search = SymbolicRegressor(
            **SETTINGS,
            random_state=seed,
            n_threads=threads,
            max_time=None if time is None else max(1, math.ceil(time)),  # whole seconds only
            generations=UNLIMITED,
            max_evaluations=EVALUATIONS if time is None else UNLIMITED,
        )

    def fit(self, X: Any, y: NDArray[np.float64]) -> OperonRegressor:
        """Search for a model."""
        self._names = [str(name) for name in X.columns]
        # A copy, since Operon refuses read-only arrays.
        self._search.fit(np.array(X, dtype=np.float64), y)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the values of the chosen model."""
        return np.asarray(self._search.predict(np.array(X, dtype=np.float64)), dtype=np.float64)

    def sympy(self) -> str:
        """Return the chosen model as text."""
        return str(self._search.get_model_string(self._search.model_, DIGITS, self._names))
