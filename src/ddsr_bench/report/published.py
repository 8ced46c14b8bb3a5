"""What others published of SRBench's problems: small tables that benchmarks/published.py made."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

Source = Literal["SRBench", "paper"]
"""SRBench's result files (130 problems), or the tables of the DDSR paper (133)"""


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


@cache
def published_rates() -> tuple[PublishedRates, ...]:
    """Ground truth, by source, method and noise level."""
    return tuple(
        PublishedRates(
            source="SRBench" if row["source"] == "SRBench" else "paper",
            method=row["method"],
            noise=float(row["noise"]),
            problems=int(row["problems"]),
            symbolic_rate=float(row["symbolic_rate"]),
            accuracy_rate=float(row["accuracy_rate"]),
            complexity_median=_number(row["complexity_median"]),
            complexity_mean=_number(row["complexity_mean"]),
            time_median_s=_number(row["time_median_s"]),
            time_mean_s=_number(row["time_mean_s"]),
        )
        for row in _read("published.csv")
    )


@cache
def published_fits() -> tuple[PublishedFit, ...]:
    """Black box, by source and method."""
    return tuple(
        PublishedFit(
            source="SRBench" if row["source"] == "SRBench" else "paper",
            method=row["method"],
            problems=int(row["problems"]),
            r2_mean=float(row["r2_mean"]),
            r2_median=_number(row["r2_median"]),
            size_mean=float(row["size_mean"]),
            time_median_s=_number(row["time_median_s"]),
            time_mean_s=_number(row["time_mean_s"]),
        )
        for row in _read("published_blackbox.csv")
    )


def _read(name: str) -> list[dict[str, str]]:
    text = files("ddsr_bench").joinpath("tables", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _number(cell: str) -> float | None:
    return float(cell) if cell else None
