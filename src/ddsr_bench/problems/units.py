"""Units of the variables of problems, from a CSV table."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

from ddsr.errors import BenchError
from ddsr_bench.problems.suites import BenchmarkProblem
from ddsr_bench.problems.tabular import read_text

COLUMNS = ("name", "role", "variable")
"""columns before those of the dimensions; `role` is feature or target"""
DIMENSIONS = {"m": "m", "s": "s", "kg": "kg", "T": "K", "V": "V"}
"""columns with exponents, and their units: T is the temperature"""


def with_units(problems: Sequence[BenchmarkProblem], path: Path) -> tuple[BenchmarkProblem, ...]:
    """Return the problems with the units in a table: one row per variable, one column per dimension."""
    features, targets = _read(path)
    found = []
    for problem in problems:
        known = features.get(problem.name, {})
        if problem.name not in targets or set(known) != set(problem.variables):
            raise BenchError(
                f"{path} does not have the units of all variables of {problem.name}: add them, or choose "
                "other problems with --problem"
            )
        units = tuple(known[name] for name in problem.variables)
        found.append(replace(problem, units=units, target_unit=targets[problem.name]))
    return tuple(found)


def _read(path: Path) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    features: dict[str, dict[str, str]] = defaultdict(dict)
    targets: dict[str, str] = {}
    reader = csv.DictReader(StringIO(read_text(path)))
    missing = [name for name in (*COLUMNS, *DIMENSIONS) if name not in (reader.fieldnames or ())]
    if missing:
        raise BenchError(f"{path} has no column {', '.join(missing)}")
    for row in reader:
        unit = " ".join(f"{DIMENSIONS[name]}^{row[name]}" for name in DIMENSIONS if float(row[name]) != 0.0)
        if row["role"] == "target":
            targets[row["name"]] = unit
        else:
            features[row["name"]][row["variable"]] = unit
    return features, targets
