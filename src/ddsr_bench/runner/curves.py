"""Learning curves: one small compressed CSV file per run, in the folder `curves` of the store."""

from __future__ import annotations

import gzip
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
MAX_POINTS = 400
"""maximum number of points of a curve, to keep stores of thousands of runs small"""
COLUMNS = (
    *("epoch", "best_reward", "mean_reward", "reward_floor", "entropy", "kl", "distinct_share"),
    *(*SHARES, "seconds"),
)
"""columns of a curve, with one row per point; `epoch` and `seconds` count from the start of the run"""


def curve_path(folder: Path, key: Key) -> Path:
    """Return the path of a run's curve."""
    return folder / f"{key.file_name}.csv.gz"


def curve_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return the curve of an estimator's `curves_`, which has one row per epoch; NaN in missing columns."""
    curve = table.reindex(columns=COLUMNS)
    parts = table.filter(regex="^seconds_")
    if len(parts.columns):
        curve["seconds"] = parts.sum(axis=1, skipna=False).cumsum()
    curve["epoch"] = np.arange(1.0, len(table) + 1)
    return curve.astype(np.float64)


def thinned(curve: pd.DataFrame, max_points: int = MAX_POINTS) -> pd.DataFrame:
    """Merge epochs into at most `max_points` points: the best reward, the last time, otherwise means."""
    if len(curve) <= max_points:
        return curve
    blocks = np.arange(len(curve)) * max_points // len(curve)
    means = dict.fromkeys(COLUMNS, "mean")
    return curve.groupby(blocks).agg(means | {"best_reward": "max", "epoch": "last", "seconds": "last"})


def write_curve(path: Path, curve: pd.DataFrame) -> None:
    """Write a curve completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = curve.to_csv(index=False, float_format="%.6g")
    write_whole(path, gzip.compress(text.encode(), mtime=0))


def read_curve(path: Path) -> pd.DataFrame | None:
    """Read a curve; None if there is none that can be read. Earlier versions wrote fewer columns."""
    import pandas as pd

    try:
        curve = pd.read_csv(path, compression="gzip", dtype=np.float64)
    except (OSError, EOFError, ValueError, zlib.error):
        return None
    is_curve = len(curve) and {*COLUMNS} - {*SHARES} <= {*curve.columns}
    return curve.reindex(columns=COLUMNS) if is_curve else None
