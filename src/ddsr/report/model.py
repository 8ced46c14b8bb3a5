"""What a report asks of a model: the face of a fitted `DDSRRegressor`, which stands above this layer."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ddsr.errors import ReportError
from ddsr.fitting import Outcome
from ddsr.selection import FrontEntry, ParetoFront


class FittedModel(Protocol):
    """A front of equations, one of which predicts."""

    front_: ParetoFront
    best_: FrontEntry
    equations_: pd.DataFrame
    stopped_by_: str
    n_epochs_: int

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Values of the chosen equation."""
        ...

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's parameters."""
        ...


class Output:
    """One of a model's several outputs, as if it were a model of its own."""

    def __init__(self, model: Any, output: int) -> None:
        """Attributes that a model has as a list, one for each output, are those of this one."""
        self.model, self.output = model, output

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.model, name)
        return value[self.output] if isinstance(value, list) else value

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Its column of the predictions."""
        column: NDArray[np.float64] = self.model.predict(X)[:, self.output]
        return column

    def confidence_intervals(self) -> pd.DataFrame:
        """Its table."""
        return self.model.confidence_intervals()[self.output]


def outputs_of(model: Any) -> list[FittedModel]:
    """Each output of a fitted model as a model."""
    if not hasattr(model, "front_"):
        raise ReportError("this model is not fitted: call fit before writing its report")
    if not isinstance(model.front_, list):
        return [model]
    return [Output(model, output) for output in range(len(model.front_))]


def outcome_of(model: FittedModel) -> Outcome | None:
    """What the fit left; None where the model does not say."""
    if isinstance(model, Output):
        found: Outcome | None = model.outcomes_
        return found
    outcomes: list[Outcome] = getattr(model, "outcomes_", [])
    return outcomes[0] if outcomes else None


def defaults_of(model: FittedModel) -> dict[str, Any]:
    """The constructor's parameters where none is given."""
    kind = type(model.model if isinstance(model, Output) else model)
    parameters: dict[str, Any] = kind().get_params(deep=False)
    return parameters
