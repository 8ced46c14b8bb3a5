"""Finds the equation behind data: symbolic regression by masked discrete diffusion."""

from ddsr.engine import Engine, FitOptions, FitStatus, Scores
from ddsr.errors import DataError, DDSRError, ExpressionError, GrammarError, VocabularyError
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.grammar import AtMost, Forbid, Grammar, MustAppear, Nesting

__version__: str
__all__ = [
    "AtMost",
    "Batch",
    "DDSRError",
    "DataError",
    "Engine",
    "Expression",
    "ExpressionError",
    "FitOptions",
    "FitStatus",
    "Forbid",
    "Grammar",
    "GrammarError",
    "MustAppear",
    "Nesting",
    "Scores",
    "Vocabulary",
    "VocabularyError",
    "__version__",
]


def __getattr__(name: str) -> str:
    # Only when it is asked for: looking up a package's metadata would slow every import.
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("ddsr")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0+unknown"
