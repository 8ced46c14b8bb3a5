"""Fits and their outcomes, and the file of JSON lines that stores them so that a run can be resumed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

DDSR = "ddsr"
CURVES, REAL = "curves", "real"
COMPRESSED = ".gz"


@dataclass(frozen=True)
class Task:
    """One fit."""

    curve: str
    """name of the curve or of the real set"""
    draw: int
    """draw of the curve, and random seed"""
    limit: float
    """seconds"""
    has_guess: bool = False
    """the true form is passed as a guess"""
    method: str = DDSR
    is_left_out: bool = False
    """the structure code is learned without formulas of the true form"""
    suite: str = CURVES


@dataclass(frozen=True)
class Row:
    """The outcome of a fit."""

    task: Task
    equation: str
    is_form_right: bool
    is_useful: bool
    swings: bool
    seconds: float
    is_among_three: bool = False
    """one of the three most probable forms is right"""
    probability: float = float("nan")
    """stated by the model for the chosen form"""
    is_equal: bool | None = None
    """by SymPy; None if it could not tell"""
    error: str = ""
    """why there is no equation"""


def read_rows(path: Path) -> Iterator[Row]:
    """Read the fits in a file, skipping a truncated line and lines about the machine."""
    for values in _read(path):
        if "task" in values:
            yield Row(**{**_known(values, Row), "task": Task(**_known(values["task"], Task))})


def read_origins(path: Path) -> list[dict[str, Any]]:
    """Read commits and machines of the runs in a file, each once."""
    found: list[dict[str, Any]] = []
    for values in _read(path):
        if "commit" in values and values not in found:
            found.append(values)
    return found


def write_line(file: Any, row: Row) -> None:
    """Append a fit and write it to disk at once."""
    print(json.dumps(asdict(row)), file=file, flush=True)


def ends_in_the_middle_of_a_line(path: Path) -> bool:
    """Whether the last line was cut off, so that nothing may be appended to it."""
    return path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")


def _read(path: Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.name.endswith(COMPRESSED) else content).decode()
    for line in text.splitlines():
        try:
            values = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(values, dict):
            yield values


def _known(values: dict[str, Any], kind: type) -> dict[str, Any]:
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in values.items() if name in names}


def unique(rows: Iterable[Row]) -> dict[Task, Row]:
    """The last outcome of each task. An error does not count as an outcome."""
    return {row.task: row for row in rows if not row.error}
