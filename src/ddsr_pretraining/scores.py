"""Files of scores that `ddsr prior evaluate` wrote, for the card of a prior."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ddsr.errors import DataError
from ddsr.storage.files import parse_json, read_regular


@dataclass(frozen=True)
class ScoreFile:
    """The scores of one file."""

    path: Path
    summary: Mapping[str, str]
    """hits by measurement"""
    checksum: str | None
    """checksum of the weights without scores; old files do not have it"""


@contextmanager
def reading_scores(path: Path) -> Iterator[Any]:
    """Read a file of scores; errors in the block say how to create such a file."""
    try:
        yield parse_json(read_regular(path))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = f"it has no {error.args[0]}" if isinstance(error, KeyError) else error
        raise DataError(
            f"cannot read scores from {path} ({reason}): write them with `ddsr prior evaluate --out`"
        ) from error


def read_scores(path: Path) -> ScoreFile:
    """Read the lines for the card, and the checksum of the weights that they belong to."""
    with reading_scores(path) as content:
        summary = content["summary"]
        if not summary or not all(isinstance(value, str) for value in summary.values()):
            raise ValueError("its summary has no lines of text")
        return ScoreFile(path, summary, content.get("prior", {}).get("sha256"))


def merge_scores(given: Sequence[ScoreFile], checksum: str) -> dict[str, str]:
    """Return the lines of all files; refuse those of other weights and contradictions."""
    lines: dict[str, str] = {}
    for scores in given:
        if scores.checksum not in (None, checksum):
            raise DataError(
                f"{scores.path} has the scores of other weights (checksum {scores.checksum}, not "
                f"{checksum}): evaluate these weights, or leave the file out"
            )
        for name, value in scores.summary.items():
            if lines.setdefault(name, value) != value:
                raise DataError(
                    f"two files of scores differ in {name!r} ({lines[name]} and {value}): leave one out"
                )
    return lines
