"""The constants of the chosen equation with their intervals, where the model knows them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ddsr.report.equations import number_text
from ddsr.report.model import FittedModel


class Table(NamedTuple):
    """Cells as text."""

    header: list[str]
    rows: list[list[str]]


def constants_table(model: FittedModel) -> Table | None:
    """None where the model has no intervals, or its equation no constants."""
    intervals_of = getattr(model, "confidence_intervals", None)
    if intervals_of is None:
        return None
    return None


def _cell(value: Any) -> str:
    return number_text(float(value), 6)
