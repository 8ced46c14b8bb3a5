"""The contributor that proposes expressions of the pretrained prior to evolution, with fitted constants.

The core computes the prior, so the first proposals take a fraction of a second. The prior draws in small
batches, each continuing the sample of the last one, so that no expression is drawn twice. With a time limit
it has a share of the time, after a head start of evolution, which solves easy problems alone; in a short
search it has none. Without a limit it has a turn every few epochs, so that the same seed gives the same
search.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ddsr.config import DefaultConfig
from ddsr.data.arrays import Floats
from ddsr.deadline import NEVER, Deadline
from ddsr.engine import Engine, FitOptions
from ddsr.expression import Batch
from ddsr.generators.prior.native import NativeDraws, NativePrior
from ddsr.generators.prior.weights import find_weights
from ddsr.grammar import Grammar
from ddsr.search.contributors.contract import Proposals, SearchView, TurnBudget
from ddsr.search.contributors.names import PRIOR
from ddsr.search.contributors.proposals import fit_proposals
from ddsr.search.prior_start import shown_rows
from ddsr.search.problem import Problem
from ddsr.storage.saved import Saved

if TYPE_CHECKING:
    from ddsr.generators.prior.distinct_diffusion import DistinctDiffusion


BATCH = 32
"""number of expressions per turn with a time limit"""
UNTIMED_BATCH, UNTIMED_EPOCHS = 256, 5
"""number of expressions per turn, and of epochs from turn to turn, in a search without a time limit"""
MOST_DRAWN = 4000
"""number of expressions after which the prior has no more turns"""
MOST_SEEDS = 200
"""maximum number of proposals per turn, best by error and size: the first join populations, the others the
library"""
LEAST_LIMIT = 15.0
"""shortest search, in seconds without the choice, that uses the prior: reading the weights and showing it the
data take half a second, and in short searches evolution needs them more. docs/search.md states the time limit
that leaves this much"""
HEAD_START = 2.0
"""seconds in which evolution runs alone"""


@dataclass
class Primer:
    """Proposes expressions of the prior for one data set."""

    weights: str
    """name or path of the weights, see `find_weights`"""
    rows: tuple[Floats, Floats]
    """X and y"""
    engine: Engine
    grammar: Grammar
    config: DefaultConfig
    seed: int
    device: str
    n_threads: int
    draws: NativeDraws | None = None

    def make_generator(self, config: DefaultConfig, deadline: Deadline) -> DistinctDiffusion:
        """Return a generator in torch with the prior's network, conditioned on the data, to be trained."""
        from ddsr.generators.device import find_device
        from ddsr.generators.prior.distinct_diffusion import DistinctDiffusion
        from ddsr.generators.prior.weights import load_weights

        network, _ = load_weights(find_weights(self.weights))
        device = find_device(self.device)
        return DistinctDiffusion(
            network, *self.rows, self.grammar, config, self.seed, device, self.n_threads, deadline
        )

    def start(self, seed: int) -> None:
        """Read the weights and show the data to the network; draws begin anew."""
        prior = NativePrior.read(find_weights(self.weights))
        self.draws = NativeDraws(prior, *self.rows, self.grammar, seed, self.n_threads)

    def propose(self, n: int, deadline: Deadline = NEVER) -> tuple[Batch, int]:
        """Draw `n` expressions, fewer if there are no more or the time is up.

        Return the best of them, with fitted constants, best first, and the number of those drawn.
        """
        if self.draws is None:
            self.start(self.seed)
        assert self.draws is not None
        drawn = self.draws.draw(n, deadline.seconds_left)
        batch = Batch.from_tokens(self.engine.vocabulary, drawn).first_distinct(n, self.n_threads)
        return (self._best(batch, deadline) if len(batch) else batch), len(drawn)

    def _best(self, batch: Batch, deadline: Deadline) -> Batch:
        assert self.draws is not None
        options = FitOptions(max_steps=20, is_scale_free=self.config.is_scale_free)
        view = self.draws.view
        scores = fit_proposals(batch, self.engine, self.rows, view, self.grammar, options, deadline)
        with np.errstate(divide="ignore"):
            worth = np.log(scores.nrmse) + self.config.evolution.parsimony * scores.batch.sizes
        order = np.argsort(worth, kind="stable")[:MOST_SEEDS]
        return scores.batch.take(order[np.isfinite(scores.nrmse[order])])


class Priming:
    """The contributor that proposes in small batches throughout a search."""

    name = PRIOR
    n_scored = 0
    """0, since its few fits are not counted"""

    def __init__(self, primer: Primer | None, deadline: Deadline = NEVER, share: float = 0.05) -> None:
        self.primer, self.deadline, self.share = primer, deadline, share
        self.is_done = primer is None
        self.n_drawn = 0
        self.seconds = 0.0
        """seconds spent so far"""
        self._began = time.monotonic()

    def propose(self, search: SearchView, budget: TurnBudget) -> Proposals | None:
        """Return fitted proposals when they are due, and None otherwise."""
        if self.is_done or self.primer is None or not self._is_due(search.epoch):
            return None
        began = time.monotonic()
        n = UNTIMED_BATCH if self.deadline == NEVER else BATCH
        proposals, n_drawn = self.primer.propose(n, self.deadline)
        self.n_drawn += n_drawn
        self.seconds += time.monotonic() - began
        is_timely = not self.deadline.has_passed
        self.is_done = (n_drawn < n and is_timely) or self.n_drawn >= MOST_DRAWN
        return Proposals(proposals) if len(proposals) else None

    def saved(self) -> Saved:
        """Return how much was drawn; a search that began without a prior continues without one."""
        return {"is_done": self.is_done, "n_drawn": self.n_drawn}

    def restore(self, saved: Saved) -> None:
        """Continue the sample; with a time limit, begin another, since repeating the first takes time."""
        self.is_done = self.is_done or bool(saved["is_done"])
        self.n_drawn = int(saved.get("n_drawn", 0))
        if self.primer is None or self.is_done or not self.n_drawn:
            return
        if self.deadline == NEVER:
            self.primer.start(self.primer.seed)
            assert self.primer.draws is not None
            self.primer.draws.draw(self.n_drawn)
        else:
            self.primer.start(self.primer.seed + self.n_drawn)

    def _is_due(self, epoch: int) -> bool:
        """Return whether it is time for a turn: with a time limit, if less than the share is used."""
        if self.deadline == NEVER:
            return epoch % UNTIMED_EPOCHS == UNTIMED_EPOCHS - 1
        elapsed = time.monotonic() - self._began
        return elapsed >= HEAD_START and self.seconds < self.share * elapsed


def make_primer(problem: Problem, config: DefaultConfig) -> Primer | None:
    """Return the primer with the prior of the settings; None without a prior, or without time for it."""
    if config.prior is None or problem.deadline.seconds_left < LEAST_LIMIT:
        return None
    engine, grammar, n_threads = problem.engine, problem.grammar, problem.n_threads
    return Primer(
        config.prior, shown_rows(problem), engine, grammar, config, problem.seed, problem.device, n_threads
    )


def tuning_config(config: DefaultConfig, is_on_processor: bool) -> DefaultConfig:
    """Return settings to train the prior with: small steps, and the prior itself as θ_ref throughout.

    On a CPU the batches are small as well, since millions of weights take time from evolution.
    """
    taught = replace(config, learning_rate=config.prior_learning_rate, epochs_per_reference=2**31 - 1)
    if not is_on_processor:
        return taught
    return replace(
        taught,
        batch_size=min(config.batch_size, 32),
        updates_per_epoch=min(config.updates_per_epoch, 2),
    )
