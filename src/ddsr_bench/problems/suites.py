"""Problems and suites of problems.

A suite is a CSV table with the columns name, formula, ranges and n. `ranges` has the form `x:1:5;y:-2:2`; n
rows are drawn from it uniformly, or along the trajectories of an optional column `flow`. ddsr ships the 119
Feynman equations (Udrescu & Tegmark 2020), the 14 of Strogatz (La Cava et al. 2016), Nguyen-1 to -12 (Uy et
al. 2011), and the names of SRBench's black-box problems: the data sets of the package pmlb that have no
equation.
"""

from __future__ import annotations

import csv
import keyword
import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import BenchError, did_you_mean
from ddsr_bench.problems.flow import Flow, read_flow, trajectories, variables_in
from ddsr_bench.problems.formula import evaluate_formula
from ddsr_bench.problems.tabular import read_columns, read_header, read_text

SUITES = {
    "feynman": ("feynman",),
    "strogatz": ("strogatz",),
    "nguyen": ("nguyen",),
    "ground-truth": ("feynman", "strogatz"),
}
BLACK_BOX = "black-box"
COLUMNS = ("name", "formula", "ranges", "n")
FLOW = "flow"
"""optional column: the derivatives of the states"""
MIN_ROWS = 4
"""three rows for training and one for the test"""
N_CHECKED = 1_000
"""number of rows on which a user's formula is checked"""
N_CHECKED_TRAJECTORIES = 50

Source = Literal["uniform", "pmlb", "file"]
Ranges = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class BenchmarkProblem:
    """An equation to recover, or a data set without a known equation."""

    name: str
    formula: str | None
    """None if the equation is unknown; then the problem has no solution rate"""
    variables: tuple[str, ...]
    ranges: Ranges
    """lowest and highest value of each variable, at the start of a flow; empty if the equation is unknown"""
    n_rows: int
    source: Source = "uniform"
    """drawn from the ranges or along a flow, a data set of the package pmlb, or a user's file"""
    path: str | None = None
    """path of the user's file"""
    is_standardised: bool = False
    """whether features and target are scaled to mean 0 and variance 1, as for SRBench's black-box problems"""
    units: tuple[str, ...] = ()
    """unit of each variable, which methods get; empty: none"""
    target_unit: str = ""
    flow: Flow | None = None
    """the system whose states are the rows; None if rows are drawn from the ranges"""

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> BenchmarkProblem:
        """Read a problem from JSON, where tuples are lists."""
        ranges = tuple((low, high) for low, high in fields["ranges"])
        lists: dict[str, Any] = {
            name: tuple(fields[name]) for name in ("variables", "units") if name in fields
        }
        flow = Flow.from_json(fields["flow"]) if fields.get("flow") else None
        return cls(**{**fields, **lists, "ranges": ranges, "flow": flow})


def load_suite(name: str, is_checked: bool = True) -> tuple[BenchmarkProblem, ...]:
    """Return the problems of a suite, or of a CSV file of formulas or data.

    With `is_checked`, the formulas of a file are also parsed and evaluated, which imports SymPy.
    """
    if name == BLACK_BOX:
        return _black_box()
    if name in SUITES:
        return tuple(problem for table in SUITES[name] for problem in _shipped(table))
    path = Path(name)
    if path.is_file():
        if {"formula", "ranges"} & set(read_header(path)):
            return _read_equations(read_text(path), str(path), is_checked=is_checked)
        return (_own_data(path),)
    known, columns = (*SUITES, BLACK_BOX), ",".join(COLUMNS)
    raise BenchError(
        f"unknown suite {name!r}{did_you_mean(name, known)}; choose from: {', '.join(known)}, "
        f"or the path to a CSV file of formulas (columns {columns}) or of data"
    )


def load_suites(names: Sequence[str]) -> tuple[BenchmarkProblem, ...]:
    """Return the problems of several suites, each problem once."""
    found: dict[str, BenchmarkProblem] = {}
    for problem in (problem for name in dict.fromkeys(names) for problem in load_suite(name)):
        if found.setdefault(problem.name, problem) != problem:
            raise BenchError(
                f"{problem.name} stands for different problems in {', '.join(names)}: rename one of them or "
                "run the suites in separate stores"
            )
    return tuple(found.values())


