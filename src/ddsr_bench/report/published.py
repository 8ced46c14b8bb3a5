"""Published results on SRBench's problems: small tables that benchmarks/published.py made."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, TypeVar

Source = Literal["SRBench", "paper"]
"""SRBench's result files (130 problems), or the tables of the DDSR paper (133)"""
SRBENCHS_DSR = "DSR-W/OC"
"""names in the paper of methods that are also in SRBench"""


class PublishedRates(NamedTuple):
    """Rates of a method at a noise level; None if the source does not have them."""

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
    """Results of a method on the black-box data sets."""

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
    """Return the results on the ground truth, by source, method and noise level."""
    return tuple(PublishedRates(*row) for row in _read("published.csv"))


@cache
def published_fits() -> tuple[PublishedFit, ...]:
    """Return the results on the black box, by source and method."""
    return tuple(PublishedFit(*row) for row in _read("published_blackbox.csv"))


def drawn_once(rows: Iterable[Published]) -> list[Published]:
    """Return the rows that figures show: those of SRBench, and of methods that only the paper has."""
    rows = list(rows)
    known = {row.method for row in rows if row.source == "SRBench"} | {SRBENCHS_DSR}
    return [row for row in rows if row.source == "SRBench" or row.method not in known]


def figure_name(row: PublishedRates | PublishedFit) -> str:
    """Return the method, with its source if that is the paper."""
    return f"{row.method} (paper)" if row.source == "paper" else row.method


def _read(name: str) -> list[list[Any]]:
    """Read the rows of a table, with None for empty cells."""
    import pandas

    with files("ddsr_bench").joinpath("tables", name).open() as file:
        table = pandas.read_csv(file)
    rows: list[list[Any]] = table.astype(object).where(table.notna(), None).to_numpy().tolist()
    return rows
