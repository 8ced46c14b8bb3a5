"""The classifier: equations for the log-odds of the classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d

from ddsr.data.checks import check_weights
from ddsr.data.dataset import RowWeights
from ddsr.data.known_constants import ConstantsLike
from ddsr.errors import DataError
from ddsr.estimator.forms import Index
from ddsr.estimator.prior_parameter import PriorLike
from ddsr.estimator.symbolic import SymbolicEstimator
from ddsr.expression.own_operators import OwnOperator
from ddsr.grammar.rules import RulesLike
from ddsr.search.loop import SearchState
from ddsr.search.presets import ConfigLike
from ddsr.search.problem import Given


class DDSRClassifier(ClassifierMixin, SymbolicEstimator):  # type: ignore[misc]
    """Symbolic classification: find equations for the log-odds of the classes.

    With two classes, there is one equation f, and the probability of the second class is
    1 / (1 + exp(-f(X))). With more classes, there is one equation for each class against the others, and the
    probabilities are scaled to a sum of 1.

    The parameters are those of `DDSRRegressor` except `loss`, which is always "logistic", and `y_units`. So
    are the attributes; with more than two classes, those from `equations_` to `noise_` are lists with one
    item per class, in the order of `classes_`.

    Attributes
    ----------
    classes_ : array
        The classes, sorted.
    """

    loss = "logistic"
    y_units = ""  # log-odds are numbers

    def __init__(
        self,
        preset: str = "ddsr",
        *,
        max_time: float | None = None,
        max_epochs: int | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        device: str = "auto",
        operators: Sequence[str | OwnOperator] | None = None,
        template: str | None = None,
        rules: RulesLike = (),
        config: ConfigLike = None,
        prior: PriorLike = "default",
        model_selection: str | None = None,
        guesses: Sequence[str] | Sequence[Sequence[str]] = (),
        warm_start: bool = False,
        contributors: Sequence[Given] = (),
        callback: Callable[[SearchState], object] | None = None,
        verbose: int = 0,
        missing: str = "error",
        categories: str = "error",
        dates: str = "error",
        stop_at: str | None = None,
        round_constants: bool = True,
        units: Mapping[str, str] | str | None = None,
        unit_constants: int = 0,
        constants: ConstantsLike = (),
    ) -> None:
        self.preset = preset
        self.max_time = max_time
        self.max_epochs = max_epochs
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.device = device
        self.operators = operators
        self.template = template
        self.rules = rules
        self.config = config
        self.prior = prior
        self.model_selection = model_selection
        self.guesses = guesses
        self.warm_start = warm_start
        self.contributors = contributors
        self.callback = callback
        self.verbose = verbose
        self.missing = missing
        self.categories = categories
        self.dates = dates
        self.stop_at = stop_at
        self.round_constants = round_constants
        self.units = units
        self.unit_constants = unit_constants
        self.constants = constants

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
    ) -> DDSRClassifier:
        """Search for equations that separate the classes in y; see `DDSRRegressor.fit`."""
        if y is None:
            raise DataError("fit requires y to be passed, but the target y is None")
        labels = column_or_1d(
            check_array(y, ensure_2d=False, dtype=None, input_name="y", ensure_min_samples=0), warn=True
        )
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if _n_counted(codes, sample_weight) < 2:
            raise DataError(
                f"y has only one class, {self.classes_.tolist()}: at least two classes are needed"
            )
        if len(self.classes_) == 2:
            columns: Any = pd.Series(codes.astype(np.float64), name=str(self.classes_[1]))
        else:
            members = codes[:, None] == np.arange(len(self.classes_))
            columns = pd.DataFrame(members.astype(np.float64), columns=[str(each) for each in self.classes_])
        return self._fit(X, columns, RowWeights(sample_weight, counts))

    def decision_function(self, X: ArrayLike, index: Index = None) -> NDArray[np.float64]:
        """Return the log-odds of the second of two classes, or a column with those of each class."""
        return super().predict(X, index)

    def predict_proba(self, X: ArrayLike, index: Index = None) -> NDArray[np.float64]:
        """Return one column of probabilities per class; an undefined equation counts as even odds."""
        from scipy.special import expit

        chances = expit(np.nan_to_num(super().predict(X, index), nan=0.0))
        if chances.ndim == 1:
            return np.column_stack([1.0 - chances, chances])
        total = np.maximum(chances.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        return np.asarray(chances / total)

    def predict(self, X: ArrayLike, index: Index = None) -> NDArray[Any]:
        """Predict the most probable class of each row."""
        chosen = np.argmax(self.predict_proba(X, index), axis=1)
        return np.asarray(self.classes_[chosen])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


def _n_counted(codes: NDArray[np.intp], sample_weight: ArrayLike | None) -> int:
    """Return the number of classes that have a row with weight."""
    weights = check_weights(sample_weight, len(codes))
    return len(np.unique(codes if weights is None else codes[weights > 0.0]))
