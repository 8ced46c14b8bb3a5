"""Typed interface of the native engine, which fits the constants of expressions and scores them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ddsr import _core
from ddsr._core import KnownScores
from ddsr.data.arrays import Floats as Floats
from ddsr.data.checks import MOST_COUNTED, as_rows, check_whole
from ddsr.data.dataset import Dataset
from ddsr.data.row_samples import choose_rows, sampled
from ddsr.data.units import Units
from ddsr.deadline import NEVER, Deadline, TimeIsUp
from ddsr.errors import DataError, ExpressionError
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.expression.known_constant import with_known_constants

Booleans = NDArray[np.bool_]
NO_COSTS: Mapping[str, float] = {}
MOST_THREADS = 1024
LEAST_SPREAD = 1e-153
"""minimum spread of y: squares of smaller residuals lose digits"""


class FitStatus(IntEnum):
    """The end of the fit of one expression's constants."""

    NOTHING_TO_FIT = 0
    """the expression has no constants"""
    CONVERGED = 1
    """no step lowers the sum of squares any more, or the fit is exact up to rounding"""
    OUT_OF_STEPS = 2
    """`max_steps` were used"""
    NON_FINITE = 3
    """a value, even an intermediate one, is infinite or undefined on a row, or a rule is broken: reward 0"""


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """Options of the fit of constants."""

    max_steps: int = 10
    """maximum number of Levenberg–Marquardt trial points per start"""
    n_starts: int = 1
    """number of starts: the first from the given constants, the others at random"""
    tolerance: float = 1e-6
    """a fit ends when a step lowers the sum of squares by less than this share"""
    is_scale_free: bool = False
    """fit scale * expression + offset instead of the bare expression"""

    def __post_init__(self) -> None:
        check_whole(self.max_steps, "max_steps", least=0)
        check_whole(self.n_starts, "n_starts", least=1)
        if not isinstance(self.tolerance, (int, float)) or not 0 <= self.tolerance < np.inf:
            raise DataError(f"tolerance must be a number of at least 0, got {self.tolerance!r}")
        if not isinstance(self.is_scale_free, (bool, np.bool_)):
            raise DataError(f"is_scale_free must be True or False, got {self.is_scale_free!r}")


@dataclass(frozen=True, eq=False)
class Scores:
    """Results of the engine, one row per expression."""

    batch: Batch
    """the expressions with their fitted constants"""
    nrmse: Floats
    """root mean squared error over the spread of y, on all rows; infinite for NON_FINITE"""
    scale: Floats
    offset: Floats
    status: NDArray[np.uint8]
    """values of `FitStatus`"""
    steps: NDArray[np.int32]
    """number of trial points over all starts"""
    is_duplicate: NDArray[np.bool_]
    """whether the fit is that of an earlier row, which differs at most by the order of operands"""
    information: Floats | None = None
    """(B, K, K) mean products of d prediction/d constant, 0 for fixed constants; only from `refit`"""

    @property
    def reward(self) -> Floats:
        """R = 1 / (1 + NRMSE), from 0 to 1; 0 if any value is not finite."""
        return 1.0 / (1.0 + self.nrmse)

    def __len__(self) -> int:
        return len(self.batch)


