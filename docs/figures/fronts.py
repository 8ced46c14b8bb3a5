"""Selection on a front: what was found in noisy data, and the description lengths."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from docs.drawing import BLUE, GREY, ORANGE, drawn
from matplotlib.axes import Axes

from ddsr import DDSRRegressor

N_ROWS, NOISE = 200, 0.05


def draw_selection(folder: Path) -> None:
    """Draw error and description length by size, for y = 2 x sin(z) + x²/2 with 5 % noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 3, size=(N_ROWS, 2))
    truth = 2 * X[:, 0] * np.sin(X[:, 1]) + 0.5 * X[:, 0] ** 2
    y = truth + rng.normal(scale=NOISE * np.sqrt(np.mean(truth**2)), size=N_ROWS)
    found = DDSRRegressor(max_epochs=2, random_state=0, model_selection="best").fit(X, y)
    noise = float(np.std(y - truth) / np.std(y))
    with drawn(folder / "selection.svg", 9, 3.3) as figure:
        errors, lengths = figure.subplots(1, 2)
        _draw_errors(errors, found, noise)
        _draw_lengths(lengths, found)


def _draw_errors(axes: Axes, found: DDSRRegressor, noise: float) -> None:
    entries = list(found.front_)
    axes.axhline(noise, color=GREY, linestyle="--", linewidth=1)
    axes.text(entries[-1].size, noise * 1.08, "the noise itself", color=GREY, ha="right", fontsize=9)
    axes.plot(
        [entry.size for entry in entries], [entry.nrmse for entry in entries], "o-", color=BLUE, markersize=4
    )
    axes.plot(found.best_.size, found.best_.nrmse, "o", color=ORANGE, markersize=9)
    axes.set(yscale="log", xlabel="tokens", ylabel="error (NRMSE)", title="longer is always nearer …")


def _draw_lengths(axes: Axes, found: DDSRRegressor) -> None:
    entries = list(found.front_)
    lengths = [entry.description_length(N_ROWS) for entry in entries]
    axes.plot([entry.size for entry in entries], lengths, "o-", color=BLUE, markersize=4)
    axes.plot(
        found.best_.size,
        found.best_.description_length(N_ROWS),
        "o",
        color=ORANGE,
        markersize=9,
        label="chosen",
    )
    axes.set(xlabel="tokens", ylabel="description length (nats)", title="… but takes longer to write down")
    axes.legend()
