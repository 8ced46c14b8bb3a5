"""Symmetries of what imitates the target, and the search in fewer inputs that they leave."""

from ddsr.symmetry.detection import find_reduction
from ddsr.symmetry.reduced_search import ReducedSearch
from ddsr.symmetry.reduction import Reduction
from ddsr.symmetry.slopes import Slopes, slopes_of

__all__ = ["ReducedSearch", "Reduction", "Slopes", "find_reduction", "slopes_of"]
