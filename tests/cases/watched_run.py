"""A fit whose parts are recorded, for tests of the effects of settings."""

import copy
from dataclasses import dataclass, field

import numpy as np
import pytest

from ddsr import DDSRRegressor
from ddsr.search import paper as learned_search


def weights_of(network):
    return copy.deepcopy(network.state_dict())


@dataclass
class Run:
    """What a fit did, recorded between its parts and its loop."""

    model: DDSRRegressor
    generator: object = None
    policy: object = None
    pools: list = field(default_factory=list)
    """one pool per epoch"""
    views: list = field(default_factory=list)
    """all corruptions"""
    batches: list = field(default_factory=list)
    """proposals of each epoch"""
    n_drawn: list = field(default_factory=list)
    weights: list = field(default_factory=list)
    """θ before each epoch's update, and at the end"""
    references: list = field(default_factory=list)
    """θ_ref after each epoch's update"""

    @classmethod
    def of(cls, model, X, y):
        """Fit a model by a generator that learns, and record it."""
        run, search = cls(model), learned_search.search

        def watched_search(generator, engine, memory, policy, *rest):
            run.watch(generator, policy)
            return search(generator, engine, memory, policy, *rest)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(learned_search, "search", watched_search)
            model.fit(X, y)
        run.weights.append(weights_of(run.generator.network))
        return run

    def watch(self, generator, policy):
        """Record every call of these parts without changing them."""
        self.generator, self.policy = generator, policy
        self._after(generator, "sample", lambda batch, *_: self.batches.append(batch))
        self._after(generator, "draw", lambda _, n_rows, *__: self.n_drawn.append(n_rows))
        self._after(generator, "corrupt", lambda view, *_: self.views.append(view))
        update = policy.update

        def watched_update(pool, epoch):
            self.pools.append(pool)
            self.weights.append(weights_of(generator.network))
            stats = update(pool, epoch)
            self.references.append(weights_of(policy.reference))
            return stats

        policy.update = watched_update

    @staticmethod
    def _after(part, name, note):
        original = getattr(part, name)

        def watched(*arguments):
            result = original(*arguments)
            note(result, *arguments)
            return result

        setattr(part, name, watched)

    @property
    def sizes(self):
        return np.concatenate([batch.sizes for batch in self.batches])

    def updates(self, name):
        return self.model.curves_[name].to_numpy()
