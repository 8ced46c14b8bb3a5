"""What others published of SRBench's problems: small tables that benchmarks/published.py made."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, TypeVar

Source = Literal["SRBench", "paper"]
"""SRBench's result files (130 problems), or the tables of the DDSR paper (133)"""
SAME_AS_SRBENCHS_DSR = "DSR-W/OC"
"""the paper's name for it"""


class PublishedRates(NamedTuple):
    """A method at a noise level; None where the source says nothing."""

    source: Source
    method: str
    noise: float
    problems: int
    symbolic_rate: float
    accuracy_rate: float
    complexity_median: float | None
    complexity_mean: float | None
    time_median_s: float | None
    time_mean_s: float | None


class PublishedFit(NamedTuple):
    """A method on the black-box sets."""

    source: Source
    method: str
    problems: int
    r2_mean: float
    r2_median: float | None
    size_mean: float
    time_median_s: float | None
    time_mean_s: float | None


Published = TypeVar("Published", PublishedRates, PublishedFit)


@cache
def published_rates() -> tuple[PublishedRates, ...]:
    """Ground truth, by source, method and noise level."""
    return tuple(PublishedRates(**row) for row in _read("published.csv"))


@cache
def published_fits() -> tuple[PublishedFit, ...]:
    """Black box, by source and method."""
    return tuple(PublishedFit(**row) for row in _read("published_blackbox.csv"))


def drawn_once(rows: Iterable[Published]) -> list[Published]:
    """SRBench's methods, and those that only the paper has: what figures show."""
    rows = list(rows)
    known = {row.method for row in rows if row.source == "SRBench"} | {SAME_AS_SRBENCHS_DSR}
    return [row for row in rows if row.source == "SRBench" or row.method not in known]


def figure_name(row: PublishedRates | PublishedFit) -> str:
    """The method, with its source where it is the paper."""
    return f"{row.method} (paper)" if row.source == "paper" else row.method


def _read(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a table; an empty cell is None."""
    text = files("ddsr_bench").joinpath("tables", name).read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        yield {key: _value(key, cell) for key, cell in row.items()}


def _value(key: str, cell: str) -> str | float | None:
    if key in ("source", "method"):
        return cell
    if not cell:
        return None
    return int(cell) if key == "problems" else float(cell)
