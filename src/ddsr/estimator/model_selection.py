"""Ways to choose the equation for predictions from a front."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ddsr.config import SearchConfig
from ddsr.errors import MethodError, did_you_mean
from ddsr.search.front import FrontEntry, ParetoFront


@dataclass(frozen=True)
class Selection:
    """A way to choose the equation for predictions."""

    choose: Callable[[ParetoFront, int], FrontEntry]
    """function that chooses from a front, given the number of rows"""
    shortens: bool = False
    """whether equations are simplified first (docs/selection.md)"""


SELECTIONS: dict[str, Selection] = {
    "accuracy": Selection(lambda front, n_rows: front.most_accurate()),
    "best": Selection(lambda front, n_rows: front.best(n_rows)),
    "description_length": Selection(lambda front, n_rows: front.best(n_rows), shortens=True),
}


def find_selection(name: str | None, config: SearchConfig) -> Selection:
    """Return the selection of this name, or the preset's default."""
    name = config.model_selection if name is None else name
    if name not in SELECTIONS:
        hint = did_you_mean(name, SELECTIONS)
        raise MethodError(f"unknown model_selection {name!r}{hint}; choose from: {', '.join(SELECTIONS)}")
    return SELECTIONS[name]
