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
from ddsr.data.dataset import RowWeights
from ddsr.data.preparation import Preparation
from ddsr.errors import DataError, RunError
from ddsr.estimator.regressor import DDSRRegressor
from ddsr.storage.files import read_whole, write_whole
from ddsr.storage.saved import from_bytes, restoring, to_bytes

FILE = "data.npz"


@dataclass(frozen=True, eq=False)
class RunData:
    """X, y, weights, counts and standard errors of the rows, and column names."""

    X: Floats
    y: Floats
    sample_weight: Floats | None
    counts: Floats | None
    features: tuple[str, ...]
    has_feature_names: bool
    """False if the data had no column names; they are then x0, x1, …"""
    preparation: Preparation | None = None
    """how the table was prepared, if it was"""
    y_err: Floats | None = None

    @property
    def weights(self) -> RowWeights:
        """Weights, counts and standard errors of the rows."""
        return RowWeights(self.sample_weight, self.counts, self.y_err)

    @property
    def fingerprint(self) -> str:
        """Hash of the data and the column names."""
        digest = hashlib.sha256("\0".join(self.features).encode())
        parts = [self.X, self.y, self.sample_weight]
        parts += [part for part in (self.counts, self.y_err) if part is not None]
        for part in parts:
            digest.update(b"none" if part is None else repr(part.shape).encode() + part.tobytes())
        return digest.hexdigest()

    @property
    def frame(self) -> Any:
        """X for the estimator: with column names, if there are any."""
        return pd.DataFrame(self.X, columns=list(self.features)) if self.has_feature_names else self.X

    def write(self, folder: Path) -> None:
        """Write the file into the folder."""
        data = {"X": self.X, "y": self.y, **self.weights._asdict()}
        write_whole(folder / FILE, to_bytes(data))


def read_table(folder: Path, features: tuple[str, ...], has_feature_names: bool, fingerprint: str) -> RunData:
    """Read the data of a folder; raise `RunError` if they differ from the original data."""
    path = folder / FILE
    saved = from_bytes(read_whole(path, "data"), f"data ({path})")
    with restoring(f"data ({path})"):
        weights = [saved.get(name) for name in RowWeights._fields]  # earlier versions have only the first
        X, y, (sample_weight, counts, y_err) = saved["X"], saved["y"], weights
        table = RunData(X, y, sample_weight, counts, features, has_feature_names, y_err=y_err)
        if table.fingerprint != fingerprint:
            raise RunError(f"{path} is damaged: it is not the data that the run began with")
    return table


def checked_table(
    model: DDSRRegressor,
    X: ArrayLike,
    y: ArrayLike,
    weights: RowWeights,
    feature_names: Sequence[str] | None,
    preparation: Preparation | None = None,
) -> RunData:
    """Read and check the data as the estimator does. `feature_names` replace those of the table."""
    is_made = preparation is None and not model._table_options.is_default
    if feature_names is not None and is_made:  # the names of prepared columns contain these
        X = _renamed(X, feature_names)
    read = model._read(X, y, weights, preparation)
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
        check_weights(read.weights.sample_weight, len(read.X)),
        check_counts(read.weights.counts, len(read.X)),
        names,
        feature_names is not None or hasattr(model, "feature_names_in_"),
        read.preparation,
        check_weights(read.weights.y_err, len(read.X), "y_err", "standard errors"),
    )


def _renamed(X: Any, names: Sequence[str]) -> pd.DataFrame:
    """Return the table with these names."""
    is_frame = hasattr(X, "columns") and hasattr(X, "dtypes")
    frame = pd.DataFrame({name: X[name] for name in X.columns} if is_frame else X)
    if len(names) != frame.shape[1]:
        raise DataError(f"X has {frame.shape[1]} columns, but feature_names has {len(names)}")
    return frame.set_axis(list(map(str, names)), axis=1)
