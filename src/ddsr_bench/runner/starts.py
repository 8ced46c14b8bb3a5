"""What was started in a store: the command, the commit and the machines of each start, a JSON line each."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ddsr.errors import BenchError
from ddsr.storage.files import parse_json
from ddsr_bench.runner.machine import Machine

FILE = "starts.jsonl"


@dataclass(frozen=True, kw_only=True)
class Start:
    """One start of the runner."""

    command: str
    """with DIR in place of folders"""
    commit: str | None
    """None where ddsr was no checkout"""
    version: str
    machines: tuple[Machine, ...]
    """those that runs could go to"""
    day: str | None = None
    """in UTC, as 2026-01-31"""


def today() -> str:
    """The day of a start."""
    return time.strftime("%Y-%m-%d", time.gmtime())


def command_text(options: Mapping[str, object]) -> str:
    """`ddsr bench run` with these options; those that are None are left out, lists are joined by commas."""
    words = ["ddsr", "bench", "run"]
    for name, value in options.items():
        if value is not None:
            words += [f"--{name}", ",".join(map(_word, value)) if isinstance(value, tuple) else _word(value)]
    return shlex.join(words)


def _word(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def record_start(folder: Path, start: Start) -> None:
    """One more line."""
    try:
        with (folder / FILE).open("a", encoding="utf-8") as file:
            machines = [machine._asdict() for machine in start.machines]
            file.write(json.dumps({**asdict(start), "machines": machines}) + "\n")
    except OSError as error:
        raise BenchError(f"cannot write to {folder / FILE}: {error.strerror}") from error


def read_starts(folder: Path) -> tuple[list[Start], list[str]]:
    """The starts of a store, none in those written before starts were kept; and what cannot be read."""
    path = folder / FILE
    if not path.is_file():
        return [], []
    starts, warnings = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        try:
            values = parse_json(line)
            machines = tuple(Machine(**machine) for machine in values["machines"])
            starts.append(Start(**{**values, "machines": machines}))
        except (ValueError, TypeError, KeyError) as error:
            warnings.append(
                f"{path}, line {number} cannot be read as the start of a benchmark and is skipped: {error}"
            )
    return starts, warnings
