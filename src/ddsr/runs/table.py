"""The data of a run, saved in its folder so that the run can resume without any other file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ddsr.data.arrays import Floats
from ddsr.data.checks import check_counts, check_weights
from ddsr.data.frames import read_rows, read_targets
from ddsr.errors import DataError, RunError
from ddsr.estimator.regressor import DDSRRegressor
from ddsr.storage.files import read_whole, write_whole
from ddsr.storage.saved import from_bytes, restoring, to_bytes

FILE = "data.npz"


@dataclass(frozen=True, eq=False)
class RunData:
    """X, y, weights, counts and column names."""

    X: Floats
    y: Floats
    sample_weight: Floats | None
    counts: Floats | None
    features: tuple[str, ...]
    has_feature_names: bool
    """False if the data had no column names; they are then x0, x1, …"""

    @property
    def fingerprint(self) -> str:
        """Hash of the data and the column names."""
        digest = hashlib.sha256("\0".join(self.features).encode())
        parts = [self.X, self.y, self.sample_weight, *([] if self.counts is None else [self.counts])]
        for part in parts:
            digest.update(b"none" if part is None else repr(part.shape).encode() + part.tobytes())
        return digest.hexdigest()

    @property
    def frame(self) -> Any:
        """X for the estimator: with column names, if there are any."""
        return pd.DataFrame(self.X, columns=list(self.features)) if self.has_feature_names else self.X

    def write(self, folder: Path) -> None:
        """Write the file into the folder."""
        data = {"X": self.X, "y": self.y, "sample_weight": self.sample_weight, "counts": self.counts}
        write_whole(folder / FILE, to_bytes(data))


def read_table(folder: Path, features: tuple[str, ...], has_feature_names: bool, fingerprint: str) -> RunData:
    """Read the data of a folder; raise `RunError` if they are not those that the run began with."""
    path = folder / FILE
    saved = from_bytes(read_whole(path, "data"), f"data ({path})")
    with restoring(f"data ({path})"):
        counts = saved.get("counts")  # missing in folders of earlier versions
        table = RunData(saved["X"], saved["y"], saved["sample_weight"], counts, features, has_feature_names)
        if table.fingerprint != fingerprint:
            raise RunError(f"{path} is damaged: it is not the data that the run began with")
    return table


def checked_table(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    counts: ArrayLike | None,
    feature_names: Sequence[str] | None,
) -> RunData:
    """Check the data as the estimator does. Given names replace those of the table."""
    targets = read_targets(y)
    if not targets.is_one:
        raise DataError(
            f"a run folder has one target, but y has {len(targets.names)}: create a folder for each"
        )
    reader = DDSRRegressor()
    rows = read_rows(reader, X, ensure_min_samples=2)
    names = getattr(reader, "feature_names_in_", None) if feature_names is None else feature_names
    if names is not None and len(names) != rows.shape[1]:
        raise DataError(f"X has {rows.shape[1]} columns, but feature_names has {len(names)}")
    features = (f"x{column}" for column in range(rows.shape[1])) if names is None else map(str, names)
    return RunData(
        np.ascontiguousarray(rows),
        targets.columns[:, 0].copy(),
        check_weights(sample_weight, len(rows)),
        check_counts(counts, len(rows)),
        tuple(features),
        names is not None,
    )