class Engine:
    """Fits and scores expressions on one data set: a `Dataset`, or columns, which are checked.

    `sample_weight` is relative; `counts` say how often each row was observed. The number of observations is
    Kish's effective number unless `n_counted` is given.

    `limits` are what rules demand of constants and values: expressions that break them have no finite error.
    Without `has_offset`, no offset is fitted with a free scale.

    Constants are fitted on at most `fit_rows` rows, drawn once with `seed`, and refitted on at most
    `refit_rows`; rewards are computed on all rows. The same seed gives the same bits for any `n_threads` and
    for any other expressions in the batch.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        X: Dataset | ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        counts: ArrayLike | None = None,
        n_counted: int | None = None,
        fit_rows: int = 1000,
        refit_rows: int = 100_000,
        options: FitOptions | None = None,
        seed: int = 0,
        n_threads: int = 1,
        limits: _core.Limits | None = None,
        has_offset: bool = True,
        costs: Mapping[str, float] = NO_COSTS,
    ) -> None:
        data = Dataset.of(X, y, sample_weight, counts, names=vocabulary.variables)
        if data.names != vocabulary.variables:
            raise DataError(
                f"the data have the columns {', '.join(data.names)}, but the vocabulary has the variables "
                f"{', '.join(vocabulary.variables)}"
            )
        rows, target, weighting, weights = data.X, data.y, data.weighting, data.weighting.weights
        check_whole(fit_rows, "fit_rows", least=1)
        check_whole(refit_rows, "refit_rows", least=1)
        self.vocabulary = vocabulary
        self.n_rows = len(rows)
        self.n_counted = weighting.n_counted
        """number of observations, on which description lengths depend"""
        if n_counted is not None:
            self.n_counted = check_whole(n_counted, "n_counted", least=1, most=MOST_COUNTED)
        self.n_observed = weighting.n_observed
        """number of observations with weight, on which the intervals of constants depend"""
        self.options = _checked_options(options) or FitOptions()
        self.seed = check_whole(seed, "seed", least=0, most=2**64 - 1)
        self.n_threads = check_whole(n_threads, "n_threads", least=1, most=MOST_THREADS)
        chosen = choose_rows(weights, len(rows), fit_rows, seed)
        every = choose_rows(weights, len(rows), refit_rows, seed) if len(rows) > refit_rows else chosen[:0]
        self._least = rows.min(axis=0)
        self.sampled_rows = sampled(rows if len(chosen) == 0 else rows[chosen])
        """at most 128 of the rows used for fits"""
        self.dataset = data
        self.units = core_units(data.units)
        """units of the columns and of y in the native core; None: not known"""
        self.limits, self.has_offset = limits, has_offset
        self.costs = costs
        """nats for each use of an operator or a variable, by name"""
        self._fit_rows, self._refit_rows = fit_rows, refit_rows
        loss, counted_as = data.loss, (float(self.n_counted), float(self.n_observed))
        self._data = _core.Data(
            *(rows, target, weights, chosen, every),
            *counted_as,
            _core.LossKind[loss.kind],
            loss.quantile,
            loss.known,
            loss.checked_function,
            has_offset=has_offset and data.allows_offset,
            limits=limits,
        )
        counted = target if weights is None else target[weights > 0.0]
        if not LEAST_SPREAD < self._data.spread < np.inf or counted.max() == counted.min():
            raise DataError(
                "the values of y in rows with weight are all the same, or so small or large that their "
                "squares exceed double precision: pass a y that varies, or rescale it"
            )

    @property
    def target(self) -> Floats:
        """y, read-only."""
        return self.dataset.y

    @property
    def rows(self) -> Floats:
        """X, read-only."""
        return self.dataset.X

    def reweighted(self, weights: Floats | None) -> Engine:
        """Return an engine with other weights on the same rows, each row still being one observation."""
        return Engine(
            self.vocabulary,
            self.dataset.reweighted(weights),
            n_counted=self.n_rows,
            fit_rows=self._fit_rows,
            refit_rows=self._refit_rows,
            options=self.options,
            seed=self.seed,
            n_threads=self.n_threads,
            limits=self.limits,
            has_offset=self.has_offset,
            costs=self.costs,
        )

    @property
    def data(self) -> _core.Data:
        """The data in the native core."""
        return self._data

    @property
    def positive_variables(self) -> tuple[str, ...]:
        """Variables that are positive on every row."""
        return self._variables_where(self._least > 0.0)

    @property
    def nonnegative_variables(self) -> tuple[str, ...]:
        """Variables that are at least 0 on every row, including the positive ones."""
        return self._variables_where(self._least >= 0.0)

    def _variables_where(self, is_so: Booleans) -> tuple[str, ...]:
        return tuple(name for name, holds in zip(self.vocabulary.variables, is_so, strict=True) if holds)

    @property
    def spread(self) -> float:
        """σ_y, the weighted standard deviation of y; NRMSE times σ_y is the root mean squared error."""
        return self._data.spread

    @property
    def root_mean_square(self) -> float:
        """√(mean of y²), weighted; the rounding of y is relative to it."""
        return float(np.hypot(self._data.center, self._data.spread))

    def score(
        self,
        expressions: Batch | Iterable[Expression],
        is_fixed: ArrayLike | None = None,
        options: FitOptions | None = None,
        deadline: Deadline = NEVER,
        known: KnownScores | None = None,
    ) -> Scores:
        """Fit the constants of every expression, starting from their present values, and score it.

        `is_fixed`, with the shape of the batch's constants, marks those that keep their value. `options`
        replace those of the engine. Raises `TimeIsUp` if not all are scored by the deadline. Scores in
        `known`, from this engine and these options, are reused, with the same bits.
        """
        batch = as_batch(expressions, self.vocabulary)
        options = _checked_options(options) or self.options
        return self._fit(batch, is_fixed, options, deadline=deadline, known=known)

    def refit(
        self,
        expressions: Batch | Iterable[Expression],
        is_fixed: ArrayLike | None = None,
        *,
        max_steps: int = 100,
        tolerance: float = 1e-14,
        deadline: Deadline = NEVER,
    ) -> Scores:
        """Fit a few good expressions to convergence, as written, on all rows (at most `refit_rows`).

        Scale and offset are not free, whatever the engine's options are. Operators may differ from the
        engine's, but the variables must be the same. At the deadline, fits end where they are.
        """
        batch = as_batch(expressions)
        if batch.vocabulary.variables != self.vocabulary.variables:
            raise ExpressionError("the expressions have different variables than the engine")
        options = FitOptions(max_steps=max_steps, tolerance=tolerance)
        return self._fit(batch, is_fixed, options, refits=True, fit_deadline=deadline)

    def is_finite(self, expression: Expression) -> bool:
        """Return whether all values of an expression, including intermediate ones, are finite on all rows."""
        is_fixed = np.ones((1, expression.n_constants), dtype=bool)
        return bool(np.isfinite(self.refit([expression], is_fixed, max_steps=0).nrmse[0]))

    def fixed_by_units(self, batch: Batch) -> NDArray[np.uint8] | None:
        """Mark the constants that belong to the structure: exponents of something with a unit."""
        if self.units is None:
            return None
        return _core.fixed_by_units(batch.vocabulary.core, self.units, batch.tokens, batch.constants)

    def _fit(
        self,
        batch: Batch,
        is_fixed: ArrayLike | None,
        options: FitOptions,
        *,
        refits: bool = False,
        deadline: Deadline = NEVER,
        fit_deadline: Deadline = NEVER,
        known: KnownScores | None = None,
    ) -> Scores:
        mask = None if is_fixed is None else _as_mask(is_fixed, batch).view(np.uint8)
        fixed = self.fixed_by_units(batch)
        if fixed is not None:
            mask = fixed if mask is None else mask | fixed
        with _bad_batch_is_an_expression_error():
            found = _core.score(
                batch.vocabulary.core,
                self._data,
                batch.tokens,
                batch.constants,
                is_fixed=mask,
                refits=refits,
                measures_information=refits,
                max_steps=options.max_steps,
                n_starts=options.n_starts,
                tolerance=options.tolerance,
                is_scale_free=bool(options.is_scale_free),
                seed=self.seed,
                n_threads=self.n_threads,
                seconds=deadline.seconds_left,
                fit_seconds=fit_deadline.seconds_left,
                known=known,
            )
        if found is None:
            raise TimeIsUp
        fitted = replace(batch, constants=found.pop("constants"))
        found["is_duplicate"] = found["is_duplicate"].astype(bool)
        return Scores(fitted, **found)


def values(
    expressions: Batch | Iterable[Expression], X: ArrayLike, n_threads: int = 1
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return values of each expression on each row of X, (B, n_rows), and whether they are all finite.

    Intermediate values count: tanh(1/x) at x = 0 is not finite, though tanh(inf) is 1.
    """
    batch = as_batch(expressions)
    rows = _complete_rows(X, batch.vocabulary)
    check_whole(n_threads, "n_threads", least=1, most=MOST_THREADS)
    with _bad_batch_is_an_expression_error():
        found, is_finite = _core.values(batch.vocabulary.core, rows, batch.tokens, batch.constants, n_threads)
    return found, is_finite.astype(bool)


