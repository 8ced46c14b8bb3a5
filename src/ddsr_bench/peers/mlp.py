"""A multi-layer perceptron; its size is the number of its weights."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

from ddsr_bench.peers.unwritten import Unwritten


class PatientMLP(MLPRegressor):  # type: ignore[misc]
    """Stopping after its iterations is part of the method, no reason to warn."""

    def fit(self, X: Any, y: NDArray[np.float64]) -> PatientMLP:
        """Learn."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            super().fit(X, y)
        return self


def count_weights(network: MLPRegressor) -> int:
    """Offsets included."""
    return sum(int(part.size) for part in (*network.coefs_, *network.intercepts_))


def make(seed: int, time: float | None, threads: int) -> Unwritten:
    """One layer of a hundred; 500 iterations at most."""
    return Unwritten(PatientMLP(hidden_layer_sizes=(100,), max_iter=500, random_state=seed), count_weights)
