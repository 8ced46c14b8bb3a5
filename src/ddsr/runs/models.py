"""Fitted models as files, for those who like functions; docs/runs.md has the format."""

from __future__ import annotations

from os import PathLike

from ddsr.estimator import DDSRRegressor


def save_model(model: DDSRRegressor, path: str | PathLike[str]) -> None:
    """Write the model as one JSON file, whole or not at all."""
    model.save(path)


def load_model(path: str | PathLike[str]) -> DDSRRegressor:
    """The model of a file; raises `RunError` where it is none that this version can read."""
    return DDSRRegressor.load(path)
