"""The base class of regressor and classifier: runs a fit and keeps its results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from ddsr.config import SearchConfig
from ddsr.data.dataset import Dataset, RowWeights
from ddsr.data.frames import naming
from ddsr.data.losses import Loss
from ddsr.data.preparation import Preparation, TableOptions
from ddsr.data.row_samples import spread_evenly
from ddsr.errors import DataError
from ddsr.estimator.budget import Budget
from ddsr.estimator.fit import Fit, Journal, run
from ddsr.estimator.forms import EquationForms
from ddsr.estimator.model_selection import find_selection
from ddsr.estimator.notebook import NotebookDisplay
from ddsr.estimator.plots import Plots
from ddsr.estimator.predictions import Predicting
from ddsr.estimator.preparing import TrainingRows, read_training
from ddsr.estimator.prior_parameter import with_prior
from ddsr.estimator.saved_models import SavedModels
from ddsr.estimator.seeding import check_same_columns, time_for_seeds
from ddsr.estimator.tables import curves_table, equations_table, inputs_table, sample_table
from ddsr.estimator.template_units import with_template
from ddsr.estimator.threads import threads_of
from ddsr.estimator.uncertainty import Uncertainty
from ddsr.estimator.unit_parameters import Quantities
from ddsr.estimator.verbosity import check_verbose, shown
from ddsr.expression import Expression, Vocabulary
from ddsr.expression.definitions import own_among, read_operators
from ddsr.expression.known_constant import with_known_constants
from ddsr.expression.template_parser import parse_template
from ddsr.grammar import Rule
from ddsr.grammar.guesses import known_equations, only_filling, read_guesses
from ddsr.grammar.rules import read_rules
from ddsr.search.loop import SearchState
from ddsr.search.presets import Method, parse_method, pose, settings, start
from ddsr.search.problem import Problem
from ddsr.selection.outcome import Outcome

LARGEST_SEED = 2**31 - 1
MOST_SAMPLED = 500  # rows that a model keeps, enough to plot the fit
Self = TypeVar("Self", bound="SymbolicEstimator")


class SymbolicEstimator(
    EquationForms,
    Uncertainty,
    Predicting,
    Plots,
    SavedModels,
    NotebookDisplay,
    BaseEstimator,  # type: ignore[misc]
):
    """An estimator whose parameters are those of `DDSRRegressor`."""

    def _fit(
        self: Self,
        X: ArrayLike,
        y: ArrayLike,
        weights: RowWeights,
        journal: Journal | None = None,
        preparation: Preparation | None = None,
    ) -> Self:
        """Fit. A journal can restore a saved fit and save it after every epoch.

        With a preparation, X has been prepared by it already.
        """
        started = time.monotonic() - (journal.seconds_used if journal else 0.0)
        read = self._read(X, y, weights, preparation)
        method, budget, rules, fits = self._posed(read, started)
        self.n_fits_, self.preparation_ = self._n_fits_before() + 1, read.preparation
        self.is_weighted_ = weights.sample_weight is not None
        self.has_counts_, self.has_errors_ = weights.counts is not None, weights.y_err is not None
        if journal is not None:
            journal.begin(fits[0])
        note = self._call_back if journal is None else journal.note
        with shown(self.verbose, fits, self.target_names_, self.max_time, self) as views:
            try:
                run(fits, partial(start, method), budget, rules, [*views, note])
            finally:
                self._keep([fit.outcome for fit in fits])
                self.fit_seconds_ = time.monotonic() - started
                self._keep_sample(read)
        return self._announced()

    def _read(
        self,
        X: ArrayLike,
        y: ArrayLike,
        weights: RowWeights,
        preparation: Preparation | None = None,
    ) -> TrainingRows:
        """Read the data of a fit as numbers."""
        read = read_training(self, X, y, weights, self._table_options, preparation)
        self.target_names_ = read.targets.names
        return read

    @property
    def _table_options(self) -> TableOptions:
        return TableOptions(missing=self.missing, categories=self.categories, dates=self.dates)

    def _posed(self, read: TrainingRows, started: float) -> tuple[Method, Budget, Sequence[Rule], list[Fit]]:
        """Check parameters and data, and return what the fit needs."""
        method = parse_method(self.preset)
        config = settings(method, with_prior(method, self.config, self.prior))
        selection = find_selection(self.model_selection, config)
        budget = Budget.of(config, self.max_time, self.max_epochs, started, self.stop_at)
        rules = read_rules(self.rules)
        check_verbose(self.verbose)
        fits = [
            Fit(
                problem,
                selection,
                seeds,
                time_for_seeds(budget.end, len(read.targets.names)),
                rounds_constants=bool(self.round_constants),
            )
            for problem, seeds in self._problems(method, config, rules, read)
        ]
        return method, budget, rules, fits

    def _call_back(self, fit: Fit, state: SearchState) -> None:
        if self.callback is not None:
            self.callback(state)

    def _n_fits_before(self) -> int:
        """Return the number of earlier fits that this one continues."""
        return getattr(self, "n_fits_", 0) if self.warm_start else 0

    def _problems(
        self,
        method: Method,
        config: SearchConfig,
        rules: Sequence[Rule],
        read: TrainingRows,
    ) -> Iterator[tuple[Problem, list[Expression]]]:
        """Yield the problem of each output and the expressions that its search starts from."""
        before = [outcome.front for outcome in self.outcomes_] if self._n_fits_before() else []
        operators = read_operators(config.operators if self.operators is None else self.operators)
        own = own_among(operators)
        targets = read.targets
        given = self.units, self.y_units, self.unit_constants, self.constants
        quantities = Quantities.of(read.names, targets.names, *given, has_template=self.template is not None)
        names = (*read.names, *quantities.known)
        rows = with_known_constants(read.X, quantities.known)
        template = None if self.template is None else parse_template(self.template, names, own)
        vocabulary = Vocabulary(names, operators, has_constant=config.constants, template=template)
        check_same_columns(before, vocabulary, len(targets.names))
        # a fit that continues another one draws different random numbers
        seeds = check_random_state(self.random_state).randint(LARGEST_SEED, size=self._n_fits_before() + 1)
        data: Dataset | None = None
        for output, (name, target) in enumerate(zip(targets.names, targets.columns.T, strict=True)):
            with naming(None if targets.is_one else name):
                if data is None:
                    loss = Loss.of(self.loss)
                    data = Dataset.of(
                        rows, target, *read.weights[:2], names=names, loss=loss, y_err=read.weights.y_err
                    )
                else:
                    data = data.with_target(target)
                data = replace(data, units=with_template(quantities.units[output], template))
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

    def _keep_sample(self, read: TrainingRows) -> None:
        """Keep some of the rows, and the predictions on them."""
        columns, kept = iter(read.targets.columns.T), spread_evenly(len(read.X), MOST_SAMPLED)
        self.fit_sample_ = self._of_outputs(
            lambda outcome: sample_table(outcome.best.equation, read.X, next(columns), kept)
        )
        self.fit_inputs_ = self._of_outputs(lambda outcome: inputs_table(outcome, read.X, kept))

    def _of_outputs(self, form: Callable[[Outcome], Any]) -> Any:
        found = [form(outcome) for outcome in self.outcomes_]
        return found[0] if len(found) == 1 else found