def gradients(
    expressions: Batch | Iterable[Expression], X: ArrayLike, n_threads: int = 1
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return d value/d constant, (B, n_rows, K), and whether all values and derivatives are finite.

    The derivative of x^c with respect to c is 0 where x <= 0, since no exponent near c is defined there.
    """
    batch = as_batch(expressions)
    rows = _complete_rows(X, batch.vocabulary)
    check_whole(n_threads, "n_threads", least=1, most=MOST_THREADS)
    with _bad_batch_is_an_expression_error():
        found, is_finite = _core.gradients(
            batch.vocabulary.core, rows, batch.tokens, batch.constants, n_threads
        )
    return found, is_finite.astype(bool)


def _complete_rows(X: ArrayLike, vocabulary: Vocabulary) -> Floats:
    """Return X with the columns of the known constants, if it does not have them yet."""
    known, inputs = vocabulary.known_constants, vocabulary.inputs
    if known and np.ndim(X) == 2 and np.shape(X)[1] == len(inputs):
        return with_known_constants(as_rows(X, inputs), known)
    return as_rows(X, vocabulary.variables)


def core_units(units: Units | None) -> _core.Units | None:
    """Return units for the native core."""
    return None if units is None else _core.Units(*units.parts, units.laws, units.of_constants)


def as_batch(expressions: Batch | Iterable[Expression], vocabulary: Vocabulary | None = None) -> Batch:
    """Return expressions as a batch and check their vocabulary."""
    batch = expressions if isinstance(expressions, Batch) else Batch.of(expressions)
    if vocabulary is not None and batch.vocabulary != vocabulary:
        raise ExpressionError("the expressions have a different vocabulary than the engine")
    return batch


def _as_mask(is_fixed: ArrayLike, batch: Batch) -> Booleans:
    mask = np.asarray(is_fixed)
    if mask.dtype != np.bool_ or mask.shape != batch.constants.shape:
        raise DataError(
            f"is_fixed must be a table of bools with the shape of the constants, {batch.constants.shape}; "
            f"got {mask.dtype} of shape {mask.shape}"
        )
    return np.ascontiguousarray(mask)


def _checked_options(options: FitOptions | None) -> FitOptions | None:
    if options is not None and not isinstance(options, FitOptions):
        raise DataError(f"options must be FitOptions(...), got {options!r}")
    return options


@contextmanager
def _bad_batch_is_an_expression_error() -> Iterator[None]:
    """Turn errors of the core, which name row and position, into `ExpressionError`."""
    try:
        yield
    except ValueError as error:
        raise ExpressionError(str(error)) from None
