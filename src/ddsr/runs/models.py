"""Functions to save and load models; docs/runs.md describes the format."""

from __future__ import annotations

from os import PathLike

from ddsr.estimator.regressor import DDSRRegressor


def save_model(model: DDSRRegressor, path: str | PathLike[str]) -> None:
    """Write the model to one JSON file, atomically."""
    model.save(path)


def load_model(path: str | PathLike[str]) -> DDSRRegressor:
    """Read a model; raise `RunError` if this version cannot read the file."""
    return DDSRRegressor.load(path)
