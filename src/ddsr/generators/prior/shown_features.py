"""The features of `features.py` without torch, for data sets without padding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ddsr.data.arrays import Floats

TINY = 1e-6
LARGEST = 1e15


def value_features_of(x: Floats) -> NDArray[np.float32]:
    """Return features of inputs, (samples, rows, variables), as (samples, variables, rows, features)."""
    x = np.clip(_rounded(x), -LARGEST, LARGEST)
    mean, spread = _moments(x)
    unit = np.clip((x - mean) / spread, -6, 6)
    magnitude = np.log(np.abs(x) + 1e-3)
    features = (
        np.clip(x / 5, -8, 8),
        np.arcsinh(x),
        magnitude / 3,
        np.sign(x),
        np.sin(x),
        np.cos(x),
        unit,
        np.sin(2 * unit),
        np.cos(2 * unit),
        np.sin(2 * magnitude),
        np.cos(2 * magnitude),
        np.broadcast_to(np.clip(np.log(spread), -12, 12) / 3, x.shape),
        np.broadcast_to(np.arcsinh(mean), x.shape),
    )
    return np.ascontiguousarray(np.stack(features, axis=-1).swapaxes(1, 2), dtype=np.float32)


def target_features_of(y: Floats) -> NDArray[np.float32]:
    """Return features of targets, (samples, rows), as (samples, rows, features)."""
    y = _rounded(y)
    y = y / np.maximum(np.abs(y).max(axis=1, keepdims=True), 1e-30)
    mean, spread = _moments(y)
    unit = np.clip((y - mean) / spread, -8, 8)
    middle = _lower_median(y)
    deviation = np.maximum(_lower_median(np.abs(y - middle)), TINY * spread)
    relative = y / np.sqrt(mean**2 + spread**2)
    magnitude = np.log(np.abs(relative) + TINY)
    features = (
        unit,
        np.sign(unit) * np.log(np.abs(unit) + TINY) / 4,
        np.arcsinh((y - middle) / deviation) / 2,
        np.arcsinh(10 * relative) / 3,
        np.sign(y),
        magnitude / 3,
        np.sin(2 * unit),
        np.cos(2 * unit),
        np.sin(6 * unit),
        np.cos(6 * unit),
        np.sin(magnitude),
        np.cos(magnitude),
        np.sin(4 * magnitude),
        np.cos(4 * magnitude),
        np.full(y.shape, np.log(y.shape[1]) - 4.0),
    )
    return np.ascontiguousarray(np.stack(features, axis=-1), dtype=np.float32)


def _rounded(values: Floats) -> Floats:
    """Return the values in the single precision in which the network was trained on them."""
    return values.astype(np.float32).astype(np.float64)


def _moments(values: Floats) -> tuple[Floats, Floats]:
    mean = values.mean(axis=1, keepdims=True)
    spread = np.sqrt(((values - mean) ** 2).mean(axis=1, keepdims=True))
    return mean, np.maximum(spread, 1e-30) + TINY * np.abs(mean)


def _lower_median(values: Floats) -> Floats:
    ordered = np.sort(values, axis=1)
    place = (values.shape[1] - 1) // 2
    return ordered[:, place : place + 1]
