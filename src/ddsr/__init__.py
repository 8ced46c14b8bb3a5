"""Finds the equation behind data: symbolic regression by masked discrete diffusion."""

from ddsr.errors import DataError, DDSRError, ExpressionError, GrammarError, VocabularyError

__all__ = ["DDSRError", "DataError", "ExpressionError", "GrammarError", "VocabularyError"]
