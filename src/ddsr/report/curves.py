"""Learning curves: the best reward over time, and which part of the search found the improvements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True)
class Curves:
    """The learning curves in `curves_` of an estimator."""

    seconds: NDArray[np.float64]
    """time at the end of each epoch, since the search began"""
    best_reward: NDArray[np.float64]
    """best reward up to each epoch"""
    gains: dict[str, NDArray[np.float64]]
    """cumulative gain of each source; sources without a gain are left out"""

    @classmethod
    def of(cls, table: pd.DataFrame | None) -> Curves | None:
        """Return the curves of a model, or None."""
        if table is None or "best_reward" not in table or not table["best_reward"].notna().any():
            return None
        # a model file keeps every n-th epoch of a long search; the others are assumed to be similar
        every = int(table.index[1] - table.index[0]) if len(table) > 1 else 1
        seconds = every * table.filter(regex="^seconds_").fillna(0.0).to_numpy(dtype=np.float64).sum(axis=1)
        best = np.fmax.accumulate(table["best_reward"].to_numpy(dtype=np.float64))
        gains = {
            name.removeprefix("gain_"): table[name].fillna(0.0).to_numpy(dtype=np.float64).cumsum()
            for name in table.columns
            if name.startswith("gain_")
        }
        return cls(seconds.cumsum(), best, {source: gain for source, gain in gains.items() if gain[-1] > 0})

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The sources, and their shares of the total gain."""
        total = sum(float(gain[-1]) for gain in self.gains.values())
        return [(source, f"{float(gain[-1]) / total:.0%}") for source, gain in self.gains.items()]
