"""gplearn: genetic programming with protected operators."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from typing import Any

import numpy as np
from gplearn.functions import make_function
from gplearn.genetic import SymbolicRegressor
from numpy.typing import NDArray

LARGEST_EXPONENT = 100.0
WRITTEN = {
    "add": "({} + {})",
    "sub": "({} - {})",
    "mul": "({} * {})",
    "div": "({} / {})",
    "sin": "sin({})",
    "cos": "cos({})",
    "log": "log(Abs({}))",
    "sqrt": "sqrt(Abs({}))",
    "exp": "exp({})",
}
SETTINGS: dict[str, Any] = {
    "population_size": 1000,
    "tournament_size": 20,
    "init_depth": (2, 6),
    "init_method": "half and half",
    "metric": "mean absolute error",
    "parsimony_coefficient": 0.001,
    "p_crossover": 0.9,
    "p_subtree_mutation": 0.01,
    "p_hoist_mutation": 0.01,
    "p_point_mutation": 0.01,
    "p_point_replace": 0.05,
    "max_samples": 1.0,
}
GENERATIONS = 500
"""number of generations without a time limit"""


def clipped_exp(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return exp(x), constant where it would overflow: gplearn needs finite values."""
    return np.exp(np.clip(x, -LARGEST_EXPONENT, LARGEST_EXPONENT))


class GplearnRegressor:
    """gplearn with SRBench's settings, one generation after another until the time limit."""

    def __init__(self, seed: int, time: float | None, threads: int) -> None:
        exp = make_function(function=clipped_exp, name="exp", arity=1)
        functions = [name for name in WRITTEN if name != "exp"]
        self._time = time
        self._search = SymbolicRegressor(
            **SETTINGS,
            function_set=[*functions, exp],
            random_state=seed,
            n_jobs=threads,
            warm_start=True,
            generations=GENERATIONS if time is None else 1,
        )

    def fit(self, X: Any, y: NDArray[np.float64]) -> GplearnRegressor:
        """Search for at least one generation."""
        self._names = [str(name) for name in X.columns]
        deadline = clock.monotonic() + (self._time or 0.0)
        rows = X.to_numpy()
        self._search.fit(rows, y)
        while self._time is not None and clock.monotonic() < deadline:
            self._search.set_params(generations=self._search.generations + 1)
            self._search.fit(rows, y)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the values of the best program."""
        predicted: NDArray[np.float64] = self._search.predict(X.to_numpy())
        return predicted

    def sympy(self) -> str:
        """Return the best program as text, with plain divisions; gplearn's are 1 near a divisor of 0."""
        return self._written(iter(self._search._program.program))

    def _written(self, nodes: Iterator[Any]) -> str:
        """Return the text of the next part of the prefix form."""
        node = next(nodes)
        if isinstance(node, (int, np.integer)):
            return self._names[int(node)]
        if isinstance(node, (float, np.floating)):
            return f"({float(node)!r})"
        return WRITTEN[node.name].format(*(self._written(nodes) for _ in range(node.arity)))
