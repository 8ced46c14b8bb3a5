"""The methods that a benchmark runs, made by name."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Method(Protocol):
    """A regressor whose model can be written down."""

    def fit(self, X: Any, y: NDArray[np.float64]) -> Any:
        """Learn from a DataFrame, whose column names are the variables of the model."""
        ...

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The model's values."""
        ...

    def sympy(self) -> Any:
        """The model, as a SymPy form or as text that SymPy reads."""
        ...


def modules_of(method: str) -> tuple[str, ...]:
    """What its run imports, which takes longer than many a run: to be done once, before."""
    networks = () if method == "uniform" else ("torch", "ddsr.diffusion.generator", "ddsr.learning.policy")
    return ("ddsr.estimator", *networks)


def make_estimator(
    method: str, seed: int, time: float | None, epochs: int | None, threads: int, device: str
) -> Method:
    """One of ddsr's presets by its name; `time` in seconds or `epochs` end its search, what comes first."""
    from ddsr.estimator import DDSRRegressor

    regressor: Method = DDSRRegressor(
        preset=method,
        max_time=time,
        max_epochs=epochs,
        n_jobs=threads,
        random_state=seed,
        device=device,
    )
    return regressor
