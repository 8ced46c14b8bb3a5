"""Results on disk: one JSON line a run, only ever appended to."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from ddsr.errors import BenchError

FILE = "results.jsonl"


class Key(NamedTuple):
    """What makes a run the same run."""

    problem: str
    method: str
    noise: float
    seed: int


@dataclass(frozen=True, kw_only=True)
class Row:
    """One run and its verdict; `error` is its reason when it has none.

    Where nobody knows the equation, `solved_*` are None.
    """

    problem: str
    method: str
    noise: float
    seed: int
    expression: str | None = None
    simplified: str | None = None
    solved_srbench: bool | None = False
    solved_paper: bool | None = False
    r2_train: float | None = None
    r2_test: float | None = None
    complexity: int | None = None
    wall_s: float
    cpu_s: float | None = None
    threads: int
    host: str
    version: str
    error: str | None = None

    @property
    def key(self) -> Key:
        """Which run it is the row of."""
        return Key(self.problem, self.method, self.noise, self.seed)


class Contents(NamedTuple):
    """What a store holds, and what is wrong with it."""

    rows: list[Row]
    warnings: list[str]


class Store:
    """The folder of a benchmark's results. A row that was written is never changed."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BenchError(f"cannot make the store {folder}: {error.strerror}") from error
        if not os.access(folder, os.W_OK):
            raise BenchError(f"no permission to write into the store {folder}")
        self.path = folder / FILE

    def read(self) -> Contents:
        """Rows that can be read; a line that cannot stays in the file, and its run counts as missing."""
        rows, warnings = [], []
        text = self.path.read_text(encoding="utf-8", errors="replace") if self.path.exists() else ""
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                rows.append(_read_row(line))
            except (ValueError, TypeError) as error:
                warnings.append(f"{self.path}, line {number} is no result and is passed over: {error}")
        return Contents(rows, warnings)

    def append(self, row: Row) -> None:
        """Write a row and wait until the disk has it. A line that was cut off before gets its end first."""
        line = json.dumps(asdict(row)) + "\n"
        try:
            with self.path.open("ab+") as file:
                if file.seek(0, os.SEEK_END) > 0:
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":
                        line = "\n" + line
                file.write(line.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BenchError(
                f"cannot write to {self.path}: {error.strerror}; rows so far are kept"
            ) from error


def _read_row(line: str) -> Row:
    values: Any = json.loads(line)
    if not isinstance(values, dict):
        raise ValueError("not an object")
    known = {field.name for field in fields(Row)}
    strangers = sorted(values.keys() - known)
    if strangers:
        raise ValueError(f"unknown keys {', '.join(strangers)}, perhaps of another version of ddsr")
    return Row(**values)
