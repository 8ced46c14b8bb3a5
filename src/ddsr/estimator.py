"""The estimator: symbolic regression in scikit-learn's manner."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ddsr.config import SearchConfig
from ddsr.data import check_rows, check_whole
from ddsr.engine import MOST_THREADS, values
from ddsr.errors import DataError
from ddsr.expression import Expression, Vocabulary
from ddsr.fitting import Budget, Fit, Journal, find_selection, run
from ddsr.frames import read_rows, read_targets
from ddsr.grammar import Rule
from ddsr.methods import ConfigLike, Method, Problem, parse_method, pose, settings, start
from ddsr.model_file import ModelRecord, Outcome, read_model, write_model
from ddsr.parameters import from_json, to_json
from ddsr.saved import restoring
from ddsr.search import SearchState
from ddsr.tables import equations_table, sample_table

LARGEST_SEED = 2**31 - 1


class DDSRRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Finds equations y = f(X), from simple to accurate, and predicts with one of them.

    Parameters
    ----------
    preset : str
        The method's name: `ddsr` (evolution around a generator that learns with it), `paper` (masked
        diffusion, token-wise GRPO, long short-term memory), `dsr`, `uniform` (random expressions), or a
        variant such as `paper:memory=short` or `ddsr:generator=none`.
    max_time : float or None
        Seconds. An epoch that runs when the time is up is cut short: what it scored by then counts.
    max_epochs : int or None
        Epochs at most. None is without limit where `max_time` is given, and else the preset's number.
    n_jobs : int or None
        Threads that score and fill expressions; None is 1, −1 all. The equations found do not depend on it.
        It does not bind torch, whose last bits depend on its threads: `torch.set_num_threads` sets those.
    random_state : int, RandomState or None
        The same number gives the same equations on the same machine.
    device : "auto", "cpu" or "cuda"
        Where the network computes; `auto` is the GPU where there is one.
    operators : sequence of str or None
        Names or symbols, such as `("+", "*", "sin")`; None are the preset's.
    rules : sequence of rules
        What else expressions must obey: `Forbid`, `Nesting`, `AtMost`, `MustAppear`.
    config : DefaultConfig, PaperConfig, DSRConfig, dict or None
        Settings of the method: a dict of those that differ from the preset's, or all of them.
    model_selection : "description_length", "accuracy", "best" or None
        Which equation predicts: after superfluous terms are left out and constants are settled at simple
        numbers wherever that shortens the description, that of the least description length; that of the
        highest reward; or that which weighs error against size as it was found. The first has the last part
        of `max_time` (a minute where no time is set). None is the preset's own: the first for `ddsr`, the
        second for the others.
    callback : callable or None
        Called with the `SearchState` after every epoch. What it raises ends the fit as an interrupt does.

    Attributes
    ----------
    equations_ : DataFrame
        The Pareto front, a row an equation: complexity (tokens), loss (mean squared error), r2, reward,
        equation, and is_best, which marks the one that predicts; the shortened equations where they are.
    front_ : ParetoFront
        The same equations as expressions.
    best_ : FrontEntry
        The equation that predicts.
    curves_ : DataFrame
        The learning curves, a row an epoch.
    n_epochs_ : int
    fit_seconds_ : float
    fit_sample_ : DataFrame
        True and predicted values on at most 500 training rows, by row.
    stopped_by_ : str
        "exact" (an NRMSE below 1e-12, or below `config.evolution.exact`), "max_time", "max_epochs",
        "max_evaluations" or "no_progress" (settings of `config`, the latter `patience`), "exhausted" (nothing
        is left that was not tried), or "interrupt".
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    A fit has a model from its first moment on: the constant and the lines through one variable are fitted
    before the search. A `KeyboardInterrupt` ends `fit` as if the time were up. Any other exception, such as
    one raised by an alarm's signal handler, passes through, and leaves the model of the last finished epoch.
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
        operators: Sequence[str] | None = None,
        rules: Sequence[Rule] = (),
        config: ConfigLike = None,
        model_selection: str | None = None,
        callback: Callable[[SearchState], object] | None = None,
    ) -> None:
        self.preset = preset
        self.max_time = max_time
        self.max_epochs = max_epochs
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.device = device
        self.operators = operators
        self.rules = rules
        self.config = config
        self.model_selection = model_selection
        self.callback = callback

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> DDSRRegressor:
        """Search for equations; columns of a DataFrame keep their names, others are x0, x1, …"""
        return self._fit(X, y, sample_weight)

    def _fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        journal: Journal | None = None,
    ) -> DDSRRegressor:
        """Fit; a journal can have it go on with what was saved, and save it after every epoch."""
        started = time.monotonic() - (journal.seconds_used if journal else 0.0)
        method = parse_method(self.preset)
        config = settings(method, self.config)
        selection = find_selection(self.model_selection, config)
        budget = Budget.of(config, self.max_time, self.max_epochs, started)
        fit = Fit(self._pose(method, config, X, y, sample_weight), selection)
        callback = self.callback
        if journal is not None:
            journal.begin(fit)
            callback = partial(journal.note, fit)
        try:
            run([fit], partial(start, method), budget, self.rules, callback)
        finally:
            self._keep(fit.outcome())
            self.fit_seconds_ = time.monotonic() - started
            self.fit_sample_ = sample_table(
                fit.best.equation, read_rows(self, X, reset=False), read_targets(y).columns[:, 0]
            )
        return self

    def predict(self, X: ArrayLike, index: int | None = None) -> NDArray[np.float64]:
        """Values of the chosen equation, or of that in row `index` of `equations_`.

        As in NumPy, a row where the equation is undefined or overflows gets NaN or ±inf.
        """
        equation = self._equation(index)
        rows = read_rows(self, X, reset=False)
        found, _ = values(
            [equation], check_rows(rows, equation.vocabulary.variables), _n_threads(self.n_jobs)
        )
        predicted: NDArray[np.float64] = found[0]
        return predicted

    def sympy(self, index: int | None = None) -> Any:
        """The chosen equation, or that in row `index`, as a SymPy expression."""
        return self._equation(index).to_sympy()

    def latex(self, index: int | None = None, precision: int | None = None) -> str:
        """The same in LaTeX; constants with `precision` significant digits, or all of them."""
        return self._equation(index).to_latex(precision)

    def get_best(self) -> pd.Series:
        """The row of `equations_` that predicts."""
        check_is_fitted(self)
        return self.equations_[self.equations_["is_best"]].iloc[0]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model as one JSON file, which holds nothing that could be executed.

        The callback is left out, and a `random_state` that is no number.
        """
        check_is_fitted(self)
        write_model(self._record(self._outcome), Path(path))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> DDSRRegressor:
        """The model of a file that `save` wrote; its predictions are the same to the last bit."""
        record = read_model(Path(path))
        with restoring(f"model ({path})"):
            model = cls(**from_json(record.parameters, set(cls().get_params(deep=False))))
            model.n_features_in_ = len(record.features)
            if record.has_feature_names:
                model.feature_names_in_ = np.array(record.features, dtype=object)
            model._keep(record.outcomes[0])
        return model

    def _record(self, outcome: Outcome) -> ModelRecord:
        parameters = self.get_params(deep=False) | {"callback": None}
        if isinstance(self.random_state, np.random.RandomState):
            parameters["random_state"] = None
        return ModelRecord(
            parameters=to_json(parameters),
            features=outcome.best.expression.vocabulary.variables,
            has_feature_names=hasattr(self, "feature_names_in_"),
            outcomes=(outcome,),
            targets=(None,),
        )

    # What a notebook shows: scikit-learn's diagram before a fit, the equations after it

    def _repr_html_inner(self) -> str:
        if not hasattr(self, "front_"):
            return str(super()._repr_html_inner())
        from ddsr.report import notebook_html

        return notebook_html(self)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        return bundle | {"text/html": self._repr_html_inner()} if "text/html" in bundle else bundle

    # How a fit proceeds

    def _check(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        """Refuse what `fit` would refuse."""
        method = parse_method(self.preset)
        config = settings(method, self.config)
        find_selection(self.model_selection, config)
        Budget.of(config, self.max_time, self.max_epochs, started=0.0)
        self._pose(method, config, X, y, sample_weight)

    def _pose(
        self,
        method: Method,
        config: SearchConfig,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
    ) -> Problem:
        targets = read_targets(y)
        rows = read_rows(self, X, ensure_min_samples=2)
        names = getattr(self, "feature_names_in_", [f"x{column}" for column in range(rows.shape[1])])
        operators = config.operators if self.operators is None else self.operators
        return pose(
            method,
            Vocabulary([str(name) for name in names], operators, has_constant=config.constants),
            rows,
            targets.columns[:, 0],
            sample_weight,
            config=config,
            rules=self.rules,
            seed=int(check_random_state(self.random_state).randint(LARGEST_SEED)),
            device=self.device,
            n_threads=_n_threads(self.n_jobs),
        )

    def _keep(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self.n_epochs_, self.stopped_by_ = outcome.n_epochs, outcome.stopped_by
        self.curves_ = outcome.curves
        self.front_, self.best_ = outcome.front, outcome.best
        self.equations_ = equations_table(outcome.front, outcome.best, outcome.spread)

    def _equation(self, index: int | None) -> Expression:
        check_is_fitted(self)
        if index is None:
            return self.best_.equation
        return self.front_.entries[check_whole(index, "index", 0, len(self.front_) - 1)].equation


def _n_threads(n_jobs: int | None) -> int:
    if n_jobs is not None and check_whole(n_jobs, "n_jobs", least=-MOST_THREADS, most=MOST_THREADS) == 0:
        raise DataError("n_jobs must be a number of threads, -1 for all, or None; got 0")
    return min(int(effective_n_jobs(n_jobs)), MOST_THREADS)