def sample_rows(problem: BenchmarkProblem, n_rows: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw rows (n_rows, n_variables) uniformly from the ranges, or along trajectories with random starts."""
    if problem.flow is not None:
        return _columns_of(problem, trajectories(problem.flow, n_rows, rng))
    low, high = np.array(problem.ranges).T
    return rng.uniform(low, high, size=(n_rows, len(low)))


def positive_variables(problem: BenchmarkProblem) -> frozenset[str]:
    """Return the variables that are positive in all rows."""
    if problem.flow is None:
        return frozenset(
            name for name, (low, _) in zip(problem.variables, problem.ranges, strict=True) if low > 0
        )
    lowest = _checked_rows(problem).min(axis=0)
    return frozenset(name for name, low in zip(problem.variables, lowest, strict=True) if low > 0)


def _columns_of(problem: BenchmarkProblem, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    assert problem.flow is not None
    return rows[:, [problem.flow.variables.index(name) for name in problem.variables]]


def _checked_rows(problem: BenchmarkProblem) -> NDArray[np.float64]:
    """Return the rows on which a problem is checked, along more trajectories than a trial has."""
    rng = np.random.default_rng(0)
    if problem.flow is None:
        return sample_rows(problem, N_CHECKED, rng)
    return _columns_of(problem, trajectories(problem.flow, N_CHECKED, rng, N_CHECKED_TRAJECTORIES))


def _shipped_text(table: str) -> str:
    return files("ddsr_bench").joinpath("tables", f"{table}.csv").read_text(encoding="utf-8")


def _shipped(table: str) -> tuple[BenchmarkProblem, ...]:
    return _read_equations(_shipped_text(table), table, "pmlb" if table == "strogatz" else "uniform")


def _black_box() -> tuple[BenchmarkProblem, ...]:
    """Return SRBench's black-box problems; columns are renamed x0, x1, …, since many names are not valid."""
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
    """Read a user's file early, so that errors in it appear before any run."""
    X, _ = read_columns(path)
    if len(X) < MIN_ROWS:
        raise BenchError(f"{path} has {len(X)} rows, but training and test together need {MIN_ROWS}")
    name = path.name.removesuffix(".gz").rpartition(".")[0]
    return BenchmarkProblem(name, None, tuple(X.columns), (), len(X), source="file", path=str(path.resolve()))


def _read_equations(
    text: str, origin: str, source: Source = "uniform", is_checked: bool = False
) -> tuple[BenchmarkProblem, ...]:
    """Read a table of equations, and report all errors with their lines.

    With `is_checked`, each formula is also parsed and evaluated, which imports SymPy.
    """
    reader = csv.DictReader(StringIO(text), skipinitialspace=True)
    reader.fieldnames = [name.strip() for name in reader.fieldnames or ()]
    missing = [column for column in COLUMNS if column not in reader.fieldnames]
    if missing:
        raise BenchError(f"{origin}: no column {', '.join(missing)}; a suite has {','.join(COLUMNS)}")
    found: list[BenchmarkProblem] = []
    faults: list[str] = []
    lines: dict[str, int] = {}
    for row in reader:
        name = (row["name"] or "").strip()
        first_line = lines.setdefault(name, reader.line_num)
        try:
            problem = _read_line(name, row, source)
            if is_checked:
                _check_formula(problem)
            found.append(problem)
        except BenchError as error:
            faults.append(f"line {reader.line_num}: {name + ': ' if name else ''}{error}")
        if name and first_line != reader.line_num:
            faults.append(f"line {reader.line_num}: {name} appears twice, first in line {first_line}")
    if faults:
        raise BenchError("\n  ".join([f"cannot use {origin}:", *faults]))
    if not found:
        raise BenchError(f"{origin}: no problems")
    return tuple(found)


def _read_line(name: str, row: dict[str, str], source: Source) -> BenchmarkProblem:
    if None in row:  # csv puts cells without a column under None
        raise BenchError('more cells than columns: put a formula with a comma in "double quotes"')
    if not name:
        raise BenchError("the row has no name")
    variables, ranges = _read_ranges(row["ranges"] or "")
    n_rows = row["n"] or ""
    if not n_rows.strip().isdecimal():
        raise BenchError(f"n must be a whole number of rows, not {n_rows!r}")
    if int(n_rows) < MIN_ROWS:
        raise BenchError(f"n is {int(n_rows)}, but training and test together need at least {MIN_ROWS} rows")
    formula = (row["formula"] or "").strip()
    if not formula:
        raise BenchError("the row has no formula")
    flow = None
    if (row.get(FLOW) or "").strip():
        flow = read_flow(row[FLOW], formula, variables, ranges)
        used = variables_in(formula, variables)
        ranges = tuple(ranges[variables.index(name)] for name in used)
        variables = used
    return BenchmarkProblem(name, formula, variables, ranges, int(n_rows), source, flow=flow)


def _read_ranges(text: str) -> tuple[tuple[str, ...], Ranges]:
    parts = [part.split(":") for part in text.split(";")]
    try:
        ranges = tuple((float(low), float(high)) for _, low, high in parts)
    except ValueError:
        raise BenchError(f"ranges must have the form `x:1:5;y:-2:2`, not {text!r}") from None
    variables = tuple(part[0].strip() for part in parts)
    if not all(name.isidentifier() or keyword.iskeyword(name) for name in variables):
        raise BenchError(f"{', '.join(variables)} are not valid names of variables")
    if len(set(variables)) < len(variables):
        raise BenchError("a variable has two ranges")
    if not all(-math.inf < low < high < math.inf for low, high in ranges):
        raise BenchError(f"a range must go from a lower to a higher number, not {text!r}")
    return variables, ranges


def _check_formula(problem: BenchmarkProblem) -> None:
    """Evaluate a formula in its ranges, so that errors appear before any run."""
    formula = str(problem.formula)
    try:
        rows = _checked_rows(problem)
        y = evaluate_formula(formula, problem.variables, rows)
    except BenchError:
        raise
    except Exception as error:  # a function that NumPy lacks can raise anything
        raise BenchError(f"{formula!r} cannot be evaluated: {error}") from error
    if not np.isfinite(y).all():
        share = 1 - float(np.isfinite(y).mean())
        raise BenchError(
            f"{formula!r} is not finite everywhere in its ranges ({share:.1%} of the rows are not)"
        )
    if np.ptp(y) == 0:
        raise BenchError(f"{formula!r} is constant in its ranges")
