"""Learning curves on disk: a small compressed CSV a run, in the folder `curves` of its store."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import math
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddsr.learning.curves import SHARES
from ddsr_bench.runner.store import Key

FOLDER = "curves"
MOST_POINTS = 400
"""of one curve; a longer run's epochs are drawn together, so that a store of thousands of runs stays small"""


class Curve(NamedTuple):
    """A value a point; `epoch` and `seconds` are those at a point's end, counted from the run's start."""

    epoch: NDArray[np.float64]
    best_reward: NDArray[np.float64]
    mean_reward: NDArray[np.float64]
    reward_floor: NDArray[np.float64]
    entropy: NDArray[np.float64]
    kl: NDArray[np.float64]
    distinct_share: NDArray[np.float64]
    invalid_share: NDArray[np.float64]
    repeated_share: NDArray[np.float64]
    seconds: NDArray[np.float64]


def curve_path(folder: Path, key: Key) -> Path:
    """Where a run's curve lies."""
    return folder / f"{file_name(key)}.csv.gz"


def file_name(key: Key) -> str:
    """Of a run's files: a name to read, and a hash, since a method's name may hold any character."""
    name = f"{key.problem} {key.method} {key.noise:g} {key.seed}"
    readable = re.sub(r"[^\w.=-]+", "_", name)[:100]
    digest = hashlib.sha1(repr(tuple(key)).encode(), usedforsecurity=False).hexdigest()[:8]
    return f"{readable}.{digest}"


def curve_of(table: Any) -> Curve:
    """From an estimator's `curves_`, a DataFrame with a row an epoch; NaN where it has no such column."""
    nothing = np.full(len(table), np.nan)
    columns = {
        name: table[name].to_numpy(dtype=np.float64) if name in table else nothing for name in Curve._fields
    }
    parts = [name for name in table if str(name).startswith("seconds_")]
    if parts:
        columns["seconds"] = np.cumsum(table[parts].to_numpy(dtype=np.float64).sum(axis=1))
    columns["epoch"] = np.arange(1.0, len(table) + 1)
    return Curve(**columns)


def thinned(curve: Curve, most: int = MOST_POINTS) -> Curve:
    """At most so many points: of epochs drawn together the best best reward, the last clock, else means."""
    if len(curve.epoch) <= most:
        return curve
    blocks = np.array_split(np.arange(len(curve.epoch)), most)
    ends = [block[-1] for block in blocks]
    columns = {
        name: np.array([values[block].mean() for block in blocks]) for name, values in curve._asdict().items()
    }
    columns["best_reward"] = np.array([curve.best_reward[block].max() for block in blocks])
    return Curve(**columns | {"epoch": curve.epoch[ends], "seconds": curve.seconds[ends]})


def write_curve(path: Path, curve: Curve) -> None:
    """Whole or not at all: a run that is killed leaves no half of a curve under the curve's name."""
    lines = [",".join(Curve._fields), *(",".join(map(_short, point)) for point in zip(*curve, strict=True))]
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def read_curve(path: Path) -> Curve | None:
    """A curve, or None where the file is not there or is none."""
    try:
        rows = list(csv.reader(io.StringIO(gzip.decompress(path.read_bytes()).decode())))
        values = [[float(cell) if cell else math.nan for cell in row] for row in rows[1:]]
        columns = dict(zip(rows[0], np.array(values).T, strict=True))
        unknown = dict.fromkeys(SHARES, np.full(len(values), math.nan))  # to earlier versions
        return Curve(**unknown | columns) if values else None
    except (OSError, EOFError, ValueError, IndexError, TypeError):
        return None


def _short(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6g}"
