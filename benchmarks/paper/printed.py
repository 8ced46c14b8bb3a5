"""What the paper prints: its tables, and the figures that its text states."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from benchmarks.paper.runs import DSR, DSR_WITHOUT, OURS
from ddsr.config import PaperConfig
from ddsr.expression.operators import OPERATORS
from ddsr_bench.report.published import PublishedFit, PublishedRates, published_fits, published_rates

TABLES = Path(__file__).resolve().parent
DDSR = "DDSR"
COUNTERPARTS = {DDSR: OURS, "DSR-W/C": DSR, "DSR-W/OC": DSR_WITHOUT}
"""methods of the paper that ddsr has, with their names here"""
MOST_COMPARABLE = ("DDSR", "DSR-W/C", "DSR-W/OC", "GP-GOMEA", "TPSR")
"""the rows of the paper's first table"""
EPOCHS_FASTER = 30
"""epochs by which GRPO converges faster than RSPG on average"""
CURVES = ("feynman_II_6_11", "strogatz_predprey2", "feynman_test_3")
"""problems of the figure with three learning curves, in its order"""
N_GRID = 20
"""problems of the figure with a grid of learning curves; the paper does not name them"""


class Ablation(NamedTuple):
    """A part of DDSR, and how many points of accuracy it is worth: DDSR minus the variant without it."""

    method: str
    part: str
    replaced_by: str
    points: dict[str, float]
    """by group of problems"""


class Hyperparameter(NamedTuple):
    """A row of the table of hyperparameters."""

    name: str
    printed: str
    here: str


@cache
def rates() -> dict[str, dict[float, PublishedRates]]:
    """Return the table of all methods on the ground truth, by method and noise level."""
    found: dict[str, dict[float, PublishedRates]] = {}
    for row in published_rates():
        if row.source == "paper":
            found.setdefault(row.method, {})[row.noise] = row
    return found


@cache
def fits() -> tuple[PublishedFit, ...]:
    """Return the table of all methods on the black box."""
    return tuple(row for row in published_fits() if row.source == "paper")


def ablations() -> list[Ablation]:
    """Return the differences in accuracy that the text states. The figure itself has no printed numbers."""
    return [
        Ablation(
            row["method"],
            row["part"],
            row["replaced_by"],
            {"Feynman": float(row["feynman"]), "Strogatz": float(row["strogatz"])},
        )
        for row in _read("ablations.csv")
    ]


def hyperparameters(config: PaperConfig) -> list[Hyperparameter]:
    """Return the table of hyperparameters beside those of a configuration."""
    return [
        Hyperparameter(row["name"], row["printed"], _setting(config, row["setting"]))
        for row in _read("hyperparameters.csv")
    ]


def _setting(config: PaperConfig, name: str) -> str:
    if name in WORDED:
        return WORDED[name](config)
    return f"{attrgetter(name)(config):,}"


def _operators(config: PaperConfig, arity: int) -> str:
    return ", ".join(
        OPERATORS[name].symbol or name for name in config.operators if OPERATORS[name].arity == arity
    )


WORDED: dict[str, Callable[[PaperConfig], str]] = {
    "leaves": lambda config: "1, constant token, variables" if config.constants else "1, variables",
    "unary": lambda config: _operators(config, 1),
    "binary": lambda config: _operators(config, 2),
    "elite_fraction": lambda config: f"{100 * config.elite_fraction:g} %",
    "optimizer": lambda config: "Adam",
}
"""settings that are not written as a number"""


def _read(name: str) -> list[dict[str, str]]:
    with (TABLES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
