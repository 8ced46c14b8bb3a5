"""How well an equation fits: predicted against true values, and residuals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ddsr.report.chart import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Axis, Chart, dots, path
from ddsr.report.equations import number_text, r2_text, rows_text
from ddsr.report.model import FittedModel
from ddsr.selection.guards.outliers import exceptional_rows

# More rows than this are drawn as a density of hexagons.
MOST_DOTS = 1500
HEXAGONS_ACROSS = 44
N_SHADES = 6


@dataclass(frozen=True)
class Predictions:
    """True and predicted values, without rows that have no finite prediction."""

    true: NDArray[np.float64]
    predicted: NDArray[np.float64]
    n_rows: int
    """number of rows, including those left out"""
    far: tuple[int, ...] = ()
    """numbers of the outliers, from 1"""
    n_sampled_from: int | None = None
    """number of training rows, if these are a sample of them"""

    @classmethod
    def of(
        cls,
        true: NDArray[np.float64],
        predicted: NDArray[np.float64],
        positions: NDArray[np.intp] | None = None,
    ) -> Predictions | None:
        """Return the fit on all rows, or those at `positions`; None if no prediction is finite."""
        is_known = np.isfinite(predicted) & np.isfinite(true)
        if not is_known.any():
            return None
        known = np.flatnonzero(is_known)
        missed = known[exceptional_rows(predicted[known], true[known])]
        far = (missed if positions is None else positions[missed]) + 1
        return cls(true[known], predicted[known], len(true), tuple(far.tolist()))

    @classmethod
    def sampled(cls, model: FittedModel) -> Predictions | None:
        """Return the fit on the sample of training rows that the model keeps, or None."""
        sample = getattr(model, "fit_sample_", None)
        if sample is None:
            return None
        true, predicted = (sample[name].to_numpy(dtype=np.float64) for name in ("true", "predicted"))
        fit = cls.of(true, predicted, sample.index.to_numpy(dtype=np.intp))
        # the sample's last row is the last of the data
        return fit and replace(fit, n_sampled_from=int(sample.index[-1]) + 1)

    @property
    def n_left_out(self) -> int:
        """Number of rows where the equation has no finite value."""
        return self.n_rows - len(self.true)

    @property
    def summary(self) -> str:
        """Summarise the fit in a sentence or two."""
        rows = f"{self.n_rows:,} rows"
        if self.n_sampled_from is not None:
            is_all = self.n_sampled_from == self.n_rows
            rows = (
                f"the {self.n_rows:,} training rows"
                if is_all
                else f"{self.n_rows:,} of the {self.n_sampled_from:,} training rows"
            )
        text = f"On {rows}: R² {r2_text(self.r2)}, root mean squared error {number_text(self.rmse)}."
        if self.n_left_out:
            text += f" The equation has no finite value on {self.n_left_out:,} of them; these are left out."
        if self.far:
            rows = f"{rows_text(self.far)} (of the rows used, counted from 1)"
            text += f" Outliers: {rows}."
        return text

    @property
    def residuals(self) -> NDArray[np.float64]:
        """True minus predicted values."""
        return self.true - self.predicted

    @property
    def lowest(self) -> float:
        """The lowest true value."""
        return float(self.true.min())

    @property
    def highest(self) -> float:
        """The highest true value."""
        return float(self.true.max())

    @property
    def rmse(self) -> float:
        """The root mean squared residual."""
        return float(np.sqrt(np.mean(self.residuals**2)))

    @property
    def r2(self) -> float:
        """The share of the variance that is explained; NaN if the true values are constant."""
        spread = float(np.mean((self.true - self.true.mean()) ** 2))
        return 1.0 - self.rmse**2 / spread if spread > 0 else float("nan")

    @property
    def is_dense(self) -> bool:
        """Whether the charts show densities."""
        return len(self.true) > MOST_DOTS


def parity_chart(fit: Predictions, target: str) -> str:
    """Draw predicted against true values."""
    both = np.concatenate([fit.true, fit.predicted])
    across, up = Axis.around(both, f"true {target}"), Axis.around(both, f"predicted {target}")
    chart = Chart(across, up)
    ends = [across.low, across.high]
    return chart.svg(
        f"Predicted against true values of {target}, {len(fit.true)} rows",
        [path(chart.points(ends, ends), "reference"), cloud(chart, fit.true, fit.predicted)],
    )


def residual_chart(fit: Predictions, target: str) -> str:
    """Draw residuals by predicted value."""
    chart = Chart(
        Axis.around(fit.predicted, f"predicted {target}"),
        Axis.around(np.append(fit.residuals, 0.0), "residual (true − predicted)"),
    )
    zero = chart.points([chart.x.low, chart.x.high], [0.0, 0.0])
    return chart.svg(
        f"Residuals by predicted {target}, {len(fit.true)} rows",
        [path(zero, "reference"), cloud(chart, fit.predicted, fit.residuals)],
    )


def cloud(chart: Chart, x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
    """Draw dots, or for many rows hexagons shaded by their number of rows."""
    places = chart.points(x, y)
    if len(places) <= MOST_DOTS:
        return dots(places, "sample", 3.0 if len(places) <= 400 else 2.2)
    centres, counts = hexagons(np.array(places))
    shades = np.clip(np.ceil(N_SHADES * np.log1p(counts) / np.log1p(counts.max())), 1, N_SHADES)
    return "".join(
        _hexagon_path(centres[shades == shade], f"density shade-{shade}")
        for shade in range(1, N_SHADES + 1)
        if np.any(shades == shade)
    )


def hexagons(places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the centres of the hexagons that contain places, and how many each contains."""
    wide = (WIDTH - LEFT - RIGHT) / HEXAGONS_ACROSS
    high = wide * sqrt(3.0)
    scaled = (places - [LEFT, TOP]) / [wide, high]
    # a honeycomb is two rectangular lattices; a place belongs to the nearer centre of the two
    corner, middle = np.round(scaled), np.floor(scaled) + 0.5
    weights = np.array([1.0, 3.0])
    is_corner = ((scaled - corner) ** 2 @ weights) <= ((scaled - middle) ** 2 @ weights)
    cells = np.where(is_corner[:, None], corner, middle)
    found, counts = np.unique(cells, axis=0, return_counts=True)
    return found * [wide, high] + [LEFT, TOP], counts


def _hexagon_path(centres: NDArray[np.float64], kind: str) -> str:
    half = (WIDTH - LEFT - RIGHT) / HEXAGONS_ACROSS / 2
    side = 2 * half / sqrt(3.0)
    corners = ((half, side / 2), (0, side), (-half, side / 2), (-half, -side / 2), (0, -side))
    outline = "".join(f"l{x:.2f} {y:.2f}" for x, y in corners) + "z"
    inside = [(x, y) for x, y in centres if LEFT <= x <= WIDTH - RIGHT and TOP <= y <= HEIGHT - BOTTOM]
    return (
        f'<path class="{kind}" d="' + "".join(f"M{x:.1f} {y - side:.1f}{outline}" for x, y in inside) + '"/>'
    )
