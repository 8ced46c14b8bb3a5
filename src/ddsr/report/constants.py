"""The constants of the chosen equation with their intervals, if the model has them."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import pandas as pd

from ddsr.errors import DDSRError
from ddsr.report.equations import number_text
from ddsr.report.model import FittedModel

PRECISION = 6


class Constants(NamedTuple):
    """The cells of the table as text, and the equation with the names of its constants."""

    equation: str
    rows: list[list[str]]
    """name, value, standard error, low and high"""


def constants_of(model: FittedModel) -> Constants | None:
    """Return the constants; None if the model has no intervals or its equation no constants."""
    intervals_of = getattr(model, "confidence_intervals", None)
    if intervals_of is None:
        return None
    try:
        table: pd.DataFrame = intervals_of()
    except DDSRError:  # they were not measured
        return None
    if not len(table):
        return None
    rows = [
        [str(name), _text(row["value"]), *_interval(row)]
        for name, row in zip(table.index, table.to_dict("records"), strict=True)
    ]
    return Constants(str(table.attrs.get("equation", "")), rows)


def _interval(row: dict[str, float]) -> list[str]:
    if row["is_exact"]:
        return ["fixed", "", ""]
    if not isfinite(row["standard_error"]):
        return ["unknown", "", ""]
    return [_text(row["standard_error"], 2), _text(row["low"]), _text(row["high"])]


def _text(value: float, precision: int = PRECISION) -> str:
    return number_text(float(value), precision)
