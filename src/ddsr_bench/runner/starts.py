"""How a store was made: one JSON line per start, with the command, commit and machines."""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from ddsr import _core
from ddsr.errors import BenchError
from ddsr.storage.files import parse_json
from ddsr.storage.processor import processor_name

FILE = "starts.jsonl"


class Machine(NamedTuple):
    """The properties of a machine that determine its speed."""

    host: str
    cpu: str
    cores: int
    instruction_set: str
    """instruction set that the native core uses"""

    def __str__(self) -> str:
        """Return the machine without its name."""
        return f"{self.cpu}, {self.cores} cores, {self.instruction_set}"


@dataclass(frozen=True, kw_only=True)
class Start:
    """One start of the runner."""

    command: str
    """command line, with DIR in place of folders"""
    commit: str | None
    """None if ddsr was not a git checkout"""
    version: str
    machines: tuple[Machine, ...]
    """machines of the workers"""
    day: str | None = None
    """UTC date, such as 2026-01-31"""


def describe_machine() -> Machine:
    """Describe this machine."""
    return Machine(platform.node(), processor_name(), os.cpu_count() or 1, _core.instruction_set())


def describe_commit() -> str | None:
    """Return the commit of ddsr; None if it is not a git checkout."""
    if _git("ls-files", "--error-unmatch", Path(__file__).name) is None:
        return None  # the folder may be part of another project's checkout
    return _git("describe", "--always", "--dirty")


def _git(*arguments: str) -> str | None:
    folder = Path(__file__).parent
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def today() -> str:
    """Return the UTC date."""
    return time.strftime("%Y-%m-%d", time.gmtime())


def command_text(options: Mapping[str, object]) -> str:
    """Return the command line of `ddsr bench run` with these options, without those that are None."""
    words = ["ddsr", "bench", "run"]
    for name, value in options.items():
        if value is not None:
            words += [f"--{name}", ",".join(map(_word, value)) if isinstance(value, tuple) else _word(value)]
    return shlex.join(words)


def _word(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def record_start(folder: Path, start: Start) -> None:
    """Append a start to the file of a store."""
    machines = [machine._asdict() for machine in start.machines]
    try:
        with (folder / FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps({**asdict(start), "machines": machines}) + "\n")
    except OSError as error:
        raise BenchError(f"cannot write to {folder / FILE}: {error.strerror}") from error


def read_starts(folder: Path) -> tuple[list[Start], list[str]]:
    """Return the starts of a store, and a warning for each line that cannot be read. Old stores have none."""
    path = folder / FILE
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    starts, warnings = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            values = parse_json(line)
            machines = tuple(Machine(**machine) for machine in values["machines"])
            starts.append(Start(**{**values, "machines": machines}))
        except (ValueError, TypeError, KeyError) as error:
            warnings.append(
                f"{path}, line {number} cannot be read as the start of a benchmark and is skipped: {error}"
            )
    return starts, warnings
