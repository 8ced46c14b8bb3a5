"""Finds the equation behind data: symbolic regression by evolution and masked discrete diffusion."""

import typing

from ddsr.engine import Engine, FitOptions, FitStatus, Scores
from ddsr.errors import (
    DataError,
    DDSRError,
    ExpressionError,
    GrammarError,
    MethodError,
    RunError,
    VocabularyError,
)
from ddsr.expression import Batch, CustomOperator, Expression, Vocabulary
from ddsr.grammar import (
    AtMost,
    Concave,
    ConstantRange,
    Convex,
    Decreasing,
    Exponents,
    Forbid,
    Grammar,
    Increasing,
    MaxDepth,
    MustAppear,
    Nesting,
    NoOffset,
    OperandSize,
    Symmetric,
    ValueRange,
    ZeroAt,
)

if typing.TYPE_CHECKING:
    from ddsr.estimator.classifier import DDSRClassifier
    from ddsr.estimator.regressor import DDSRRegressor
    from ddsr.runs import RunFolder

__version__: str
__all__ = [
    "AtMost",
    "Batch",
    "Concave",
    "ConstantRange",
    "Convex",
    "CustomOperator",
    "DDSRClassifier",
    "DDSRError",
    "DDSRRegressor",
    "DataError",
    "Decreasing",
    "Engine",
    "Exponents",
    "Expression",
    "ExpressionError",
    "FitOptions",
    "FitStatus",
    "Forbid",
    "Grammar",
    "GrammarError",
    "Increasing",
    "MaxDepth",
    "MethodError",
    "MustAppear",
    "Nesting",
    "NoOffset",
    "OperandSize",
    "RunError",
    "RunFolder",
    "Scores",
    "Symmetric",
    "ValueRange",
    "Vocabulary",
    "VocabularyError",
    "ZeroAt",
    "__version__",
]


def __getattr__(name: str) -> object:
    # Only when they are asked for: scikit-learn and a package's metadata would slow every import.
    if name == "DDSRClassifier":
        from ddsr.estimator.classifier import DDSRClassifier

        return DDSRClassifier
    if name == "DDSRRegressor":
        from ddsr.estimator.regressor import DDSRRegressor

        return DDSRRegressor
    if name == "RunFolder":
        from ddsr.runs import RunFolder

        return RunFolder
    if name == "__version__":
        from ddsr.storage.version import ddsr_version

        return ddsr_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
