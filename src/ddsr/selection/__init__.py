from ddsr.selection.baseline import baseline
from ddsr.selection.description import DescriptionLength, PlainLength, PreciseLength
from ddsr.selection.front import FrontEntry, ParetoFront
from ddsr.selection.selector import Selected, front_of, select

__all__ = [
    "DescriptionLength",
    "FrontEntry",
    "ParetoFront",
    "PlainLength",
    "PreciseLength",
    "Selected",
    "baseline",
    "front_of",
    "select",
]
