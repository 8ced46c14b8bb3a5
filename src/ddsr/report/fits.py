"""The fit of an equation: true and predicted values, and measures of the difference."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ddsr.data.arrays import Floats
from ddsr.report.equations import number_text, r2_text, rows_text
from ddsr.report.model import FittedModel
from ddsr.selection.guards.outliers import outlying_rows


@dataclass(frozen=True)
class Predictions:
    """True and predicted values, without rows that have no finite prediction."""

    true: Floats
    predicted: Floats
    n_rows: int
    """number of rows, including those without a finite prediction"""
    far: tuple[int, ...] = ()
    """numbers of the outliers, from 1"""
    n_sampled_from: int | None = None
    """number of training rows, if the rows are a sample of them"""

    @classmethod
    def of(
        cls, true: Floats, predicted: Floats, positions: NDArray[np.intp] | None = None
    ) -> Predictions | None:
        """Return the fit on all rows, or those at `positions`; None if no prediction is finite."""
        is_known = np.isfinite(predicted) & np.isfinite(true)
        if not is_known.any():
            return None
        known = np.flatnonzero(is_known)
        missed = known[outlying_rows(predicted[known], true[known])]
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

    def as_probabilities(self) -> Predictions:
        """Return the fit of log-odds as one of probabilities, which has no outliers."""
        from scipy.special import expit

        return replace(self, predicted=expit(self.predicted), far=())

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
            rows = f"{'the ' if is_all else ''}{self.n_rows:,} "
            rows += "training rows" if is_all else f"of the {self.n_sampled_from:,} training rows"
        text = f"On {rows}: R² {r2_text(self.r2)}, root mean squared error {number_text(self.rmse)}."
        if self.n_left_out:
            text += f" The equation has no finite value on {self.n_left_out:,} of them; these are left out."
        if self.far:
            text += f" Outliers: {rows_text(self.far)} (of the rows used, counted from 1)."
        return text

    @property
    def residuals(self) -> Floats:
        """True minus predicted values."""
        return self.true - self.predicted

    @property
    def rmse(self) -> float:
        """The root mean squared residual."""
        return float(np.sqrt(np.mean(self.residuals**2)))

    @property
    def r2(self) -> float:
        """The share of the variance that is explained; NaN if the true values are constant."""
        spread = float(np.mean((self.true - self.true.mean()) ** 2))
        return 1.0 - self.rmse**2 / spread if spread > 0 else float("nan")
