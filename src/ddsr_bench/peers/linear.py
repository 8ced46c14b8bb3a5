"""Linear regression: the least that a method has to beat."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression


class WrittenLinearRegression(LinearRegression):  # type: ignore[misc]
    """Scikit-learn's, with its model as text."""

    def sympy(self) -> str:
        """The weighted sum."""
        terms = zip(self.coef_, self.feature_names_in_, strict=True)
        return " + ".join([repr(float(self.intercept_)), *(f"({float(w)!r})*{name}" for w, name in terms)])

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The sum's values."""
        return np.asarray(super().predict(X), dtype=np.float64)


def make(seed: int, time: float | None, threads: int) -> WrittenLinearRegression:
    """Nothing is random, and nothing takes time."""
    return WrittenLinearRegression(n_jobs=threads)
