"""Symmetries of approximations of the target, and searches in fewer inputs."""

from ddsr.search.contributors.symmetry.detection import find_reduction
from ddsr.search.contributors.symmetry.reduced_search import ReducedSearch
from ddsr.search.contributors.symmetry.reduction import Reduction
from ddsr.search.contributors.symmetry.slopes import Slopes, slopes_of

__all__ = ["ReducedSearch", "Reduction", "Slopes", "find_reduction", "slopes_of"]
