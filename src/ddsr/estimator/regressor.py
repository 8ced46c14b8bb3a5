"""The estimator: symbolic regression with the interface of scikit-learn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state

from ddsr.config import SearchConfig
from ddsr.data.checks import check_rows, check_target
from ddsr.data.dataset import Dataset
from ddsr.data.frames import Targets, naming, read_rows, read_targets
from ddsr.data.times import check_no_times
from ddsr.engine import values
from ddsr.errors import DataError
from ddsr.estimator.budget import Budget
from ddsr.estimator.fit import Fit, Journal, Outcome, run
from ddsr.estimator.forms import EquationForms, Index
from ddsr.estimator.model_selection import find_selection
from ddsr.estimator.notebook import NotebookDisplay
from ddsr.estimator.prior_parameter import PriorLike, with_prior
from ddsr.estimator.saved_models import SavedModels
from ddsr.estimator.seeding import check_same_columns, time_for_seeds
from ddsr.estimator.tables import curves_table, equations_table, sample_table
from ddsr.estimator.threads import threads_of
from ddsr.estimator.uncertainty import Uncertainty
from ddsr.expression import Expression, Vocabulary
from ddsr.expression.definitions import own_among, read_operators
from ddsr.expression.own_operators import OwnOperator
from ddsr.expression.template_parser import parse_template
from ddsr.grammar import Rule
from ddsr.grammar.guesses import known_equations, only_filling, read_guesses
from ddsr.grammar.rules import RulesLike, read_rules
from ddsr.search.loop import SearchState
from ddsr.search.presets import ConfigLike, Method, parse_method, pose, settings, start
from ddsr.search.problem import Given, Problem
from ddsr.selection.guards.outliers import outlying_rows

LARGEST_SEED = 2**31 - 1


class DDSRRegressor(
    EquationForms,
    Uncertainty,
    SavedModels,
    NotebookDisplay,
    RegressorMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Symbolic regression: find equations y = f(X) and predict with one of them.

    Parameters
    ----------
    preset : str
        Search method: `ddsr` (evolution together with a generator that learns during the search), `paper`
        (masked diffusion with token-wise GRPO and long short-term memory), `dsr`, `uniform` (random
        expressions), or a variant such as `paper:memory=short` or `ddsr:generator=none`.
    max_time : float or None
        Time limit in seconds, including the choice of an equation. It also holds within an epoch.
    max_epochs : int or None
        Maximum number of epochs. None means no limit if `max_time` is given, otherwise the preset's number.
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
    guesses : sequence of str
        Expressions to start from, such as "C * sin(x) + 0.5". Numbers are starting values of constants; `C`
        or `?` is an unknown constant. For several columns of y, pass one list for all or one per column.
    warm_start : bool
        Whether `fit` starts from the equations of the previous fit.
    contributors : sequence of contributors
        Your own sources of expressions for the preset `ddsr`: objects, which each search copies, or classes
        or functions that take the `Problem` and return such an object (docs/contributors.md).
    callback : callable or None
        Called with the `SearchState` after every epoch. If it raises `KeyboardInterrupt`, the fit ends.

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
    stopped_by_ : str
        What ended the search: "exact" (NRMSE below 1e-12 or below `config.evolution.exact`), "max_time",
        "max_epochs", "max_evaluations", "no_progress" (after `config.patience` epochs), "exhausted" (every
        expression was tried) or "interrupt".
    noise_ : str
        "relative" if errors were found to grow with y, otherwise "constant".
    fit_seconds_ : float
        Duration of the fit in seconds.
    outcomes_ : list of Outcome
        The result of the fit of each output, without the data, from which the other attributes are computed.
    n_fits_ : int
        Number of fits: this one and, with `warm_start`, those before it.
    is_weighted_, has_counts_ : bool
        Whether `fit` was given weights and counts.
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
        contributors: Sequence[Given] = (),
        callback: Callable[[SearchState], object] | None = None,
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
        self.contributors = contributors
        self.callback = callback

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
    ) -> DDSRRegressor:
        """Search for equations. Columns of a DataFrame keep their names; others are called x0, x1, ….

        `sample_weight` is relative: multiplying it by a constant changes nothing. `counts` says how often
        each row was observed, in whole numbers, as if the row were repeated.
        """
        return self._fit(X, y, sample_weight, counts)

    def _fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        counts: ArrayLike | None = None,
        journal: Journal | None = None,
    ) -> DDSRRegressor:
        """Fit. A journal can restore a saved fit and save it after every epoch."""
        started = time.monotonic() - (journal.seconds_used if journal else 0.0)
        method, budget, rules, fits, rows, targets = self._posed(X, y, sample_weight, counts, started)
        self.n_fits_ = self._n_fits_before() + 1
        self.is_weighted_, self.has_counts_ = sample_weight is not None, counts is not None
        callback = self.callback
        if journal is not None:
            journal.begin(fits[0])
            callback = partial(journal.note, fits[0])
        try:
            run(fits, partial(start, method), budget, rules, callback)
        finally:
            self._keep([fit.outcome for fit in fits])
            self.fit_seconds_ = time.monotonic() - started
            self.fit_sample_ = self._sample(rows, targets)
        return self._announced()

    def predict(self, X: ArrayLike, index: Index = None) -> NDArray[np.float64]:
        """Predict with the chosen equation, or with row `index` of `equations_`; one column per output.

        As in NumPy, rows where the equation is undefined or overflows get NaN or ±inf.
        """
        equations = [outcome.front.entries[row].equation for outcome, row in self._rows(index)]
        rows = check_rows(read_rows(self, X, reset=False), equations[0].vocabulary.variables)
        columns = [values([equation], rows, threads_of(self.n_jobs))[0][0] for equation in equations]
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return R² of the chosen equation on these rows."""
        check_no_times(y, "y")
        return float(super().score(X, y, sample_weight))

    def outliers(self, X: ArrayLike, y: ArrayLike, index: Index = None) -> Any:
        """Return the positions of outliers, rows with unusually large residuals, the largest first.

        Rows where the equation is undefined come first. Outliers are only reported for 20 rows or more, and
        at most one row in fifty, but at least one is allowed (docs/selection.md). For several columns of y,
        the result is a list of arrays.
        """
        targets = read_targets(y).columns
        predicted = self.predict(X, index).reshape(-1, len(self.outcomes_))
        if targets.shape != predicted.shape:
            raise DataError(
                f"y has the shape {targets.shape}, but predictions have the shape {predicted.shape}"
            )
        columns = [check_target(column, len(targets)) for column in targets.T]
        found = [outlying_rows(*pair) for pair in zip(predicted.T, columns, strict=True)]
        return found[0] if len(found) == 1 else found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    # Steps of a fit

    def _posed(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        counts: ArrayLike | None,
        started: float,
    ) -> tuple[Method, Budget, Sequence[Rule], list[Fit], NDArray[np.float64], Targets]:
        """Check data and parameters, and return what a fit starts with: the data as they were read, too."""
        method = parse_method(self.preset)
        config = settings(method, with_prior(method, self.config, self.prior))
        selection = find_selection(self.model_selection, config)
        budget = Budget.of(config, self.max_time, self.max_epochs, started)
        rules = read_rules(self.rules)
        targets = read_targets(y)
        self.target_names_ = targets.names
        rows = read_rows(self, X, ensure_min_samples=2)
        fits = [
            Fit(problem, selection, seeds, time_for_seeds(budget.end, len(targets.names)))
            for problem, seeds in self._problems(method, config, rules, rows, targets, sample_weight, counts)
        ]
        return method, budget, rules, fits, rows, targets

    def _n_fits_before(self) -> int:
        """Return the number of earlier fits that this one continues."""
        return getattr(self, "n_fits_", 0) if self.warm_start else 0

    def _problems(
        self,
        method: Method,
        config: SearchConfig,
        rules: Sequence[Rule],
        rows: NDArray[np.float64],
        targets: Targets,
        sample_weight: ArrayLike | None,
        counts: ArrayLike | None,
    ) -> Iterator[tuple[Problem, list[Expression]]]:
        """Yield the problem of each output and the expressions that its search starts from."""
        before = [outcome.front for outcome in self.outcomes_] if self._n_fits_before() else []
        names = getattr(self, "feature_names_in_", [f"x{column}" for column in range(rows.shape[1])])
        operators = read_operators(config.operators if self.operators is None else self.operators)
        features = [str(name) for name in names]
        own = own_among(operators)
        template = None if self.template is None else parse_template(self.template, features, own)
        vocabulary = Vocabulary(features, operators, has_constant=config.constants, template=template)
        check_same_columns(before, vocabulary, len(targets.names))
        # a fit that continues another one has its own random numbers
        seeds = check_random_state(self.random_state).randint(LARGEST_SEED, size=self._n_fits_before() + 1)
        data: Dataset | None = None
        for output, (name, target) in enumerate(zip(targets.names, targets.columns.T, strict=True)):
            with naming(None if targets.is_one else name):
                if data is None:
                    data = Dataset.of(rows, target, sample_weight, counts, names=vocabulary.variables)
                else:
                    data = data.with_target(target)
                problem = pose(
                    method,
                    vocabulary,
                    data,
                    config=config,
                    rules=rules,
                    seed=int(seeds[-1]),
                    device=self.device,
                    n_threads=threads_of(self.n_jobs),
                    contributors=self.contributors,
                )
            known = [entry.equation for entry in before[output]] if before else []
            guesses = read_guesses(self._guesses_of(output, len(targets.names)), problem.grammar)
            if template is not None and not template.functions:
                guesses = [only_filling(vocabulary)]
            yield replace(problem, guesses=tuple(guesses)), known_equations(known, problem.grammar)

    def _guesses_of(self, output: int, n_outputs: int) -> Any:
        """Return the guesses of an output: all guesses, or its own list."""
        is_nested = isinstance(self.guesses, (list, tuple)) and any(
            isinstance(guess, (list, tuple)) for guess in self.guesses
        )
        if not is_nested:
            return self.guesses
        if len(self.guesses) != n_outputs:
            raise DataError(f"guesses has lists for {len(self.guesses)} output(s), but y has {n_outputs}")
        return self.guesses[output]

    def _keep(self, outcomes: list[Outcome]) -> None:
        self.outcomes_ = outcomes
        self.n_outputs_ = len(outcomes)
        self.front_ = self._of_outputs(lambda outcome: outcome.front)
        self.best_ = self._of_outputs(lambda outcome: outcome.best)
        self.equations_ = self._of_outputs(equations_table)
        self.curves_ = self._of_outputs(lambda outcome: curves_table(outcome.curves, outcome.every))
        self.n_epochs_ = self._of_outputs(lambda outcome: outcome.n_epochs)
        self.stopped_by_ = self._of_outputs(lambda outcome: outcome.stopped_by)
        self.noise_ = self._of_outputs(lambda outcome: outcome.noise)

    def _sample(self, rows: NDArray[np.float64], targets: Targets) -> Any:
        columns = iter(targets.columns.T)
        return self._of_outputs(lambda outcome: sample_table(outcome.best.equation, rows, next(columns)))

    def _of_outputs(self, form: Callable[[Outcome], Any]) -> Any:
        found = [form(outcome) for outcome in self.outcomes_]
        return found[0] if len(found) == 1 else found
