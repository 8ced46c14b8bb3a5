"""Finds the equation behind data: symbolic regression by evolution and masked discrete diffusion."""

import importlib
import typing

if typing.TYPE_CHECKING:
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
    from ddsr.estimator.classifier import DDSRClassifier
    from ddsr.estimator.regressor import DDSRRegressor
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


# The module of each name, imported when one of its names is asked for: NumPy and scikit-learn would slow
# every `ddsr --help`.
_MODULES = {
    "ddsr.engine": ("Engine", "FitOptions", "FitStatus", "Scores"),
    "ddsr.errors": (
        "DDSRError",
        "DataError",
        "ExpressionError",
        "GrammarError",
        "MethodError",
        "RunError",
        "VocabularyError",
    ),
    "ddsr.estimator.classifier": ("DDSRClassifier",),
    "ddsr.estimator.regressor": ("DDSRRegressor",),
    "ddsr.expression": ("Batch", "CustomOperator", "Expression", "Vocabulary"),
    "ddsr.grammar": (
        "AtMost",
        "Concave",
        "ConstantRange",
        "Convex",
        "Decreasing",
        "Exponents",
        "Forbid",
        "Grammar",
        "Increasing",
        "MaxDepth",
        "MustAppear",
        "Nesting",
        "NoOffset",
        "OperandSize",
        "Symmetric",
        "ValueRange",
        "ZeroAt",
    ),
    "ddsr.runs": ("RunFolder",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
_SUBMODULES = ("data", "engine", "errors", "expression", "grammar")  # `import ddsr` alone reaches them


def __getattr__(name: str) -> object:
    if name == "__version__":
        from ddsr.storage.version import ddsr_version

        return ddsr_version()
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    except AttributeError as error:  # in another package; Python would only say that there is no such name
        raise ImportError(f"{name} cannot be imported: {error}") from error
    globals()[name] = value  # so that this function is called once for each name
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
