"""Kept runs of the realistic suite, and their tables in docs/results.md.

A kept run is a compressed file of JSON lines, as written by `--out`, in benchmarks/results/realistic/. All
files there make up one run, of one machine or several.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from benchmarks.realistic.curves import curves
from benchmarks.realistic.lines import CURVES, Row, read_origins, read_rows, unique
from benchmarks.realistic.summary import summarize
from ddsr.errors import BenchError

NAME = "realistic"
SUFFIX = ".jsonl.gz"
NOTHING = "No run is kept yet.\n"
N_DRAWS = 3
"""draws per curve for the rates; calibration uses all"""
MOST_BYTES = 1_500_000


def keep(file: Path, name: str, folder: Path) -> Path:
    """Copy a file of fits to the kept ones; refuse one that does not record where it was made."""
    if not re.fullmatch(r"[\w-]+", name):
        raise BenchError(f"a kept run of the realistic suite is called realistic/NAME, not realistic/{name}")
    if not (unique(read_rows(file)) and read_origins(file)):
        raise BenchError(f"{file} has no fits, or does not say on which machine and commit they were made")
    packed = gzip.compress(file.read_bytes(), 9, mtime=0)
    if len(packed) > MOST_BYTES:
        raise BenchError(f"{file} has {len(packed):,} bytes compressed; at most {MOST_BYTES:,} are kept")
    target = folder / f"{name}{SUFFIX}"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(packed)
    return target


def figures(folder: Path) -> str:
    """Return the tables of the kept runs: the curves of the reported half, and the real sets."""
    files = sorted(folder.glob(f"*{SUFFIX}"))
    reported = {curve.name for curve in curves("report")}
    found = unique(row for file in files for row in read_rows(file))
    rows = [row for row in found.values() if _is_reported(row, reported)]
    if not rows:
        return NOTHING
    origins = sorted({_origin(values) for file in files for values in read_origins(file)})
    return summarize(rows, N_DRAWS) + "\n" + "\n".join(origins) + "\n"


def _is_reported(row: Row, names: set[str]) -> bool:
    return row.task.suite != CURVES or row.task.curve in names


def _origin(values: dict[str, dict[str, object]]) -> str:
    hardware = values["hardware"]
    return (
        f"- One core for each fit, on {hardware['cpu']} with {hardware['cores']} cores "
        f"({hardware['instruction_set']}), commit {values['commit']}."
    )
