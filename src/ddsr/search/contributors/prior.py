"""The contributor that proposes expressions of the pretrained prior to evolution, with fitted constants.

Torch takes seconds to import, and easy problems are solved by then, so evolution begins alone. With a time
limit, a thread loads torch and the weights meanwhile. The prior then proposes once: as many expressions as it
can draw in its share of the time. Without a time limit, it proposes a fixed number after a few epochs, so
that the same seed gives the same search.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ddsr.config import DefaultConfig
from ddsr.data.arrays import Floats
from ddsr.deadline import NEVER, Deadline, TimeIsUp
from ddsr.engine import Engine, FitOptions
from ddsr.expression import Batch
from ddsr.grammar import Grammar
from ddsr.search.contributors.contract import Proposals, SearchView, TurnBudget
from ddsr.search.contributors.names import PRIOR
from ddsr.search.contributors.proposals import fit_proposals
from ddsr.search.prior_start import shown_rows
from ddsr.search.problem import Problem
from ddsr.storage.saved import Saved

if TYPE_CHECKING:
    from ddsr.generators.prior.distinct_diffusion import DistinctDiffusion
    from ddsr.generators.prior.network import PriorNetwork


LEAST_LIMIT = 15.0
"""shortest search, in seconds without the choice, that uses the prior: importing torch and the first draws
take seconds. docs/search.md states the time limit that leaves this much"""
FIRST_BATCH, LATER_BATCH = 32, 256
MOST_PROPOSALS = 2000
UNTIMED_PROPOSALS = 256
UNTIMED_EPOCHS = 5
"""epochs of evolution alone in a search without a time limit"""
MOST_SEEDS = 200
"""maximum number of proposals, best by error and size: the first join populations, the others the library"""
HEAD_START = 0.025
"""share of the time before torch is imported, at most 2 s"""


@dataclass
class Primer:
    """Loads the prior, and proposes expressions for one data set."""

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
    network: PriorNetwork | None = None
    generator: DistinctDiffusion | None = None

    def load(self) -> None:
        """Import torch and read the weights."""
        from ddsr.generators.prior.weights import find_weights, load_weights

        self.network, _ = load_weights(find_weights(self.weights))

    def make_generator(self, config: DefaultConfig, deadline: Deadline) -> DistinctDiffusion:
        """Return a generator with the prior's network, conditioned on the data."""
        from ddsr.generators.device import find_device
        from ddsr.generators.prior.distinct_diffusion import DistinctDiffusion

        if self.network is None:
            self.load()
        assert self.network is not None
        device = find_device(self.device)
        return DistinctDiffusion(
            self.network, *self.rows, self.grammar, config, self.seed, device, self.n_threads, deadline
        )

    def propose(self, until: Deadline, end: Deadline = NEVER) -> Batch:
        """Return the best of the expressions drawn until about then, with fitted constants, best first.

        A first small batch is timed to find how many more can be drawn. Without a time limit, the number is
        fixed.
        """
        if self.generator is None:
            self.generator = self.make_generator(self.config, end)
        generator = self.generator
        n_most = UNTIMED_PROPOSALS if until == NEVER else MOST_PROPOSALS
        began, drawn = time.monotonic(), [generator.draw_distinct(FIRST_BATCH, stream=0)]
        n = FIRST_BATCH
        while n < n_most:
            seconds_each = (time.monotonic() - began) / n
            n_next = min(LATER_BATCH, n_most - n)
            if until != NEVER:
                # the rest is for fitting, and for draws that take longer than the first
                n_next = min(n_next, int(0.6 * until.seconds_left / seconds_each))
            if n_next < FIRST_BATCH:
                break
            try:
                drawn.append(generator.draw_distinct(n_next, stream=len(drawn)))
            except TimeIsUp:  # the search ends; earlier batches are complete
                break
            n += n_next
        batch = Batch.from_tokens(self.engine.vocabulary, np.concatenate(drawn))
        return self._best(batch.first_distinct(n, self.n_threads))

    def _best(self, batch: Batch) -> Batch:
        assert self.generator is not None
        options = FitOptions(max_steps=20, is_scale_free=self.config.is_scale_free)
        scores = fit_proposals(batch, self.engine, self.rows, self.generator.view, self.grammar, options)
        with np.errstate(divide="ignore"):
            worth = np.log(scores.nrmse) + self.config.evolution.parsimony * scores.batch.sizes
        order = np.argsort(worth, kind="stable")[:MOST_SEEDS]
        return scores.batch.take(order[np.isfinite(scores.nrmse[order])])


class Priming:
    """The contributor that proposes once in a search, as soon as torch and the weights are loaded."""

    name = PRIOR
    n_scored = 0
    """0, since its few fits are not counted"""

    def __init__(self, primer: Primer | None, deadline: Deadline = NEVER, share: float = 0.05) -> None:
        self.primer, self.deadline = primer, deadline
        limit = deadline.seconds_left
        self.is_done = primer is None
        self.seconds = share * limit
        """time for drawing and fitting"""
        self._begins = time.monotonic() + min(2.0, HEAD_START * limit)
        self._loading: threading.Thread | None = None
        self._failure: BaseException | None = None

    def propose(self, search: SearchView, budget: TurnBudget) -> Proposals | None:
        """Return fitted proposals when they are due; None before, afterwards, and if the time runs out."""
        if self.is_done or self.primer is None or not self._is_loaded(self.primer, search.epoch):
            return None
        self.is_done = True
        is_timed = self.deadline != NEVER
        until = Deadline(time.monotonic() + self.seconds) if is_timed else NEVER
        proposals = self.primer.propose(until, self.deadline)
        return Proposals(proposals) if len(proposals) else None

    def saved(self) -> Saved:
        """Return whether it has proposed; a search that began without a prior continues without one."""
        return {"is_done": self.is_done}

    def restore(self, saved: Saved) -> None:
        """Restore whether it has proposed."""
        self.is_done = self.is_done or bool(saved["is_done"])

    def _is_loaded(self, primer: Primer, epoch: int) -> bool:
        """Return whether torch and the weights are loaded; start loading them when it is time."""
        if self.deadline == NEVER:
            return epoch >= UNTIMED_EPOCHS - 1
        if self._loading is None:
            if time.monotonic() >= self._begins:
                # not a daemon: a process that ends while torch is half imported is aborted
                self._loading = threading.Thread(target=self._load, args=[primer])
                self._loading.start()
            return False
        if self._failure is not None:
            raise self._failure
        return not self._loading.is_alive()

    def _load(self, primer: Primer) -> None:
        try:
            primer.load()
        except BaseException as error:
            self._failure = error


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
