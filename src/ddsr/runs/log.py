"""The log of a run: one line of JSON per epoch."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

from ddsr.errors import RunError
from ddsr.search.front import FrontEntry
from ddsr.search.loop import SearchState
from ddsr.storage.files import parse_json, read_regular, reason_of, write_whole

FILE = "log.jsonl"


def line_of(state: SearchState, best: FrontEntry, seconds: float) -> dict[str, Any]:
    """Return the log line of an epoch; `seconds` includes all epochs so far."""
    return {
        "epoch": state.epoch,
        "seconds": round(seconds, 3),
        "n_scored": state.n_scored,
        "equation": best.equation.text(),
        "size": best.size,
        "nrmse": best.nrmse,
        "gains": {source: gain for source, gain in state.stats.gains.items() if math.isfinite(gain)},
    }


def append(folder: Path, line: dict[str, Any]) -> None:
    """Append a line; on failure leave the file as it was, without half a line."""
    path = folder / FILE
    try:
        with path.open("ab") as file:
            end = file.seek(0, os.SEEK_END)
            try:
                file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
                file.flush()
            except OSError:
                os.truncate(path, end)
                raise
    except OSError as error:
        raise RunError(f"cannot write {path}: {reason_of(error)}") from error


def read(folder: Path) -> list[dict[str, Any]]:
    """Return the lines so far, without an unfinished one that a killed process left."""
    try:
        data = read_regular(folder / FILE)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RunError(f"cannot read {folder / FILE}: {reason_of(error)}") from error
    lines = []
    for text in data.splitlines():
        try:
            line = parse_json(text)
        except ValueError:
            continue
        if isinstance(line, dict) and isinstance(line.get("epoch"), int):
            lines.append(line)
    return lines


def cut(folder: Path, n_epochs: int) -> None:
    """Keep the first epochs; later ones were not saved and will be repeated."""
    lines = [line for line in read(folder) if line["epoch"] < n_epochs]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_whole(folder / FILE, text.encode())
