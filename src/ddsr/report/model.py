"""The interface of a fitted model that a report needs; `DDSRRegressor` has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ddsr.data.units import labelled
from ddsr.errors import ReportError
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.selection.outcome import Outcome


class FittedModel(Protocol):
    """A front of equations, one of which predicts."""

    front_: ParetoFront
    best_: FrontEntry
    equations_: pd.DataFrame
    stopped_by_: str
    n_epochs_: int

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict with the chosen equation."""
        ...

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters."""
        ...


class Output:
    """One output of a model with several outputs, with the interface of a model."""

    def __init__(self, model: Any, output: int) -> None:
        """Wrap a model; attributes that are lists with one item per output give this output's item."""
        self.model, self.output = model, output

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.model, name)
        return value[self.output] if isinstance(value, list) else value

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict this output."""
        column: NDArray[np.float64] = values_of(self.model, X)[:, self.output]
        return column

    def confidence_intervals(self) -> pd.DataFrame:
        """Return the intervals of this output."""
        return self.model.confidence_intervals()[self.output]


def values_of(model: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return the values of the chosen equations, which are log-odds for a classifier."""
    is_classifier = hasattr(type(model), "decision_function")
    found: NDArray[np.float64] = model.decision_function(X) if is_classifier else model.predict(X)
    return found


def coded_labels(model: Any, y: ArrayLike) -> Any:
    """Return the labels of a classifier as 0 and 1, in one column per equation; other targets as they are."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return y
    members = np.asarray(y)[:, None] == classes
    return members[:, 1] if len(classes) == 2 else members


def outputs_of(model: Any) -> list[FittedModel]:
    """Return each output of a fitted model as a model."""
    if not hasattr(model, "front_"):
        raise ReportError("this model is not fitted: call fit before writing its report")
    if not isinstance(model.front_, list):
        return [model]
    return [Output(model, output) for output in range(len(model.front_))]


def outcome_of(model: FittedModel) -> Outcome | None:
    """Return the outcome of the fit, or None if the model has none."""
    if isinstance(model, Output):
        found: Outcome | None = model.outcomes_
        return found
    outcomes: list[Outcome] = getattr(model, "outcomes_", [])
    return outcomes[0] if outcomes else None


def label_of(model: Any, name: str) -> str:
    """Return the name of an input with its unit, if units were given by name."""
    units = model.get_params(deep=False).get("units")
    return labelled(name, units.get(name)) if isinstance(units, Mapping) else name


def target_label_of(model: FittedModel, target: str) -> str:
    """Return the name of y with its unit, if units were given by name."""
    given = model.get_params(deep=False)
    unit = given.get("y_units") if isinstance(given.get("units"), Mapping) else None
    if unit is not None and not isinstance(unit, str):
        unit = unit[model.output if isinstance(model, Output) else 0]
    return labelled(target, unit)


def preparation_of(model: FittedModel) -> Any:
    """Return how the model prepares tables, or None if it uses them unchanged."""
    return getattr(model, "preparation_", None)


def estimator_of(model: FittedModel) -> type[Any]:
    """Return the class of the estimator."""
    return type(model.model if isinstance(model, Output) else model)


def defaults_of(model: FittedModel) -> dict[str, Any]:
    """Return the default parameters of the constructor."""
    parameters: dict[str, Any] = estimator_of(model)().get_params(deep=False)
    return parameters
