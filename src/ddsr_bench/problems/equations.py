"""Tables of equations: name, formula, ranges, n. All that is wrong with one is said at once, by its lines."""

from __future__ import annotations

import csv
import keyword
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

import numpy as np

from ddsr.errors import BenchError
from ddsr_bench.problems.formula import evaluate_formula

COLUMNS = ("name", "formula", "ranges", "n")
FEWEST_ROWS = 4
"""a row at least to test on, and three to train on"""
N_TRIED = 1_000
"""rows on which a formula is tried"""

Ranges = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Equation:
    """A line of such a table."""

    name: str
    formula: str
    variables: tuple[str, ...]
    ranges: Ranges
    n_rows: int


def read_equations(text: str, origin: str, is_tried: bool) -> tuple[Equation, ...]:
    """The table's equations. `is_tried`: each formula is also read and computed, which imports SymPy."""
    reader = csv.DictReader(StringIO(text), skipinitialspace=True)
    reader.fieldnames = [name.strip() for name in reader.fieldnames or ()]
    missing = [column for column in COLUMNS if column not in reader.fieldnames]
    if missing:
        raise BenchError(f"{origin}: no column {', '.join(missing)}; a suite has {','.join(COLUMNS)}")
    found: list[Equation] = []
    faults: list[tuple[int, str]] = []
    lines: dict[str, list[int]] = defaultdict(list)
    for row in reader:
        name = (row["name"] or "").strip()
        lines[name].append(reader.line_num)
        try:
            equation = _read_line(name, row)
            if is_tried:
                _try(equation)
        except BenchError as error:
            faults.append((reader.line_num, f"{name}: {error}" if name else str(error)))
        else:
            found.append(equation)
    faults += _names_used_twice(lines)
    if faults:
        listed = "".join(f"\n  line {line}: {fault}" for line, fault in sorted(faults))
        raise BenchError(f"cannot use {origin}:{listed}")
    if not found:
        raise BenchError(f"{origin}: no problems")
    return tuple(found)


def _names_used_twice(lines: dict[str, list[int]]) -> Iterator[tuple[int, str]]:
    for name, places in lines.items():
        for line in places[1:] if name else ():
            yield line, f"{name} appears twice, first in line {places[0]}"


def _read_line(name: str, row: dict[str, str]) -> Equation:
    if None in row:  # where csv puts what has no column
        raise BenchError('more cells than columns: a formula with a comma stands in "double quotes"')
    if not name:
        raise BenchError("the row has no name")
    variables, ranges = _read_ranges(row["ranges"] or "")
    n_rows = row["n"] or ""
    if not n_rows.strip().isdecimal():
        raise BenchError(f"n must be a whole number of rows, not {n_rows!r}")
    if int(n_rows) < FEWEST_ROWS:
        raise BenchError(
            f"n is {int(n_rows)}, but training and test together need at least {FEWEST_ROWS} rows"
        )
    formula = (row["formula"] or "").strip()
    if not formula:
        raise BenchError("the row has no formula")
    return Equation(name, formula, variables, ranges, int(n_rows))


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


def _try(equation: Equation) -> None:
    """Read the formula, and compute it in its ranges: better now than as the reason of every run."""
    low, high = np.array(equation.ranges).T
    rows = np.random.default_rng(0).uniform(low, high, size=(N_TRIED, len(low)))
    try:
        y = evaluate_formula(equation.formula, equation.variables, rows)
    except BenchError:
        raise
    except Exception as error:  # a function that NumPy lacks, in whatever way it shows
        raise BenchError(f"{equation.formula!r} cannot be evaluated: {error}") from error
    if not np.isfinite(y).all():
        share = 1 - float(np.isfinite(y).mean())
        raise BenchError(
            f"{equation.formula!r} is not finite everywhere in its ranges ({share:.1%} of the rows are not)"
        )
    if np.ptp(y) == 0:
        raise BenchError(f"{equation.formula!r} is constant in its ranges")
