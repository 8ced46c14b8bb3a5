"""The estimator: fits within a budget, and the methods of a fitted model."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ddsr.estimator.classifier import DDSRClassifier
    from ddsr.estimator.regressor import DDSRRegressor

__all__ = ["DDSRClassifier", "DDSRRegressor"]


def __getattr__(name: str) -> object:
    # Imported only on access: the other files of this folder do without scikit-learn.
    if name == "DDSRClassifier":
        from ddsr.estimator.classifier import DDSRClassifier

        return DDSRClassifier
    if name == "DDSRRegressor":
        from ddsr.estimator.regressor import DDSRRegressor

        return DDSRRegressor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
