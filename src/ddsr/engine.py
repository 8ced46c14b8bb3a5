"""The typed face of the native engine: expressions and data in, fitted constants and rewards out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ddsr import _core
from ddsr._core import KnownScores
from ddsr.data import MOST_COUNTED, check_rows, check_target, check_whole
from ddsr.deadline import NEVER, Deadline, TimeIsUp
from ddsr.errors import DataError, ExpressionError
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.row_samples import Audited, choose_rows, outer, repeated, sampled, shuffled
from ddsr.weighting import Weighting

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
MOST_THREADS = 1024
LEAST_SPREAD = 1e-153
"""of y: the squares of smaller residuals lose their digits"""


class FitStatus(IntEnum):
    """How the fit of one expression's constants ended."""

    NOTHING_TO_FIT = 0
    """the expression has no constants"""
    CONVERGED = 1
    """no step lowers the squares any more, or the fit is exact to rounding"""
    OUT_OF_STEPS = 2
    """`max_steps` were spent"""
    NON_FINITE = 3
    """some value, intermediate ones included, is infinite or undefined on some row: reward 0"""


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """How constants are fitted."""

    max_steps: int = 10
    """trial points of Levenberg–Marquardt per start"""
    n_starts: int = 1
    """the first from the constants given, the others at random"""
    tolerance: float = 1e-6
    """ends when a step lowers the sum of squares by less than this share"""
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
    """What the engine found, a row an expression."""

    batch: Batch
    """the expressions with their fitted constants"""
    nrmse: Floats
    """root mean squared error over the spread of y, on all rows; infinite for NON_FINITE"""
    scale: Floats
    offset: Floats
    status: NDArray[np.uint8]
    """values of `FitStatus`"""
    steps: NDArray[np.int32]
    """trial points spent, over all starts"""
    is_duplicate: NDArray[np.bool_]
    """shares the fit of an earlier row that differs from it by the order of operands at most"""
    information: Floats | None = None
    """(B, K, K) mean of the products of d prediction/d constant, 0 for one held fixed; only of `refit`"""

    @property
    def reward(self) -> Floats:
        """R = 1 / (1 + NRMSE), in [0, 1]; 0 when any value is not finite."""
        return 1.0 / (1.0 + self.nrmse)

    def __len__(self) -> int:
        return len(self.batch)


