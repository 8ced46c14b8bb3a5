"""Save a fitted estimator to a file and load it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ddsr.data.frames import named_targets
from ddsr.data.preparation import Preparation
from ddsr.errors import RunError
from ddsr.estimator.model_file import ModelRecord, read_model, write_model
from ddsr.estimator.parameters import from_json, saved_parameters
from ddsr.expression.own_operators import CustomOperator
from ddsr.selection.outcome import Outcome
from ddsr.storage.saved import restoring

Self = TypeVar("Self", bound="SavedModels")


class SavedModels:
    """`save` and `load` of a fitted estimator."""

    outcomes_: list[Outcome]
    target_names_: tuple[str, ...]
    n_fits_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    classes_: NDArray[Any]
    preparation_: Preparation | None
    get_params: Callable[..., dict[str, Any]]
    _keep: Callable[[list[Outcome]], None]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one JSON file, which contains nothing executable.

        The callback and the contributors are not saved. A `RandomState` is saved in its state after the fit.
        """
        check_is_fitted(self)
        write_model(self._record(self.outcomes_), Path(path))

    @classmethod
    def load(cls: type[Self], path: str | PathLike[str], operators: Sequence[CustomOperator] = ()) -> Self:
        """Read a model that `save` wrote. Its predictions are the same to the last bit.

        `operators` are the Python functions among the model's operators, of which files keep only the names.
        """
        record = read_model(Path(path), operators)
        is_classifier = hasattr(cls, "predict_proba")
        if is_classifier != (record.classes is not None):
            kind = "DDSRRegressor" if is_classifier else "DDSRClassifier"
            raise RunError(f"{path} has the model of another estimator: load it with {kind}.load")
        with restoring(f"model ({path})"):
            known = set(cls().get_params(deep=False))
            model = cls(**from_json(record.parameters, known, operators))
            inputs = record.features if record.preparation is None else record.preparation.inputs
            model.n_features_in_, model.preparation_ = len(inputs), record.preparation
            if record.has_feature_names:
                model.feature_names_in_ = np.array(inputs, dtype=object)
            model.n_fits_ = record.n_fits
            if record.classes is not None:
                model.classes_ = np.array(record.classes)
            model._keep(list(record.outcomes))
            model.target_names_ = named_targets(record.targets)
        return model

    def _record(self, outcomes: Sequence[Outcome]) -> ModelRecord:
        classes, vocabulary = getattr(self, "classes_", None), outcomes[0].best.expression.vocabulary
        return ModelRecord(
            parameters=saved_parameters(self.get_params(deep=False)),
            features=vocabulary.inputs,
            has_feature_names=hasattr(self, "feature_names_in_"),
            outcomes=tuple(outcomes),
            targets=self.target_names_,
            n_fits=self.n_fits_,
            classes=None if classes is None else tuple(classes.tolist()),
            preparation=getattr(self, "preparation_", None),
            known=vocabulary.known_constants,
        )
