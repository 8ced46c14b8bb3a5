"""The data of a run, saved in its folder so that the run can resume without any other file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ddsr.data.checks import check_counts, check_weights
from ddsr.data.preparation import Preparation
from ddsr.errors import DataError, RunError
from ddsr.estimator.regressor import DDSRRegressor
from ddsr.storage.files import read_whole, write_whole
from ddsr.storage.saved import from_bytes, restoring, to_bytes

FILE = "data.npz"

Floats = NDArray[np.float64]


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
    preparation: Preparation | None = None
    """how the table was prepared, if it was"""

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
    model: DDSRRegressor,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    counts: ArrayLike | None,
    feature_names: Sequence[str] | None,
    preparation: Preparation | None = None,
) -> RunData:
    """Read and check the data as the estimator does. Given names replace those of the table."""
    is_made = preparation is None and not model._table_options.is_default
    if feature_names is not None and is_made:  # the names of prepared columns are made of these
        X = _renamed(X, feature_names)
    read = model._read(X, y, sample_weight, counts, preparation)
    if not read.targets.is_one:
        raise DataError(
            f"a run folder has one target, but y has {len(read.targets.names)}: create a folder for each"
        )
    names = read.names if feature_names is None or is_made else tuple(map(str, feature_names))
    if len(names) != read.X.shape[1]:
        raise DataError(f"X has {read.X.shape[1]} columns, but feature_names has {len(names)}")
    return RunData(
        np.ascontiguousarray(read.X),
        read.targets.columns[:, 0].copy(),
        check_weights(read.sample_weight, len(read.X)),
        check_counts(read.counts, len(read.X)),
        names,
        feature_names is not None or hasattr(model, "feature_names_in_"),
        read.preparation,
    )


def _renamed(X: Any, names: Sequence[str]) -> pd.DataFrame:
    """Return the table with these names."""
    is_frame = hasattr(X, "columns") and hasattr(X, "dtypes")
    frame = pd.DataFrame({name: X[name] for name in X.columns} if is_frame else X)
    if len(names) != frame.shape[1]:
        raise DataError(f"X has {frame.shape[1]} columns, but feature_names has {len(names)}")
    return frame.set_axis(list(map(str, names)), axis=1)
