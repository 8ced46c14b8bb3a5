"""How the equation that predicts is chosen from a front."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ddsr.config import SearchConfig
from ddsr.errors import MethodError
from ddsr.selection import FrontEntry, ParetoFront


@dataclass(frozen=True)
class Selection:
    """How the equation that predicts is chosen."""

    choose: Callable[[ParetoFront, int], FrontEntry]
    """from a front, given the number of rows"""
    shortens: bool = False
    """whether the equations are made shorter first (docs/selection.md)"""


SELECTIONS: dict[str, Selection] = {
    "accuracy": Selection(lambda front, n_rows: front.most_accurate()),
    "best": Selection(lambda front, n_rows: front.best(n_rows)),
    "description_length": Selection(lambda front, n_rows: front.best(n_rows), shortens=True),
}


def find_selection(name: str | None, config: SearchConfig) -> Selection:
    """The selection of that name, or the preset's own."""
    name = config.model_selection if name is None else name
    if name not in SELECTIONS:
        raise MethodError(f"unknown model_selection {name!r}; known are: {', '.join(SELECTIONS)}")
    return SELECTIONS[name]
