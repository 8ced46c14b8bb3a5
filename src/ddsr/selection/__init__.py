from ddsr.selection.baseline import baseline
from ddsr.selection.description import FEW_ROWS, DescriptionLength
from ddsr.selection.exceptions import exceptional_rows
from ddsr.selection.front import (
    FrontEntry,
    ParetoFront,
    entries_of,
    information_of,
    restored_entries,
    saved_entries,
)
from ddsr.selection.judged import Selected
from ddsr.selection.lister import Lister
from ddsr.selection.many_rows import select_on_some, some_of
from ddsr.selection.rational import load_algebra
from ddsr.selection.refitting import refitted, seconds_to_refit
from ddsr.selection.selector import front_of, select

__all__ = [
    "FEW_ROWS",
    "DescriptionLength",
    "FrontEntry",
    "Lister",
    "ParetoFront",
    "Selected",
    "baseline",
    "entries_of",
    "exceptional_rows",
    "front_of",
    "information_of",
    "load_algebra",
    "refitted",
    "restored_entries",
    "saved_entries",
    "seconds_to_refit",
    "select",
    "select_on_some",
    "some_of",
]
