"""Learning curves: the best reward over time, and which part of the search found the improvements."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ddsr.report.chart import Axis, Chart, dots, path, stairs

# A line of more points than a screen has does not become clearer.
MOST_POINTS = 400
N_COLOURS = 4


@dataclass(frozen=True)
class Curves:
    """The learning curves in `curves_` of an estimator."""

    seconds: NDArray[np.float64]
    """time at the end of each epoch, since the search began"""
    best_reward: NDArray[np.float64]
    """so far"""
    gains: dict[str, NDArray[np.float64]]
    """by source, summed up to each epoch; sources that gained nothing are left out"""

    @classmethod
    def of(cls, table: pd.DataFrame | None) -> Curves | None:
        """Return the curves of a model, or None."""
        if table is None or "best_reward" not in table or not table["best_reward"].notna().any():
            return None
        # a model file keeps every n-th epoch of a long search; the others are assumed to be like it
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
    def n_points(self) -> int:
        """Number of epochs in the curves."""
        return len(self.seconds)

    def shares(self) -> dict[str, float]:
        """Share of the total gain by source."""
        total = sum(float(gain[-1]) for gain in self.gains.values())
        return {source: float(gain[-1]) / total for source, gain in self.gains.items()}


def reward_chart(curves: Curves) -> str:
    """Draw the best reward so far against time."""
    rows = _thinned(curves.n_points)
    rows = rows[np.isfinite(curves.best_reward[rows])]
    x, y = curves.seconds[rows], curves.best_reward[rows]
    chart = Chart(_time_axis(curves), _reward_axis(y))
    places = stairs(chart.points(x, y))
    layers = [path(places, "curve colour-0"), dots(places[-1:], "curve-end colour-0", 4.0)]
    return chart.svg(f"Best reward over {curves.seconds[-1]:.3g} seconds: {y[-1]:.4g} at the end", layers)


def gain_chart(curves: Curves) -> str:
    """Draw the cumulative gain of each source against time."""
    rows = _thinned(curves.n_points)
    x = np.append(0.0, curves.seconds[rows])
    most = max(float(gain[-1]) for gain in curves.gains.values())
    chart = Chart(_time_axis(curves), Axis(0.0, 1.08 * most, "gain (nats of log error, all sizes)"))
    layers = []
    for place, gain in enumerate(curves.gains.values()):
        places = stairs(chart.points(x, np.append(0.0, gain[rows])))
        colour = f"colour-{place % N_COLOURS}"
        layers += [path(places, f"curve {colour}"), dots(places[-1:], f"curve-end {colour}", 4.0)]
    names = ", ".join(f"{source} {share:.0%}" for source, share in curves.shares().items())
    return chart.svg(f"Improvements by part of the search: {names}", layers)


def legend(curves: Curves) -> str:
    """Return the legend: names, colours and shares of the sources."""
    return "".join(
        f'<li><svg class="swatch colour-{place % N_COLOURS}" viewBox="0 0 10 10" aria-hidden="true">'
        f'<circle cx="5" cy="5" r="5"/></svg>{escape(source)} <b>{share:.0%}</b></li>'
        for place, (source, share) in enumerate(curves.shares().items())
    )


def _time_axis(curves: Curves) -> Axis:
    return Axis(0.0, 1.04 * float(curves.seconds[-1]) or 1.0, "seconds")


def _reward_axis(rewards: NDArray[np.float64]) -> Axis:
    """As much of [0, 1] as the curve needs; a flat one is drawn as flat."""
    low, high = float(rewards.min()), float(rewards.max())
    room = max(0.08 * (high - low), 0.005)
    return Axis(max(0.0, low - room), high + room, "best reward")


def _thinned(n_epochs: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, n_epochs - 1, min(n_epochs, MOST_POINTS)).round().astype(np.int64))
