"""The estimator: symbolic regression with the interface of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from ddsr.data.arrays import Floats
from ddsr.data.checks import check_target
from ddsr.data.dataset import RowWeights
from ddsr.data.frames import read_targets
from ddsr.data.known_constants import ConstantsLike
from ddsr.data.losses import LossFunction, r2_of_log_odds
from ddsr.data.times import check_no_times
from ddsr.errors import DataError
from ddsr.estimator.forms import Index
from ddsr.estimator.prior_parameter import PriorLike
from ddsr.estimator.symbolic import SymbolicEstimator
from ddsr.expression.own_operators import OwnOperator
from ddsr.grammar.rules import RulesLike
from ddsr.search.loop import SearchState
from ddsr.search.presets import ConfigLike
from ddsr.search.problem import Given
from ddsr.selection.guards.outliers import outlying_rows


class DDSRRegressor(RegressorMixin, SymbolicEstimator):  # type: ignore[misc]
    """Symbolic regression: find equations y = f(X) and predict with one of them.

    Parameters
    ----------
    preset : str
        Search method: `ddsr` (evolution together with a generator that learns during the search), `paper`
        (masked diffusion with token-wise GRPO and long short-term memory), `dsr`, `uniform` (random
        expressions), or a variant such as `paper:memory=short` or `ddsr:generator=none`.
    max_time : float or None
        Time limit in seconds, including the choice of an equation. It can end the search within an epoch.
    max_epochs : int or None
        Maximum number of epochs. None means no limit if `max_time` is given, otherwise the preset's number.
    stop_at : str or None
        Condition at which the search ends, such as "r2 > 0.999 and size < 10", or "loss < 0.01": one equation
        of the front must meet all parts. `size` is the complexity.
    n_jobs : int or None
        Number of threads: None means 1, and −1 all cores. The equations do not depend on it. It does not
        apply to torch: use `torch.set_num_threads`, which can change the last bits of torch's results.
    random_state : int, RandomState or None
        Random seed. The same number gives the same equations on the same machine, unless `max_time` is given.
    device : "auto", "cpu" or "cuda"
        Device for the networks; "auto" means the GPU if there is one.
    operators : sequence of str or None
        Names or symbols of operators, such as `("+", "*", "sin")`; None means those of the preset. Your own
        are formulas, such as `"lorentz(x) = 1 / (1 + x^2)"`, or `CustomOperator` for Python functions.
    template : str or None
        Known part of the formula, such as "A * exp(-f(t)) + g(x, z)": names that are neither columns nor
        operators are constants, or unknown functions of the named columns, for which the search finds
        expressions (docs/templates.md). `f(...)` is a function of all columns.
    units : dict, "names" or None
        Unit of every column, such as `{"m": "kg", "v": "m/s"}`, with "" for a number; "names" reads them from
        column names such as "T [K]". Only equations with consistent units are listed (docs/units.md).
    y_units : str, sequence of str or None
        Unit of y, or of each of its columns.
    unit_constants : int
        Number of fitted constants of an equation that may have a unit. The others are numbers.
    constants : dict or sequence of str
        Known constants that equations may use by name, such as `{"G": "6.674e-11 m^3/kg/s^2", "kB": None}`;
        None means the value of the table of physical constants (docs/units.md).
    rules : sequence of rules, texts or dicts
        Rules that equations must obey: `Forbid`, `Nesting`, `AtMost`, `MustAppear`, or the same as text, such
        as "forbid exp on mass", or as a dict (docs/estimator.md).
    config : DefaultConfig, PaperConfig, DSRConfig, dict or None
        Settings of the method: a dict of those that differ from the preset's, or a complete object.
    prior : "default", path or None
        Weights of the pretrained generator that `ddsr` and `paper:start=prior` use: those of the package
        (unless `config` or the preset's name says otherwise), those of a file, or None to search without it.
    model_selection : "description_length", "accuracy", "best" or None
        How the equation for predictions is chosen. "description_length" chooses the one with the shortest
        description, after terms are dropped and constants fixed at simple numbers where that shortens it.
        This takes the last part of `max_time`, or up to a minute without a limit. "accuracy" chooses the one
        with the highest reward. "best" is a trade-off between error and size, without simplification. None
        means the preset's default: "description_length" for `ddsr`, "accuracy" for the others.
    round_constants : bool
        Whether constants become simple numbers, such as 2 or π, where that shortens the description. If not,
        all are as fitted, except whole exponents.
    guesses : sequence of str
        Expressions to start from, such as "C * sin(x) + 0.5". Numbers are starting values of constants; `C`
        or `?` is an unknown constant. For several columns of y, pass one list for all or one per column.
    warm_start : bool
        Whether `fit` starts from the equations of the previous fit.
    loss : str or callable
        What the fit minimises: "squared", "absolute", "huber", "relative", "quantile:0.9", "poisson",
        "logistic", or a function of arrays y and predictions that returns the loss of each row
        (docs/losses.md).
    contributors : sequence of contributors
        Your own sources of expressions for the preset `ddsr`: objects, which each search copies, or classes
        or functions that take the `Problem` and return such an object (docs/contributors.md).
    callback : callable or None
        Called with the `SearchState` after every epoch. If it raises `KeyboardInterrupt`, the fit ends.
    verbose : int
        0 shows nothing; 1 shows the search as `ddsr fit` does, then the chosen equation.
    missing : "error", "drop" or "impute"
        What to do with missing values: refuse them, drop their rows (predictions are NaN there), or replace
        them by the median of the column in `fit`, or its most frequent category.
    categories : "error" or "one-hot"
        What to do with columns of text or categories: refuse them, or replace each by one column of 0 and 1
        per category, such as `colour=red`.
    dates : "error" or "days"
        What to do with columns of dates: refuse them, or count days since the first date in `fit`, as in
        `date [d]`.

    Attributes
    ----------
    With several columns of y, each attribute from `equations_` to `noise_` is a list.

    equations_ : DataFrame
        The Pareto front, one row per equation: complexity (tokens), loss (mean squared error), r2,
        description_length (nats, up to a shared term), reward, equation, and is_best (the chosen equation).
    front_ : ParetoFront
        The same equations as `Expression` objects with their errors.
    best_ : FrontEntry
        The chosen equation, used for predictions.
    forms_ : DataFrame
        The forms that explain the data, with their weights, the likeliest first.
    curves_ : DataFrame
        Learning curves, one row per epoch.
    n_epochs_ : int
        Number of epochs.
    fit_sample_ : DataFrame
        True and predicted values on at most 500 training rows.
    fit_inputs_ : DataFrame
        The inputs on the same rows, without those that no listed or likely equation uses.
    stopped_by_ : str
        What ended the search: "exact" (NRMSE below 1e-12 or below `config.evolution.exact`), "max_time",
        "max_epochs", "max_evaluations", "stop_at", "no_progress" (after `config.patience` epochs),
        "exhausted" (every expression was tried) or "interrupt".
    noise_ : str
        "relative" if errors were found to grow with y, otherwise "constant".
    fit_seconds_ : float
        Duration of the fit in seconds.
    outcomes_ : list of Outcome
        The result of the fit of each output, without the data, from which the other attributes are computed.
    n_fits_ : int
        Number of fits: this one and, with `warm_start`, those before it.
    is_weighted_, has_counts_, has_errors_ : bool
        Whether `fit` was given weights, counts and standard errors.
    preparation_ : Preparation or None
        What `missing`, `categories` and `dates` did to the table (`notes`), which `print` shows, too.
    n_features_in_, feature_names_in_, n_outputs_, target_names_
        As in scikit-learn; `target_names_` has the name of y or of each of its columns.

    There is a model from the start of a fit, because a constant and a straight line in each variable are
    fitted before the search. A `KeyboardInterrupt` ends `fit` like a time limit. Any other exception, such as
    one raised by the handler of an alarm signal, passes through `fit` and leaves the model of the last
    finished epoch.
    """

    def __init__(
        self,
        preset: str = "ddsr",
        *,
        max_time: float | None = None,
        max_epochs: int | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        device: str = "auto",
        operators: Sequence[str | OwnOperator] | None = None,
        template: str | None = None,
        rules: RulesLike = (),
        config: ConfigLike = None,
        prior: PriorLike = "default",
        model_selection: str | None = None,
        guesses: Sequence[str] | Sequence[Sequence[str]] = (),
        warm_start: bool = False,
        loss: str | LossFunction = "squared",
        contributors: Sequence[Given] = (),
        callback: Callable[[SearchState], object] | None = None,
        verbose: int = 0,
        missing: str = "error",
        categories: str = "error",
        dates: str = "error",
        stop_at: str | None = None,
        round_constants: bool = True,
        units: Mapping[str, str] | str | None = None,
        y_units: str | Sequence[str] | None = None,
        unit_constants: int = 0,
        constants: ConstantsLike = (),
    ) -> None:
        self.preset = preset
        self.max_time = max_time
        self.max_epochs = max_epochs
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.device = device
        self.operators = operators
        self.template = template
        self.rules = rules
        self.config = config
        self.prior = prior
        self.model_selection = model_selection
        self.guesses = guesses
        self.warm_start = warm_start
        self.loss = loss
        self.contributors = contributors
        self.callback = callback
        self.verbose = verbose
        self.missing = missing
        self.categories = categories
        self.dates = dates
        self.stop_at = stop_at
        self.round_constants = round_constants
        self.units = units
        self.y_units = y_units
        self.unit_constants = unit_constants
        self.constants = constants

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        y_err: ArrayLike | None = None,
    ) -> DDSRRegressor:
        """Search for equations. Columns of a DataFrame keep their names; others are called x0, x1, ….

        `sample_weight` is relative: multiplying it by a constant changes nothing. `counts` says how often
        each row was observed, in whole numbers, as if the row were repeated. `y_err` has the standard error
        of each y; it determines the weights and the intervals of the constants.
        """
        return self._fit(X, y, RowWeights(sample_weight, counts, y_err))

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return R² of the chosen equation on these rows, without rows that `missing` drops.

        For the logistic loss, this is the R² of Cox and Snell, as in `equations_`.
        """
        check_no_times(y, "y")
        check_is_fitted(self)
        has_log_odds = self.outcomes_[0].loss.name == "logistic"
        if not (self._allows_gaps or has_log_odds):
            return float(super().score(X, y, sample_weight))
        true, predicted, kept = self._compared(X, y, None)
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)[kept]
        if has_log_odds:
            return r2_of_log_odds(true, predicted, weights)
        return float(r2_score(true, predicted, sample_weight=weights))

    def outliers(self, X: ArrayLike, y: ArrayLike, index: Index = None) -> Any:
        """Return the positions of outliers, rows with unusually large residuals, the largest first.

        Rows where the equation is undefined come first. Outliers are only reported for 20 rows or more, and
        at most one row in fifty, but at least one is allowed (docs/selection.md). For several columns of y,
        the result is a list of arrays.
        """
        true, predicted, kept = self._compared(X, y, index)
        columns = [check_target(column, len(true)) for column in true.T]
        found = [kept[outlying_rows(*pair)] for pair in zip(predicted.T, columns, strict=True)]
        return found[0] if len(found) == 1 else found

    def _compared(self, X: ArrayLike, y: ArrayLike, index: Index) -> tuple[Floats, Floats, NDArray[np.intp]]:
        """Return true and predicted values, a column per output, and the positions of their rows.

        Rows with missing values are left out if `missing` allows them.
        """
        targets = read_targets(y).columns
        predicted = self.predict(X, index).reshape(-1, len(self.outcomes_))
        if targets.shape != predicted.shape:
            raise DataError(
                f"y has the shape {targets.shape}, but predictions have the shape {predicted.shape}"
            )
        if not self._allows_gaps:
            return targets, predicted, np.arange(len(targets))
        kept = np.flatnonzero(~np.isnan(np.hstack([self._new_rows(X), targets])).any(axis=1))
        return targets[kept], predicted[kept], kept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.input_tags.allow_nan = self.missing in ("drop", "impute")
        tags.input_tags.categorical = tags.input_tags.string = self.categories == "one-hot"
        return tags
