"""Noise model: constant errors, or errors in proportion to the measured value.

Most laboratory measurements are accurate to some per cent of their value. With least squares, the few largest
values of such a table decide the fit. The cheap structures show the kind of noise: the one under which the
best of them has the shorter description.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ddsr.engine import Engine, Floats, values
from ddsr.expression import Batch
from ddsr.price.code_in_use import code_in_use
from ddsr.price.enumeration import TOLERANCE, CheapForms, FittedForm
from ddsr.price.rounding import EXACT

MOST_NATS, MOST_STRUCTURES = 11.0, 600
N_STARTS, MAX_STEPS = 4, 25
N_COMPARED = 10  # best forms under one kind of error that are also fitted under the other
N_BEST = 40  # forms fitted with weights by y that are measured with errors proportional to the prediction
# Weights use the prediction of the best form, clipped to this factor of the measured value.
MOST_OFF = 2.0
# With more rows, larger structures are worth their price, and the misfit of small ones would look like noise.
# A relative error above LARGE_ERROR is also a misfit, unless it is a small share of the spread of log |y|.
MOST_ROWS, LARGE_ERROR, MOST_ERROR, MOST_SHARE = 100, 0.15, 0.5, 0.2
MOST_RANGE = 1e12  # range of y above which the weights of the largest rows would be rounding
LEAST_MEAN_SQUARE = EXACT**2  # of relative residuals


@dataclass(frozen=True)
class NoiseModel:
    """The kind of errors, and the matching weights of the rows."""

    kind: Literal["constant", "relative"]
    weights: Floats | None = None
    """None if all rows have the same weight"""


CONSTANT = NoiseModel("constant")


def size_where_errors_are_measured(y: Floats) -> float:
    """Return the size of y at which the error equals the weighted loss, if errors are relative.

    With weights 1/y² the loss is the mean of the squared relative errors times this size squared.
    """
    return float(1.0 / np.sqrt(np.mean(1.0 / y**2)))


def may_be_relative(y: Floats) -> bool:
    """Return whether errors can be proportional to y: few rows, of one sign, within a limited range."""
    has_one_sign = bool(np.all(y > 0.0) or np.all(y < 0.0))
    return len(y) <= MOST_ROWS and has_one_sign and bool(np.abs(y).max() <= MOST_RANGE * np.abs(y).min())


def relative_weights(y: Floats) -> Floats:
    """Return the weights of rows whose errors are proportional to y."""
    return np.asarray((np.abs(y).max() / y) ** 2)


def noise_of_loss(engine: Engine) -> NoiseModel | None:
    """Return the noise model that the loss implies; None for squared errors, whose noise the data show."""
    name, data = engine.dataset.loss.name, engine.dataset
    if name == "squared":
        return None
    if name != "relative":
        return CONSTANT
    weights = relative_weights(data.y)
    return NoiseModel("relative", weights if data.sample_weight is None else weights * data.sample_weight)


def find_noise(engine: Engine, most_structures: int = MOST_STRUCTURES) -> NoiseModel:
    """Return the noise model under which the best cheap structure is shorter; constant if y changes sign."""
    y = engine.target
    if not may_be_relative(y):
        return CONSTANT
    engines = engine.reweighted(None), engine.reweighted(relative_weights(y))
    constant, relative = (_best(each, most_structures) for each in engines)
    # a fit that failed under one kind of error starts from its result under the other
    return noise_shown_by(
        constant + _fitted_again(relative[:N_COMPARED], engines[0]),
        relative + _fitted_again(constant[:N_COMPARED], engines[1]),
        engine.rows,
        y,
    )


def noise_shown_by(
    constant: Sequence[FittedForm], relative: Sequence[FittedForm], X: Floats, y: Floats
) -> NoiseModel:
    """Return the noise model under which the best form is shorter.

    `constant` are forms fitted with constant errors, `relative` with errors in proportion to y.
    """
    is_exact = any(form.mean_square <= LEAST_MEAN_SQUARE * np.mean(y**2) for form in constant)
    if not constant or not relative or is_exact:
        return CONSTANT
    predicted, _ = values([form.expression for form in relative], X)
    lengths = [_relative_length(form, row, y) for form, row in zip(relative, predicted, strict=True)]
    best = int(np.argmin(lengths))
    error = np.sqrt(np.mean((predicted[best] / y - 1.0) ** 2))
    shortest = min(form.length(len(y)) for form in constant)
    most = max(LARGE_ERROR, min(MOST_ERROR, MOST_SHARE * float(np.std(np.log(np.abs(y))))))
    if not (lengths[best] < shortest and error <= most):
        return CONSTANT
    size = np.clip(np.abs(predicted[best]), np.abs(y) / MOST_OFF, np.abs(y) * MOST_OFF)
    return NoiseModel("relative", (np.mean(np.abs(y)) / size) ** 2)


def _best(engine: Engine, most: int) -> list[FittedForm]:
    """Return the cheap forms with the shortest descriptions, shortest first."""
    cheap = CheapForms(engine, code_in_use(), MOST_NATS, most)
    found = cheap.fit(n_starts=N_STARTS, max_steps=MAX_STEPS)
    return sorted(found, key=lambda form: form.length(engine.n_counted))[:N_BEST]


def _fitted_again(forms: Sequence[FittedForm], engine: Engine) -> list[FittedForm]:
    """Refit forms from their constants, with the weights of an engine."""
    if not forms:
        return []
    batch = Batch.of(form.expression for form in forms)
    is_fixed = ~batch.mask(form.is_free for form in forms)
    scores = engine.refit(batch, is_fixed, max_steps=MAX_STEPS, tolerance=TOLERANCE)
    mean_squares = (scores.nrmse * engine.spread) ** 2
    return [
        replace(form, expression=scores.batch[row], mean_square=float(mean_squares[row]))
        for row, form in enumerate(forms)
        if np.isfinite(mean_squares[row])
    ]


def _relative_length(form: FittedForm, predicted: Floats, y: Floats) -> float:
    """Return the nats with errors proportional to the prediction, on the scale of `FittedForm.length`."""
    if not np.all(predicted * np.sign(y[0]) > 0.0):
        return np.inf
    with np.errstate(over="ignore"):  # for predictions far too small
        mean_square = max(float(np.mean(((y - predicted) / predicted) ** 2)), LEAST_MEAN_SQUARE)
    data = 0.5 * len(y) * np.log(mean_square) + np.log(np.abs(predicted)).sum()
    return float(form.nats_of_form(len(y)) + data)
