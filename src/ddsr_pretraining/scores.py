"""Scores for the card of a prior, from the files that `ddsr prior evaluate` wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ddsr.errors import DataError
from ddsr.storage.files import parse_json, read_regular


@dataclass(frozen=True)
class ScoreFile:
    """One file of scores."""

    path: Path
    summary: Mapping[str, str]
    """hits, by what was measured"""
    checksum: str | None
    """of the weights that were measured, without scores; older files do not tell"""


def read_scores(path: Path) -> ScoreFile:
    """The lines for the card, and the weights that they are of."""
    try:
        content = parse_json(read_regular(path))
        summary = content["summary"]
        if not summary or not all(isinstance(value, str) for value in summary.values()):
            raise ValueError("its summary has no lines of text")
        return ScoreFile(path, summary, content.get("prior", {}).get("sha256"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = "it has no summary" if isinstance(error, KeyError) else error
        raise DataError(
            f"cannot read scores from {path} ({reason}): write them with `ddsr prior evaluate --out`"
        ) from error


def scores_together(given: Sequence[ScoreFile], checksum: str) -> dict[str, str]:
    """The lines of all files; refuses those of other weights, and those that contradict each other."""
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
