"""Learning curves: means over runs, with a band of one standard deviation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import BenchError
from ddsr_bench.report.palette import colour
from ddsr_bench.report.results import Results
from ddsr_bench.runner.curves import read_curve

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_POINTS = 200
LINES = ("-", "--", "-.", ":")


def draw(results: Results) -> Figure:
    """Draw one line per method: the best reward so far, and mean rewards if a generator drew."""
    from matplotlib.figure import Figure

    curves = curves_by_method(results)
    has_means = any(np.isfinite(curve.mean_reward).any() for runs in curves.values() for curve in runs)
    figure = Figure(figsize=(9 if has_means else 7, 3.8), layout="constrained")
    panels = figure.subplots(1, 2 if has_means else 1, squeeze=False)[0]
    for place, (method, runs) in enumerate(curves.items()):
        last = max(curve.epoch.iloc[-1] for curve in runs)
        epochs = np.linspace(1.0, last, min(N_POINTS, max(2, round(last))))
        label = f"{method} ({len(runs)} runs)"
        _draw_band(panels[0], epochs, np.array([best_so_far(curve, epochs) for curve in runs]), place, label)
        if has_means:
            means = np.array([mean_reward(curve, epochs) for curve in runs])
            _draw_band(panels[1], epochs, means, place, label)
    for panel, measured in zip(panels, ("best reward so far", "mean reward of an epoch"), strict=False):
        panel.set(xlabel="epoch", ylabel=measured)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(3, len(labels)))
    problems = {row.problem for row in results.rows}
    n_without = len(results.rows) - sum(map(len, curves.values()))
    about = f", {problems.pop()}" if len(problems) == 1 else ""
    missing = f" ({n_without} runs have none)" if n_without else ""
    figure.suptitle(f"Learning curves{about}{missing}; bands: one standard deviation over runs")
    return figure


def curves_by_method(results: Results) -> dict[str, list[pd.DataFrame]]:
    """Return the curves in the stores by method; methods without curves are left out."""
    found: dict[str, list[pd.DataFrame]] = {}
    for row in results.rows:
        path = results.curves.get(row.key)
        curve = read_curve(path) if path else None
        if curve is not None:
            found.setdefault(row.method, []).append(curve)
    if not found:
        raise BenchError(
            "these runs have no learning curves: `ddsr bench run` saves them for ddsr's own methods, in the "
            "folder curves of the store"
        )
    return found


def best_so_far(curve: pd.DataFrame, epochs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the best reward at these epochs. A run that has ended keeps its best."""
    reached = np.searchsorted(curve.epoch, epochs, side="right") - 1
    best: NDArray[np.float64] = np.fmax.accumulate(curve.best_reward.to_numpy())[np.maximum(reached, 0)]
    return best


def mean_reward(curve: pd.DataFrame, epochs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean reward at these epochs; NaN after the end of a run."""
    return np.asarray(np.interp(epochs, curve.epoch, curve.mean_reward, right=np.nan))


def _draw_band(
    panel: Axes, epochs: NDArray[np.float64], values: NDArray[np.float64], place: int, label: str
) -> None:
    is_known = np.isfinite(values).any(axis=0)
    epochs, values = epochs[is_known], values[:, is_known]
    middle, spread = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    panel.plot(epochs, middle, color=colour(place), linestyle=LINES[place % len(LINES)], label=label)
    # Rewards are in [0, 1].
    low, high = np.maximum(middle - spread, 0.0), np.minimum(middle + spread, 1.0)
    panel.fill_between(epochs, low, high, color=colour(place), alpha=0.18, linewidth=0)
