"""What a report asks of a model: the face of a fitted `DDSRRegressor`, which stands above this layer."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ddsr.selection import FrontEntry, ParetoFront


class FittedModel(Protocol):
    """A front of equations, one of which predicts."""

    front_: ParetoFront
    best_: FrontEntry
    equations_: pd.DataFrame
    stopped_by_: str

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Values of the chosen equation."""
        ...

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's parameters."""
        ...
