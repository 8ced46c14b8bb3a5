"""The contributor that proposes the cheapest structures, fitted to some rows of a large table.

Under noise, many functions fit a large table nearly as well as its law, so evolution often misses
the law. Cheap structures are few, and fitting them to some rows shows which are worth trying. Small tables
need no proposals: there the same structures are candidates for the choice (search/plain_forms.py).

It is not part of the default search: pass it as `contributors=[KnownForms]` (docs/contributors.md).
"""

from __future__ import annotations

import time

from ddsr.config import DefaultConfig
from ddsr.data.row_samples import choose_rows
from ddsr.deadline import NEVER, Deadline
from ddsr.engine import Engine
from ddsr.errors import DataError
from ddsr.expression import Expression, unscaled
from ddsr.price.code_in_use import code_in_use
from ddsr.price.description_length import FEW_ROWS
from ddsr.price.enumeration import CheapForms
from ddsr.search.contributors.contract import Proposals, SearchView, TurnBudget
from ddsr.search.problem import Problem
from ddsr.storage.saved import Saved, whole

MOST_VARIABLES = 6
MOST_NATS = 20.0
N_ROWS = 200
"""number of rows of the sample, enough to distinguish a law from most other structures"""
N_STARTS, MAX_STEPS = 3, 15
N_PROPOSED = 64
FIRST_EPOCH = 1
"""evolution runs alone in the first epoch, which solves easy problems"""
# Number of structures: per second of this share of the time, minimum and maximum; without a time limit.
SHARE, A_SECOND, FEWEST, MOST = 0.06, 6000, 500, 30_000
UNTIMED = 4000


class KnownForms:
    """The contributor that proposes cheap structures, once in a search."""

    name = "known_forms"

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.n_scored = 0
        self.is_done = not can_propose(problem)
        self.seconds = SHARE * problem.deadline.seconds_left

    def propose(self, search: SearchView, budget: TurnBudget) -> Proposals | None:
        """Return the best forms when they are due; None before and afterwards."""
        if self.is_done or search.epoch < FIRST_EPOCH:
            return None
        self.is_done = True
        sample = sample_of(self.problem)
        if sample is None:
            return None
        forms = CheapForms(sample, code_in_use(), MOST_NATS, self._most(budget))
        until = NEVER  # the number of forms limits the time
        if budget.seconds is not None:
            until = Deadline(min(time.monotonic() + self.seconds, budget.deadline.at))
        found = forms.fit(n_starts=N_STARTS, max_steps=MAX_STEPS, deadline=until)
        self.n_scored = len(found)
        best = sorted(found, key=lambda form: form.length(sample.n_counted))[:N_PROPOSED]
        return Proposals([self._bare(form.expression) for form in best]) if best else None

    def saved(self) -> Saved:
        """Return whether it has proposed."""
        return {"is_done": self.is_done, "n_scored": self.n_scored}

    def restore(self, saved: Saved) -> None:
        """Restore whether it has proposed."""
        self.is_done = self.is_done or bool(saved["is_done"])
        self.n_scored = whole(saved, "n_scored")

    def _most(self, budget: TurnBudget) -> int:
        if budget.seconds is None:
            return min(UNTIMED, budget.evaluations)
        return min(max(int(A_SECOND * self.seconds), FEWEST), MOST)

    def _bare(self, form: Expression) -> Expression:
        """Return the form without a scale and an offset if the search fits these anyway."""
        simplified = form.simplified()
        return unscaled(simplified) if self.problem.engine.options.is_scale_free else simplified


def can_propose(problem: Problem) -> bool:
    """Return whether the table is large, has few columns, and constants may be fitted."""
    engine, config = problem.engine, problem.config
    is_large = engine.n_rows > FEW_ROWS and len(engine.vocabulary.inputs) <= MOST_VARIABLES
    return isinstance(config, DefaultConfig) and config.constants and is_large


def sample_of(problem: Problem) -> Engine | None:
    """Return an engine with some of the rows; None if y is the same in all of these."""
    data = problem.data
    rows = choose_rows(data.weighting.weights, len(data.X), N_ROWS, problem.seed)
    vocabulary, n_threads = problem.engine.vocabulary, problem.n_threads
    try:
        return Engine(
            vocabulary,
            data.take(rows),
            seed=problem.seed,
            n_threads=n_threads,
            limits=problem.engine.limits,
            costs=problem.engine.costs,
        )
    except DataError:
        return None
