"""Features of each number for the encoder: its value on several scales, none of which can overflow.

The target's scale and offset are fitted and have no meaning. So it is represented by its standardised value,
by its distance from the median in median deviations, and by its logarithm over its root mean square, which
turns products of powers into sums. Inputs keep their meaning (sin x is not sin 2x), so they are represented
both as they are and standardised. Their sines and cosines are included because half precision rounds later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from jaxtyping import Bool, Float

N_VALUE_FEATURES = 13
N_TARGET_FEATURES = 15
TINY = 1e-6
LARGEST = 1e15
"""cap on values, so that their squares are finite in single precision"""


def value_features(
    x: Float[Tensor, "B N V"], is_row: Bool[Tensor, "B N"]
) -> Float[Tensor, "B N V {N_VALUE_FEATURES}"]:
    """Return features of the inputs; padding rows are ignored."""
    x = x.clamp(-LARGEST, LARGEST)
    mean, spread = _moments(x, is_row[..., None])
    unit = ((x - mean) / spread).clamp(-6, 6)
    magnitude = (x.abs() + 1e-3).log()
    features = (
        (x / 5).clamp(-8, 8),
        x.asinh(),
        magnitude / 3,
        x.sign(),
        x.sin(),
        x.cos(),
        unit,
        (2 * unit).sin(),
        (2 * unit).cos(),
        (2 * magnitude).sin(),
        (2 * magnitude).cos(),
        spread.log().clamp(-12, 12).expand_as(x) / 3,
        mean.asinh().expand_as(x),
    )
    return torch.stack(features, dim=-1)


def target_features(
    y: Float[Tensor, "B N"], is_row: Bool[Tensor, "B N"]
) -> Float[Tensor, "B N {N_TARGET_FEATURES}"]:
    """Return features of the target, among them the number of rows."""
    y = y / _largest(y, is_row)  # so that squares cannot overflow
    mean, spread = _moments(y, is_row)
    unit = ((y - mean) / spread).clamp(-8, 8)
    middle = _median(y, is_row)
    deviation = _median((y - middle).abs(), is_row).clamp(min=TINY * spread)
    robust = ((y - middle) / deviation).asinh()
    root_mean_square = (mean**2 + spread**2).sqrt()
    relative = y / root_mean_square
    magnitude = (relative.abs() + TINY).log()
    n_rows = is_row.sum(dim=1, keepdim=True).float().log() - 4.0
    features = (
        unit,
        unit.sign() * (unit.abs() + TINY).log() / 4,
        robust / 2,
        (10 * relative).asinh() / 3,
        y.sign(),
        magnitude / 3,
        (2 * unit).sin(),
        (2 * unit).cos(),
        (6 * unit).sin(),
        (6 * unit).cos(),
        magnitude.sin(),
        magnitude.cos(),
        (4 * magnitude).sin(),
        (4 * magnitude).cos(),
        n_rows.expand_as(y),
    )
    return torch.stack(features, dim=-1)


def _moments(values: Tensor, is_row: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and standard deviation over the rows, dimension 1; the deviation is at least rounding."""
    n = is_row.sum(dim=1, keepdim=True).clamp(min=1)
    mean = (values * is_row).sum(dim=1, keepdim=True) / n
    variance = ((values - mean) ** 2 * is_row).sum(dim=1, keepdim=True) / n
    return mean, variance.sqrt().clamp(min=1e-30) + TINY * mean.abs()


def _largest(y: Tensor, is_row: Tensor) -> Tensor:
    return (y.abs() * is_row).amax(dim=1, keepdim=True).clamp(min=1e-30)


def _median(values: Tensor, is_row: Tensor) -> Tensor:
    """Return the median; the lower one if there are two."""
    ordered = values.masked_fill(~is_row, torch.inf).sort(dim=1).values
    place = (is_row.sum(dim=1, keepdim=True) - 1).clamp(min=0) // 2
    return ordered.gather(1, place)
