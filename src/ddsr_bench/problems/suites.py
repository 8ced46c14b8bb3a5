"""The problems: equations to be found again, and data whose equation nobody knows.

A suite of equations is a table with the columns name, formula, ranges and n: `ranges` reads
`x:1:5;y:-2:2`, and n rows are drawn uniformly in them. The 119 Feynman equations (Udrescu & Tegmark 2020),
the 14 of Strogatz (La Cava et al. 2016) and Nguyen-1 to -12 (Uy et al. 2011) lie beside this module, and so
do the names of SRBench's black box: the sets of the package pmlb without an equation.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import BenchError
from ddsr_bench.problems.equations import COLUMNS, FEWEST_ROWS, read_equations
from ddsr_bench.problems.tabular import read_columns, read_header, read_text

SUITES = {
    "feynman": ("feynman",),
    "strogatz": ("strogatz",),
    "nguyen": ("nguyen",),
    "ground-truth": ("feynman", "strogatz"),
}
BLACK_BOX = "black-box"


@dataclass(frozen=True)
class BenchmarkProblem:
    """An equation to be found again, or a table to be described."""

    name: str
    formula: str | None
    """None where nobody knows it; then nothing can be solved"""
    variables: tuple[str, ...]
    ranges: tuple[tuple[float, float], ...]
    """lowest and highest value of each variable; empty where the formula is not known"""
    n_rows: int
    source: Literal["uniform", "pmlb", "file"] = "uniform"
    """drawn in the ranges, kept by the package pmlb, or the user's own file"""
    path: str | None = None
    """of the user's own file"""
    is_standardised: bool = False
    """whether features and target get mean 0 and variance 1, as SRBench has it in the black box"""


def load_suite(name: str) -> tuple[BenchmarkProblem, ...]:
    """A suite by its name; or a table of formulas, or of data, by its path."""
    if name == BLACK_BOX:
        return _black_box()
    if name in SUITES:
        return tuple(problem for table in SUITES[name] for problem in _shipped(table))
    path = Path(name)
    if path.is_file():
        if {"formula", "ranges"} & set(read_header(path)):
            return _equations(read_text(path), str(path), is_tried=True)
        return (_own_data(path),)
    known, columns = ", ".join((*SUITES, BLACK_BOX)), ",".join(COLUMNS)
    raise BenchError(
        f"unknown suite {name!r}: known are {known}, or the path to a CSV file of formulas "
        f"(columns {columns}) or of data"
    )


def load_suites(names: Sequence[str]) -> tuple[BenchmarkProblem, ...]:
    """Several suites as one; a problem that stands in two of them counts once."""
    found: dict[str, BenchmarkProblem] = {}
    for problem in (problem for name in dict.fromkeys(names) for problem in load_suite(name)):
        if found.setdefault(problem.name, problem) != problem:
            raise BenchError(
                f"{problem.name} stands for different problems in {', '.join(names)}: rename one of them or "
                "run the suites in separate stores"
            )
    return tuple(found.values())


def sample_rows(problem: BenchmarkProblem, n_rows: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Rows drawn uniformly in the ranges: (n_rows, n_variables)."""
    low, high = np.array(problem.ranges).T
    return rng.uniform(low, high, size=(n_rows, len(low)))


def _shipped_text(table: str) -> str:
    return files("ddsr_bench").joinpath("tables", f"{table}.csv").read_text(encoding="utf-8")


def _shipped(table: str) -> tuple[BenchmarkProblem, ...]:
    return _equations(_shipped_text(table), table, "pmlb" if table == "strogatz" else "uniform")


def _black_box() -> tuple[BenchmarkProblem, ...]:
    """SRBench's sets without an equation; their columns, many of which are no names, become x0, x1, …"""
    return tuple(
        BenchmarkProblem(
            row["name"],
            formula=None,
            variables=tuple(f"x{column}" for column in range(int(row["n_features"]))),
            ranges=(),
            n_rows=int(row["n_rows"]),
            source="pmlb",
            is_standardised=True,
        )
        for row in csv.DictReader(StringIO(_shipped_text("blackbox")))
    )


def _own_data(path: Path) -> BenchmarkProblem:
    """A user's file, read once now: what is wrong with it is said before any run."""
    X, _ = read_columns(path)
    if len(X) < FEWEST_ROWS:
        raise BenchError(f"{path} has {len(X)} rows, but training and test together need {FEWEST_ROWS}")
    name = path.name.removesuffix(".gz").rpartition(".")[0]
    return BenchmarkProblem(name, None, tuple(X.columns), (), len(X), source="file", path=str(path.resolve()))


def _equations(
    text: str, origin: str, source: Literal["uniform", "pmlb"] = "uniform", is_tried: bool = False
) -> tuple[BenchmarkProblem, ...]:
    return tuple(
        BenchmarkProblem(found.name, found.formula, found.variables, found.ranges, found.n_rows, source)
        for found in read_equations(text, origin, is_tried)
    )
