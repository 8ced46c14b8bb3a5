"""The identity of a problem apart from its name: equation, ranges and rows, or the content of its table."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

from ddsr.errors import BenchError
from ddsr_bench.problems.suites import BenchmarkProblem
from ddsr_bench.problems.trial import data_path
from ddsr_bench.runner.store import Row

LENGTH = 16
"""number of hexadecimal digits: enough to avoid collisions"""
MAX_NAMED = 5


def identity_of(problem: BenchmarkProblem, data_dir: Path | None = None) -> str:
    """Return a short hash of everything that determines a problem's data, except name and seed.

    Compressed tables count by their content, so that compressing a table again does not change its problem.
    """
    description = [
        *(problem.formula, problem.variables, problem.ranges, problem.n_rows),
        problem.is_standardised,
    ]
    if problem.units:
        description += [problem.units, problem.target_unit]
    if problem.flow is not None:
        description += [astuple(problem.flow)]
    digest = hashlib.sha256(json.dumps(description).encode())
    if problem.source != "uniform":
        path = data_path(problem, data_dir)
        try:
            data = path.read_bytes()
            digest.update(gzip.decompress(data) if path.suffix == ".gz" else data)
        except (OSError, EOFError, zlib.error) as error:
            raise BenchError(f"cannot read {path}: {error}") from error
    return digest.hexdigest()[:LENGTH]


def check_identities(rows: Iterable[Row], identities: Mapping[str, str], where: Path) -> None:
    """Refuse a store that has rows of other problems with the same names."""
    changed = sorted(
        {
            row.problem
            for row in rows
            if row.problem_id is not None and identities.get(row.problem, row.problem_id) != row.problem_id
        }
    )
    if changed:
        n_more = len(changed) - MAX_NAMED
        listed = ", ".join(changed[:MAX_NAMED]) + (f" and {n_more} more" if n_more > 0 else "")
        raise BenchError(
            f"{where} has runs of {listed} with another formula, other ranges, another n or other data: "
            "use another --store, or rename what has changed"
        )


def no_identity_warning(rows: Sequence[Row], names: Iterable[str]) -> str | None:
    """Return a warning if rows of these problems have no identity; they count as done."""
    asked = set(names)
    n_rows = sum(row.problem in asked and row.problem_id is None for row in rows)
    if not n_rows:
        return None
    return (
        f"{n_rows} rows were written by a version that did not store which equation or data a problem has: "
        "they count as done by the name of their problem; use another store if a problem has changed since"
    )


def mixed_problems_warning(rows: Iterable[Row]) -> str | None:
    """Return a warning if one name stands for different problems."""
    seen: dict[str, str] = {}
    for row in rows:
        if row.problem_id is not None and seen.setdefault(row.problem, row.problem_id) != row.problem_id:
            return (
                f"{row.problem} is not the same problem in all of these runs: its equation, ranges or data "
                "differ, but its rates include all runs"
            )
    return None
