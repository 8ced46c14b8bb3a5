"""Results on disk: one JSON line a run, only ever appended to."""

from __future__ import annotations

import gzip
import json
import os
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
"""the same of a store that is kept, and not run in any more"""
LOCK = "lock"


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
    problem_id: str | None = None
    """of its equation, ranges and n, or of its data (`identity`); None in rows written before it was kept"""
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
    """how long its verdict took"""
    time: float | None = None
    """seconds that its search was given, and epochs; both are None in rows written before they were kept"""
    epochs: int | None = None
    threads: int
    host: str
    version: str
    error: str | None = None

    @property
    def key(self) -> Key:
        """Which run it is the row of."""
        return Key(self.problem, self.method, self.noise, self.seed)

    @property
    def budget(self) -> str | None:
        """What ended its search at the latest, as a person reads it; None where the row does not tell."""
        return budget_text(self.time, self.epochs)


def budget_text(time: float | None, epochs: int | None) -> str | None:
    """A time, a number of epochs, or both, such as `60 s`; None where there is neither."""
    parts = ([] if time is None else [f"{time:g} s"]) + ([] if epochs is None else [f"{epochs} epochs"])
    return ", ".join(parts) or None


def of_other_versions(rows: list[Row], version: str) -> str | None:
    """A warning where rows were made by another version than this; they count as done."""
    others = sorted({row.version for row in rows} - {version})
    if not others:
        return None
    n_rows = sum(row.version != version for row in rows)
    return (
        f"{n_rows} of {len(rows)} rows are of ddsr {', '.join(others)}, this is {version}: "
        "they count as done; name another store to measure them anew"
    )


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
        """Keep other runners out, until this process ends at the latest."""
        path = self.path.with_name(LOCK)
        with ExitStack() as stack:
            try:
                stack.enter_context(holding(path))
            except HeldError as error:
                raise BenchError(
                    f"another benchmark ({error}) uses {path.parent}: "
                    "wait for it, stop it, or use another store"
                ) from None
            except OSError as error:
                raise BenchError(f"cannot lock {path.parent}: {reason_of(error)}") from error
            yield

    def read(self) -> Contents:
        """Rows that can be read, and what cannot."""
        return read_rows(self.path)

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
                f"cannot write to {self.path}: {error.strerror}; the results so far are kept"
            ) from error


def file_of(folder: Path) -> Path | None:
    """The file of a store's results, compressed or not; None where there is none."""
    found = [folder / name for name in (FILE, COMPRESSED) if (folder / name).is_file()]
    if len(found) > 1:
        raise BenchError(f"{folder} has both {FILE} and {COMPRESSED}: remove one of them")
    return found[0] if found else None


def read_rows(path: Path) -> Contents:
    """Rows that can be read; a line that cannot stays in the file, and its run counts as missing."""
    rows, warnings = [], []
    text = _text_of(path) if path.exists() else ""
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            rows.append(_read_row(line))
        except (ValueError, TypeError) as error:
            warnings.append(f"{path}, line {number} cannot be read as a result and is skipped: {error}")
    return Contents(rows, warnings)


def _text_of(path: Path) -> str:
    try:
        data = gzip.decompress(read_regular(path)) if path.suffix == ".gz" else read_regular(path)
    except (OSError, EOFError, zlib.error) as error:
        raise BenchError(f"cannot read {path}: {error}") from error
    return data.decode("utf-8", errors="replace")


def _read_row(line: str) -> Row:
    values: Any = parse_json(line)
    if not isinstance(values, dict):
        raise ValueError("not an object")
    known = {field.name for field in fields(Row)}
    strangers = sorted(values.keys() - known)
    if strangers:
        raise ValueError(f"unknown keys {', '.join(strangers)}, perhaps of another version of ddsr")
    return Row(**values)
