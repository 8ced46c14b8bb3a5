from ddsr.selection.baseline import baseline
from ddsr.selection.front import FrontEntry, ParetoFront

__all__ = ["FrontEntry", "ParetoFront", "baseline"]
