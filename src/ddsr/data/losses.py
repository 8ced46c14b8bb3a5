"""Losses: what a fit minimises, depending on the kind of observations in y."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Any

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.errors import DataError, did_you_mean

LossFunction = Callable[[Floats, Floats], Any]
NAMES = ("squared", "absolute", "huber", "relative", "quantile", "poisson", "logistic")
CUSTOM = "custom"
HUBER = 1.345  # as in core/engine/loss.cpp


@dataclass(frozen=True)
class NamedFunction:
    """A user's function that was saved by name only."""

    name: str


def name_of(function: object) -> str:
    """Return the name by which files know a loss function."""
    return str(getattr(function, "name", None) or getattr(function, "__name__", "loss"))


@dataclass(frozen=True)
class Loss:
    """A loss by its name. Its error, the unit of NRMSE, is the likelihood to the power −1/N, up to a factor.

    So N log(error) is a description length of y for any loss, and 1 − NRMSE² is the R² of Cox and Snell. For
    squared errors, that is the usual R².
    """

    name: str = "squared"
    quantile: float = 0.5
    """quantile of the loss `quantile`"""
    function: LossFunction | None = None
    """function of a user's own loss"""
    known: float = 0.0
    """expected mean of the weighted squares if the errors of y are known, otherwise 0"""

    @classmethod
    def of(cls, given: object) -> Loss:
        """Return the loss that a name, such as "huber" or "quantile:0.9", or a function describes."""
        if isinstance(given, Loss):
            return given
        if isinstance(given, NamedFunction):
            raise DataError(
                f"the loss function {given.name!r} is not in the file: pass it with set_params(loss=...)"
            )
        if callable(given):
            return cls(CUSTOM, function=given)
        if not isinstance(given, str):
            raise DataError(f"loss must be a name or a function of y and predictions, got {given!r}")
        name, has_value, value = given.partition(":")
        if name not in NAMES:
            hint = did_you_mean(name, NAMES)
            raise DataError(f"unknown loss {given!r}{hint}: use a function, or one of {', '.join(NAMES)}")
        if name != "quantile":
            if has_value:
                raise DataError(f"the loss {name!r} has no value: use loss={name!r}, not {given!r}")
            return cls(name)
        try:
            quantile = float(value) if has_value else 0.5
        except ValueError:
            quantile = -1.0
        if not 0.0 < quantile < 1.0:
            raise DataError(f"the quantile in {given!r} must be a number between 0 and 1: 'quantile:0.9'")
        return cls(name, quantile)

    def __str__(self) -> str:
        if self.name == "quantile":
            return f"quantile:{self.quantile:g}"
        return self.name if self.function is None else name_of(self.function)

    @property
    def is_squared(self) -> bool:
        """Whether squared errors are minimised, possibly with weights."""
        return self.name in ("squared", "relative")

    @property
    def label(self) -> str:
        """The mean loss in words."""
        if self.is_squared:
            return "mean squared error"
        name = {"absolute": "absolute error", "huber": "Huber loss", "poisson": "Poisson loss"}.get(self.name)
        return f"mean {name or f'{self} loss'}"

    def named(self, target: str) -> str:
        """Return the name of what an equation gives: the target, or its log-odds."""
        return target if self.is_of_values else f"log-odds of {target}"

    @property
    def is_of_values(self) -> bool:
        """Whether predictions are on the scale of y; those of the logistic loss are log-odds."""
        return self.name != "logistic"

    @property
    def kind(self) -> str:
        """Name of the loss in the native core."""
        return "squared" if self.is_squared else self.name

    @property
    def checked_function(self) -> LossFunction | None:
        """A user's function with its result checked."""
        return None if self.function is None else _Checked(self.function)

    def check_target(self, y: Floats) -> None:
        """Refuse values of y that this loss cannot have, and a function that is not a loss."""
        if self.function is not None:
            _Checked(self.function).check(y)
        if self.name == "poisson":
            row = int(np.argmin(y))
            if y[row] < 0.0:
                raise DataError(
                    f"y has the value {y[row]:g} in row {row}: counts for loss='poisson' are at least 0"
                )
            if not y.any():
                raise DataError("all counts in y are 0: there is nothing to fit")
        elif self.name == "logistic":
            is_wrong = (y < 0.0) | (y > 1.0)
            if is_wrong.any():
                row = int(np.argmax(is_wrong))
                raise DataError(
                    f"y has the value {y[row]:g} in row {row}: loss='logistic' needs 0 and 1, or shares "
                    "between them. For other labels use DDSRClassifier"
                )
        elif self.name == "relative" and not y.all():
            row = int(np.argmin(np.abs(y)))
            raise DataError(f"y is 0 in row {row}: relative errors need y different from 0")

    def mean(self, error: float) -> float:
        """Return the mean loss, given the error: NRMSE times the error of the best constant."""
        if self.name in ("absolute", "huber"):
            return error
        if self.name == "quantile":
            return error * sqrt(self.quantile * (1.0 - self.quantile))
        if self.name == "poisson":  # the deviance
            return _mean_of_known(error)
        if self.known > 0.0:
            return self.known * _mean_of_known(error / sqrt(self.known))
        if self.name == "logistic":
            return log(max(error, 1.0))
        return error**2

    def variance(self, error: float) -> tuple[float, bool]:
        """Return the variance of the errors, relative to those of `noise_of`, and whether it is known.

        Counts may vary more than a Poisson distribution, but not less.
        """
        if self.known > 0.0:
            return self.known, True
        if self.name == "logistic":
            return 1.0, True
        if self.name == "poisson":
            return (error**2, False) if error > 1.0 else (1.0, True)
        return error**2, False

    def noise_of(self, predicted: Floats) -> Floats:
        """Return the standard deviation of y at these predictions, relative to the error."""
        if self.name == "poisson":
            return np.sqrt(np.maximum(predicted, 0.0))
        if self.name == "logistic":  # deviation of the log-odds that one row shows
            return np.asarray(np.cosh(np.clip(0.5 * predicted, -300.0, 300.0)) * 2.0)
        return np.ones_like(predicted)

    def working(self, y: Floats, predicted: Floats) -> tuple[Floats, Floats]:
        """Return residuals and weights of the squares that approximate the loss near these predictions."""
        r = y - predicted
        with np.errstate(all="ignore"):
            if self.name in ("absolute", "quantile"):
                size = np.maximum(np.abs(r), 1e-3 * np.mean(np.abs(r), axis=-1, keepdims=True))
                return r, np.where(r > 0.0, self.quantile, 1.0 - self.quantile) / size
            if self.name == "huber":
                scale = np.median(np.abs(r), axis=-1, keepdims=True) * 1.4826
                return r, np.minimum(1.0, HUBER * scale / np.abs(r))
            if self.name == "poisson":
                return r, 1.0 / predicted
            if self.name == "logistic":
                chance = 1.0 / (1.0 + np.exp(-predicted))
                spread = np.maximum(chance * (1.0 - chance), 1e-10)
                return (y - chance) / spread, spread
        return r, np.ones_like(r)


