"""Learning curves on disk: a small compressed CSV a run, in the folder `curves` of its store."""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ddsr.learning.curves import SHARES
from ddsr.storage.files import write_whole
from ddsr_bench.runner.store import Key

if TYPE_CHECKING:
    import pandas as pd

FOLDER = "curves"
MOST_POINTS = 400
"""of one curve; a longer run's epochs are drawn together, so that a store of thousands of runs stays small"""
COLUMNS = (
    *("epoch", "best_reward", "mean_reward", "reward_floor", "entropy", "kl", "distinct_share"),
    *(*SHARES, "seconds"),
)
"""of a curve, with a row a point; `epoch` and `seconds` are those at its end, counted from the run's start"""


def curve_path(folder: Path, key: Key) -> Path:
    """Where a run's curve lies."""
    return folder / f"{file_name(key)}.csv.gz"


def file_name(key: Key) -> str:
    """Of a run's files: a name to read, and a hash, since a method's name may hold any character."""
    name = f"{key.problem} {key.method} {key.noise:g} {key.seed}"
    readable = re.sub(r"[^\w.=-]+", "_", name)[:100]
    digest = hashlib.sha1(repr(tuple(key)).encode(), usedforsecurity=False).hexdigest()[:8]
    return f"{readable}.{digest}"


def curve_of(table: pd.DataFrame) -> pd.DataFrame:
    """From an estimator's `curves_`, with a row an epoch; NaN where it has no such column."""
    curve = table.reindex(columns=COLUMNS)
    parts = table.filter(regex="^seconds_")
    if len(parts.columns):
        curve["seconds"] = parts.sum(axis=1, skipna=False).cumsum()
    curve["epoch"] = np.arange(1.0, len(table) + 1)
    return curve.astype(np.float64)


def thinned(curve: pd.DataFrame, most: int = MOST_POINTS) -> pd.DataFrame:
    """At most so many points: of epochs drawn together the best best reward, the last clock, else means."""
    if len(curve) <= most:
        return curve
    blocks = np.arange(len(curve)) * most // len(curve)
    means = dict.fromkeys(COLUMNS, "mean")
    return curve.groupby(blocks).agg(means | {"best_reward": "max", "epoch": "last", "seconds": "last"})


def write_curve(path: Path, curve: pd.DataFrame) -> None:
    """Whole or not at all: a run that is killed leaves no half of a curve under the curve's name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = curve.to_csv(index=False, float_format="%.6g")
    write_whole(path, gzip.compress(text.encode(), mtime=0))


def read_curve(path: Path) -> pd.DataFrame | None:
    """A curve, or None where the file is not there or is none. Earlier versions did not know all columns."""
    import pandas as pd

    try:
        curve = pd.read_csv(path, compression="gzip", dtype=np.float64)
    except (OSError, EOFError, ValueError, zlib.error):
        return None
    is_curve = len(curve) and {*COLUMNS} - {*SHARES} <= {*curve.columns}
    return curve.reindex(columns=COLUMNS) if is_curve else None
