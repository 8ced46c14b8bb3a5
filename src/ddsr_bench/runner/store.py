"""The store of results: one JSON line per run, in a file that is only appended to."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from ddsr.errors import BenchError
from ddsr.storage.files import parse_json, read_regular, reason_of
from ddsr.storage.lock_file import HeldError, holding

FILE = "results.jsonl"
COMPRESSED = "results.jsonl.gz"
"""compressed file of a store that is only kept"""
LOCK = "lock"


class Key(NamedTuple):
    """The identity of a run."""

    problem: str
    method: str
    noise: float
    seed: int

    def __str__(self) -> str:
        """Return the run as text for readers."""
        return f"{self.problem} {self.method} noise={self.noise:g} seed={self.seed}"

    @property
    def file_name(self) -> str:
        """Name of a run's files: readable, and with a hash, since a method's name may have any character."""
        name = f"{self.problem} {self.method} {self.noise:g} {self.seed}"
        readable = re.sub(r"[^\w.=-]+", "_", name)[:100]
        digest = hashlib.sha1(repr(tuple(self)).encode(), usedforsecurity=False).hexdigest()[:8]
        return f"{readable}.{digest}"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One run with its verdict, or with the error that it ended with.

    `solved_*` are None if the equation is unknown. Fields with a default of None may be missing in old rows.
    """

    problem: str
    method: str
    noise: float
    seed: int
    problem_id: str | None = None
    """hash of the problem (`identity`)"""
    expression: str | None = None
    simplified: str | None = None
    solved_srbench: bool | None = False
    solved_paper: bool | None = False
    r2_train: float | None = None
    r2_test: float | None = None
    complexity: int | None = None
    wall_s: float
    cpu_s: float | None = None
    judge_s: float | None = None
    """time for the verdict"""
    time: float | None = None
    """time limit of the search, in seconds"""
    epochs: int | None = None
    """maximum number of epochs of the search"""
    threads: int
    host: str
    version: str
    error: str | None = None

    @property
    def key(self) -> Key:
        """The run of this row."""
        return Key(self.problem, self.method, self.noise, self.seed)

    @property
    def budget(self) -> str | None:
        """The limits of the search as text; None if the row has none."""
        return budget_text(self.time, self.epochs)


def budget_text(time: float | None, epochs: int | None) -> str | None:
    """Return limits as text, such as `60 s`; None without limits."""
    parts = ([] if time is None else [f"{time:g} s"]) + ([] if epochs is None else [f"{epochs} epochs"])
    return ", ".join(parts) or None


def other_versions_warning(rows: list[Row], version: str) -> str | None:
    """Return a warning if some rows are from another version; they count as done."""
    others = sorted({row.version for row in rows} - {version})
    if not others:
        return None
    n_rows = sum(row.version != version for row in rows)
    return (
        f"{n_rows} of {len(rows)} rows are from ddsr {', '.join(others)}, this is {version}: "
        "they count as done; use another store to run them again"
    )


class Contents(NamedTuple):
    """The rows of a store, and a warning for each line that cannot be read."""

    rows: list[Row]
    warnings: list[str]


class Store:
    """The folder of a benchmark's results. Written rows never change."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BenchError(f"cannot create the store {folder}: {error.strerror}") from error
        if not os.access(folder, os.W_OK):
            raise BenchError(f"no permission to write into the store {folder}")
        if (folder / COMPRESSED).exists():
            raise BenchError(
                f"the store {folder} is compressed and cannot be changed: use another store, or "
                f"run `gunzip {folder / COMPRESSED}` first"
            )
        self.path = folder / FILE

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runners out."""
        folder = self.path.parent
        with ExitStack() as stack:
            try:
                stack.enter_context(holding(folder / LOCK))
            except HeldError as error:
                raise BenchError(
                    f"another benchmark ({error}) uses {folder}: wait for it, stop it, or use another store"
                ) from None
            except OSError as error:
                raise BenchError(f"cannot lock {folder}: {reason_of(error)}") from error
            yield

    def read(self) -> Contents:
        """Read the rows."""
        return read_rows(self.path)

    def append(self, row: Row) -> None:
        """Write a row to the disk. If an earlier line was cut off, end it first."""
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
                f"cannot write to {self.path}: {error.strerror}; the results so far are kept"
            ) from error


def file_of(folder: Path) -> Path | None:
    """Return the file of a store's results, compressed or not; None if there is none."""
    found = [folder / name for name in (FILE, COMPRESSED) if (folder / name).is_file()]
    if len(found) > 1:
        raise BenchError(f"{folder} has both {FILE} and {COMPRESSED}: remove one of them")
    return found[0] if found else None


def read_rows(path: Path) -> Contents:
    """Read the rows of a file. A line that cannot be read is skipped, and its run counts as missing."""
    rows, warnings = [], []
    for number, line in enumerate(_read_text(path).splitlines(), start=1):
        try:
            rows.append(_read_row(line))
        except (ValueError, TypeError) as error:
            warnings.append(f"{path}, line {number} cannot be read as a result and is skipped: {error}")
    return Contents(rows, warnings)


def _read_text(path: Path) -> str:
    if not path.exists():
        return ""
    try:
        data = gzip.decompress(read_regular(path)) if path.suffix == ".gz" else read_regular(path)
    except (OSError, EOFError, zlib.error) as error:
        raise BenchError(f"cannot read {path}: {error}") from error
    return data.decode("utf-8", errors="replace")


def _read_row(line: str) -> Row:
    values: Any = parse_json(line)
    if not isinstance(values, dict):
        raise ValueError("not an object")
    strange = sorted(values.keys() - {field.name for field in fields(Row)})
    if strange:
        raise ValueError(f"unknown keys {', '.join(strange)}, perhaps from another version of ddsr")
    return Row(**values)
