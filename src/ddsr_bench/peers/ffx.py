"""FFX: regularised linear regression on a fixed set of generated features (McConaghy 2011).

It has no settings, and no options for operators, time or threads.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from ffx import run
from ffx.core.bases import OperatorBase, ProductBase
from ffx.core.constants import OP_ABS, OP_GTH, OP_LOG10, OP_LTH, OP_MAX0, OP_MIN0
from numpy.typing import NDArray

WRITTEN = {
    OP_ABS: "Abs({base})",
    OP_MAX0: "Max(0, {base})",
    OP_MIN0: "Min(0, {base})",
    OP_LOG10: "(log({base})/log(10))",
    OP_GTH: "Max(0, {threshold} - {base})",
    OP_LTH: "Max(0, {base} - {threshold})",
}


class FFXRegressor:
    """The most accurate model of the Pareto front, as in SRBench."""

    def __init__(self, seed: int, time: float | None, threads: int) -> None:
        """Ignore all options, since nothing is random."""

    def fit(self, X: Any, y: NDArray[np.float64]) -> FFXRegressor:
        """Fit and choose a model on all rows, as FFX's own estimator does."""
        self._names = [str(name) for name in X.columns]
        rows = X.to_numpy()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # FFX handles features that overflow and paths that end early
            self._model = run(rows, y, rows, y, self._names)[-1]
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the values of the model."""
        with np.errstate(all="ignore"):
            return np.asarray(self._model.predict(X.to_numpy()), dtype=np.float64)

    def sympy(self) -> str:
        """Return the model as text with all digits of its thresholds, unlike FFX's own text."""
        if not hasattr(self._model, "coefs_n"):
            return repr(float(self._model.constant))
        offset, *weights = self._model.coefs_n
        numerator = self._sum(offset, weights, self._model.bases_n)
        if not self._model.bases_d:
            return numerator
        return f"({numerator})/({self._sum(1.0, self._model.coefs_d, self._model.bases_d)})"

    def _sum(self, offset: float, weights: list[float], bases: list[Any]) -> str:
        terms = [f"({float(w)!r})*{self._written(base)}" for w, base in zip(weights, bases, strict=True)]
        return " + ".join([f"({float(offset)!r})", *terms])

    def _written(self, base: Any) -> str:
        if isinstance(base, ProductBase):
            return f"{self._written(base.base1)}*{self._written(base.base2)}"
        if isinstance(base, OperatorBase):
            threshold = "" if base.thr is None else f"({float(base.thr)!r})"  # only for hinge functions
            return WRITTEN[base.nonlin_op].format(base=self._written(base.simple_base), threshold=threshold)
        name = self._names[base.var]
        return name if base.exponent == 1 else f"{name}**({float(base.exponent)!r})"
