"""Models that evolution keeps: the hall of fame and the shortlist."""

from __future__ import annotations

from dataclasses import dataclass

from ddsr.data.arrays import Floats
from ddsr.expression import Batch, Expression, scaled


@dataclass(frozen=True, eq=False)
class HallOfFame:
    """Models by rising size. In the hall of fame, each has a lower error than all smaller ones."""

    batch: Batch
    """expressions f, whose model is scale * f + offset"""
    scale: Floats
    offset: Floats
    nrmse: Floats
    """root mean squared error relative to the spread of y, on all rows"""

    def __len__(self) -> int:
        return len(self.batch)

    @property
    def reward(self) -> Floats:
        """R = 1 / (1 + NRMSE)."""
        return 1.0 / (1.0 + self.nrmse)

    def expressions(self) -> list[Expression | None]:
        """Return each model as one expression; None if the vocabulary cannot express scale or offset."""
        rows = zip(self.batch, self.scale, self.offset, strict=True)
        return [scaled(f, float(scale), float(offset)) for f, scale, offset in rows]