SQUARED = Loss()


def _mean_of_known(error: float) -> float:
    """Return the mean square of errors whose expected mean square is 1; as in core/engine/loss.cpp."""
    return error**2 if error > 1.0 else max(2.0 * log(max(error, exp(-0.5))) + 1.0, 0.0)


def r2_of_log_odds(y: Floats, log_odds: Floats, weights: Floats | None = None) -> float:
    """Return the R² of Cox and Snell of predicted log-odds of 1, compared with the share of ones."""
    share = float(np.average(y, weights=weights))
    of_rows = np.logaddexp(0.0, log_odds) - y * log_odds
    least = -(share * log(share) + (1.0 - share) * log(1.0 - share)) if 0.0 < share < 1.0 else 0.0
    return float(1.0 - np.exp(2.0 * (np.average(of_rows, weights=weights) - least)))


@dataclass(frozen=True)
class _Checked:
    """A user's loss with its result checked."""

    function: LossFunction

    def __call__(self, y: Floats, predicted: Floats) -> Floats:
        found = np.asarray(self.function(y, predicted), dtype=np.float64)
        if found.shape != y.shape:
            raise DataError(
                f"the loss must return one value for each of {len(y)} rows, but it returned an array of "
                f"shape {found.shape}"
            )
        return np.ascontiguousarray(found)

    def check(self, y: Floats) -> None:
        """Refuse a function whose result for the mean of y is not a loss."""
        with np.errstate(all="ignore"):
            found = self(y, np.full(len(y), y.mean()))
        is_wrong = ~(np.isfinite(found) & (found >= 0.0))
        if is_wrong.any():
            row = int(np.argmax(is_wrong))
            raise DataError(
                f"the loss returned {found[row]:g} in row {row} for the mean of y as prediction: a loss must "
                "be finite and at least 0"
            )
