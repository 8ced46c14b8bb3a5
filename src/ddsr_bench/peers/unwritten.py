"""Models that are no formula: what they have in place of one is a size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Unwritten:
    """An estimator of scikit-learn, and how the size of its model is counted."""

    def __init__(self, estimator: Any, count: Callable[[Any], int]) -> None:
        self._estimator = estimator
        self._count = count

    def fit(self, X: Any, y: NDArray[np.float64]) -> Unwritten:
        """Learn."""
        self._estimator.fit(X, y)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The model's values."""
        return np.asarray(self._estimator.predict(X), dtype=np.float64)

    def sympy(self) -> None:
        """There is none."""

    def complexity(self) -> int:
        """As SRBench counts it."""
        return self._count(self._estimator)
