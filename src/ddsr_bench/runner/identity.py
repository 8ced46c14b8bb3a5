"""What a problem is, apart from its name: equation, ranges and rows, or the contents of its table."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ddsr.errors import BenchError
from ddsr_bench.problems.suites import BenchmarkProblem
from ddsr_bench.problems.trial import data_path
from ddsr_bench.runner.store import Row

LENGTH = 16
"""hexadecimal digits: enough that two problems never share them by chance"""
MOST_NAMED = 5


def identity_of(problem: BenchmarkProblem, data_dir: Path | None = None) -> str:
    """A short hash of all that decides a problem's data but its name and the seed.

    Compressed tables count by what is in them, so that a copy that was compressed again is the same.
    """
    description = [
        problem.formula,
        problem.variables,
        problem.ranges,
        problem.n_rows,
        problem.is_standardised,
    ]
    digest = hashlib.sha256(json.dumps(description).encode())
    if problem.source != "uniform":
        digest.update(_contents(data_path(problem, data_dir)))
    return digest.hexdigest()[:LENGTH]


def check_identities(rows: Iterable[Row], identities: Mapping[str, str], where: Path) -> None:
    """Refuse a store whose rows have one of these names, but are of other problems."""
    changed = sorted(
        {
            row.problem
            for row in rows
            if row.problem_id is not None and identities.get(row.problem, row.problem_id) != row.problem_id
        }
    )
    if changed:
        n_more = len(changed) - MOST_NAMED
        listed = ", ".join(changed[:MOST_NAMED]) + (f" and {n_more} more" if n_more > 0 else "")
        raise BenchError(
            f"{where} has runs of {listed} with another formula, other ranges, another n or other data: "
            "use another --store, or rename what has changed"
        )


def without_identity(rows: Sequence[Row], names: Iterable[str]) -> str | None:
    """A warning where rows of these problems do not say what the problem was; they count as done."""
    asked = set(names)
    n_rows = sum(row.problem in asked and row.problem_id is None for row in rows)
    if not n_rows:
        return None
    return (
        f"{n_rows} rows were written before rows said which equation or data their problem has: they count "
        "as done by its name alone; name another store if a problem has changed since"
    )


def of_two_kinds(rows: Iterable[Row]) -> str | None:
    """A warning where one name stands for different problems."""
    seen: dict[str, str] = {}
    for row in rows:
        if row.problem_id is not None and seen.setdefault(row.problem, row.problem_id) != row.problem_id:
            return (
                f"{row.problem} is not the same problem in all of these runs: its equation, ranges or data "
                "differ, and one rate stands for both"
            )
    return None


def _contents(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise BenchError(f"cannot read {path}: {error}") from error