class Engine:
    """Fits and scores expressions on one data set.

    `sample_weight` are relative, in any unit; `counts` say how often each row was observed.
    The rows are worth Kish's effective number of observations unless `n_counted` is given.

    Constants are fitted on at most `fit_rows` rows, drawn once by `seed`, and refitted on at most
    `refit_rows`; rewards are taken over all rows.
    The same seed gives the same bits whatever `n_threads` is and whatever else is in the batch.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        counts: ArrayLike | None = None,
        n_counted: int | None = None,
        fit_rows: int = 1000,
        refit_rows: int = 100_000,
        options: FitOptions | None = None,
        seed: int = 0,
        n_threads: int = 1,
    ) -> None:
        rows = check_rows(X, vocabulary.variables)
        target = check_target(y, len(rows))
        weighting = Weighting.of(sample_weight, counts, target)
        weights = weighting.weights
        check_whole(fit_rows, "fit_rows", least=1)
        check_whole(refit_rows, "refit_rows", least=1)
        self.vocabulary = vocabulary
        self.n_rows = len(rows)
        self.n_counted = weighting.n_counted
        """observations that the rows are worth, which description lengths depend on"""
        if n_counted is not None:
            self.n_counted = check_whole(n_counted, "n_counted", least=1, most=MOST_COUNTED)
        self.n_observed = weighting.n_observed
        """observations that carry weight, which the intervals of constants depend on"""
        self.options = _checked_options(options) or FitOptions()
        self.seed = check_whole(seed, "seed", least=0, most=2**64 - 1)
        self.n_threads = check_whole(n_threads, "n_threads", least=1, most=MOST_THREADS)
        chosen = choose_rows(weights, len(rows), fit_rows, seed)
        every = choose_rows(weights, len(rows), refit_rows, seed) if len(rows) > refit_rows else chosen[:0]
        self._least = rows.min(axis=0)
        self.sampled_rows = sampled(rows if len(chosen) == 0 else rows[chosen])
        """at most 128 of the rows to fit on"""
        self._rows, self._target, self._weighting = rows, target, weighting
        self._fit_rows, self._refit_rows = fit_rows, refit_rows
        self._outer_rows: dict[int, Floats] = {}
        self.audited = Audited.of(rows, target, weighting, seed)
        """at most 3,000 rows that carry weight, to look at one by one"""
        observations = float(self.n_counted), float(self.n_observed)
        self._data = _core.Data(rows, target, weights, chosen, every, *observations)
        if not LEAST_SPREAD < self._data.spread < np.inf:
            raise DataError(
                "the rows of y that carry weight are all the same, or so small or large that their "
                "squares leave double precision: give a y that varies, or rescale it"
            )

    @property
    def target(self) -> Floats:
        """y."""
        return self._target

    @property
    def rows(self) -> Floats:
        """X."""
        return self._rows

    def reweighted(self, weights: Floats | None) -> Engine:
        """On the same rows with other weights, each row being one observation all the same."""
        return Engine(
            self.vocabulary,
            self._rows,
            self._target,
            weights,
            n_counted=self.n_rows,
            fit_rows=self._fit_rows,
            refit_rows=self._refit_rows,
            options=self.options,
            seed=self.seed,
            n_threads=self.n_threads,
        )

    @property
    def data(self) -> _core.Data:
        """The data as the native core holds it."""
        return self._data

    # Thousands of columns take seconds: what is made column by column is made when it is asked for.

    @cached_property
    def shuffled_rows(self) -> Floats:
        """At most 1,000 rows, each column drawn from X on its own: its range, in other company."""
        return shuffled(self._rows, self.seed)

    @cached_property
    def _observed_rows(self) -> Floats:
        return repeated(self._rows, self._weighting)

    def outer_rows(self, columns: Iterable[int] | None = None) -> Floats:
        """At most two for each column: outermost rows that stand alone, moved on by as much as they do.

        Without `columns`, for all of them.
        """
        numbers = range(self._rows.shape[1]) if columns is None else sorted(columns)
        for column in numbers:
            if column not in self._outer_rows:
                self._outer_rows[column] = outer(self._observed_rows, column)
        found = [self._outer_rows[column] for column in numbers]
        return np.concatenate([np.empty((0, self._rows.shape[1])), *found])

    @property
    def positive_variables(self) -> tuple[str, ...]:
        """Variables above 0 on every row."""
        return self._variables_where(self._least > 0.0)

    @property
    def nonnegative_variables(self) -> tuple[str, ...]:
        """Variables of at least 0 on every row, the positive ones among them."""
        return self._variables_where(self._least >= 0.0)

    def _variables_where(self, is_so: Booleans) -> tuple[str, ...]:
        return tuple(name for name, holds in zip(self.vocabulary.variables, is_so, strict=True) if holds)

    @property
    def spread(self) -> float:
        """σ_y, the weighted standard deviation of y: NRMSE times it is the root mean squared error."""
        return self._data.spread

    @property
    def root_mean_square(self) -> float:
        """√(mean of y²), weighted: what the rounding of y is relative to."""
        return float(np.hypot(self._data.center, self._data.spread))

    def score(
        self,
        expressions: Batch | Iterable[Expression],
        is_fixed: ArrayLike | None = None,
        options: FitOptions | None = None,
        deadline: Deadline = NEVER,
        known: KnownScores | None = None,
    ) -> Scores:
        """Fit the constants of every expression, starting from those it has, and judge it.

        `is_fixed`, shaped like the batch's constants, names those that keep their value. `options` stand in
        for the engine's own. Raises `TimeIsUp` where not all are judged by the deadline. What is `known`, of
        this engine and these options, is not fitted again; it has the same bits.
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
        """Fit the few best to convergence, as they are written, on all rows (`refit_rows` at most).

        The scale is not free, whatever the engine's options say. Operators may be others than the engine's;
        the variables must be the same. After the deadline fits end where they are.
        """
        batch = as_batch(expressions)
        if batch.vocabulary.variables != self.vocabulary.variables:
            raise ExpressionError("the expressions have other variables than the engine")
        options = FitOptions(max_steps=max_steps, tolerance=tolerance)
        return self._fit(batch, is_fixed, options, refits=True, fit_deadline=deadline)

    def is_finite(self, expression: Expression) -> bool:
        """Whether all values of an expression are finite on all rows, those on the way to them too."""
        is_fixed = np.ones((1, expression.n_constants), dtype=bool)
        return bool(np.isfinite(self.refit([expression], is_fixed, max_steps=0).nrmse[0]))

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
    """Values of each expression on each row of X, (B, n_rows), and whether all of an expression's are finite.

    Intermediate values count: tanh(1/x) at x = 0 is not finite, though tanh(inf) is 1.
    """
    batch = as_batch(expressions)
    rows = check_rows(X, batch.vocabulary.variables)
    check_whole(n_threads, "n_threads", least=1, most=MOST_THREADS)
    with _bad_batch_is_an_expression_error():
        found, is_finite = _core.values(batch.vocabulary.core, rows, batch.tokens, batch.constants, n_threads)
    return found, is_finite.astype(bool)


def gradients(
    expressions: Batch | Iterable[Expression], X: ArrayLike, n_threads: int = 1
) -> tuple[Floats, NDArray[np.bool_]]:
    """d value/d constant, (B, n_rows, K), and whether all values and derivatives are finite.

    The derivative of x^c in c is 0 where x <= 0: no other exponent near c is defined there.
    """
    batch = as_batch(expressions)
    rows = check_rows(X, batch.vocabulary.variables)
    check_whole(n_threads, "n_threads", least=1, most=MOST_THREADS)
    with _bad_batch_is_an_expression_error():
        found, is_finite = _core.gradients(
            batch.vocabulary.core, rows, batch.tokens, batch.constants, n_threads
        )
    return found, is_finite.astype(bool)


def as_batch(expressions: Batch | Iterable[Expression], vocabulary: Vocabulary | None = None) -> Batch:
    """A batch of whatever expressions are given, of one vocabulary."""
    batch = expressions if isinstance(expressions, Batch) else Batch.of(expressions)
    if vocabulary is not None and batch.vocabulary != vocabulary:
        raise ExpressionError("the expressions have another vocabulary than the engine")
    return batch


def _as_mask(is_fixed: ArrayLike, batch: Batch) -> Booleans:
    mask = np.asarray(is_fixed)
    if mask.dtype != np.bool_ or mask.shape != batch.constants.shape:
        raise DataError(
            f"is_fixed must be a table of True and False of shape {batch.constants.shape}, like the batch's "
            f"constants; got {mask.dtype} of shape {mask.shape}"
        )
    return np.ascontiguousarray(mask)


def _checked_options(options: FitOptions | None) -> FitOptions | None:
    if options is not None and not isinstance(options, FitOptions):
        raise DataError(f"options must be FitOptions(...), got {options!r}")
    return options


@contextmanager
def _bad_batch_is_an_expression_error() -> Iterator[None]:
    """The core checks each row of tokens; it names the row and the position."""
    try:
        yield
    except ValueError as error:
        raise ExpressionError(str(error)) from None
