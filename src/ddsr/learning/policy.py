"""The inner loop of Algorithm 1: C updates of θ on the pool, between θ_old and θ_ref."""

from __future__ import annotations

import copy
from typing import Generic, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ddsr._core import PAD
from ddsr.config import SearchConfig
from ddsr.deadline import NEVER, Deadline
from ddsr.learning.curves import UpdateStats
from ddsr.learning.memory import Pool
from ddsr.learning.objective import Loss, Objective, Targets

# Tells these random numbers from the generator's.
MASKING = 1


class View(Protocol):
    """A corrupted pool, as the generator shows it to its network."""

    @property
    def clean_tokens(self) -> NDArray[np.int16]:
        """(B, M) what is to be predicted, in the order in which the generator writes its tokens."""
        ...

    @property
    def is_masked(self) -> NDArray[np.bool_]:
        """Positions whose token the network does not see."""
        ...


AnyView = TypeVar("AnyView", bound=View)


class Learner(Protocol[AnyView]):
    """What a policy needs of a generator."""

    @property
    def network(self) -> nn.Module:
        """It holds θ."""
        ...

    @property
    def device(self) -> torch.device:
        """Where the network is."""
        ...

    def corrupt(self, clean_tokens: NDArray[np.int16], rng: np.random.Generator) -> AnyView:
        """Noise to predict the breadth-first tokens from."""
        ...

    def legal_tokens(self, clean_tokens: NDArray[np.int16]) -> NDArray[np.bool_]:
        """(B, M, V) tokens that may stand at each position of a view's clean tokens."""
        ...

    def log_probs(self, network: nn.Module, view: AnyView, is_legal: Tensor) -> Tensor:
        """(B, M, V) of the constrained distribution."""
        ...


class Policy(Generic[AnyView]):
    """Holds the optimizer and θ_ref; the generator holds θ."""

    def __init__(
        self,
        learner: Learner[AnyView],
        objective: Objective,
        config: SearchConfig,
        seed: int,
        deadline: Deadline = NEVER,
    ) -> None:
        self.learner, self.objective, self.config, self.seed = learner, objective, config, seed
        self.deadline = deadline
        self.optimizer = torch.optim.Adam(learner.network.parameters(), lr=config.learning_rate)
        self.reference = copy.deepcopy(learner.network)

    def update(self, pool: Pool, epoch: int) -> UpdateStats:
        """Renew θ_ref every G epochs; then C steps, each on a corruption of its own."""
        if epoch % self.config.epochs_per_reference == 0:
            self.reference.load_state_dict(self.learner.network.state_dict())
        rng = np.random.default_rng((self.seed, MASKING, epoch))
        views = [self.learner.corrupt(pool.batch.tokens, rng) for _ in range(self.config.updates_per_epoch)]
        # The views differ in their noise alone: what is clean, and so what is legal, is the same in all.
        is_legal = torch.from_numpy(self.learner.legal_tokens(views[0].clean_tokens)).to(self.learner.device)
        with torch.no_grad():  # θ_old is θ now, before the first step
            old = [self.learner.log_probs(self.learner.network, view, is_legal) for view in views]
            reference = [self.learner.log_probs(self.reference, view, is_legal) for view in views]
        losses: list[Loss] = []
        for i, view in enumerate(views):
            losses.append(self._step(view, self._targets(pool, view, is_legal), old[i], reference[i]))
            if self.deadline.has_passed:  # nothing is drawn from what the other steps would teach
                break
        return _means(losses)

    def _step(self, view: AnyView, targets: Targets, old: Tensor, reference: Tensor) -> Loss:
        new = self.learner.log_probs(self.learner.network, view, targets.is_legal)
        loss = self.objective.loss(new, old, reference, targets)
        self.optimizer.zero_grad()
        loss.value.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return loss

    def _targets(self, pool: Pool, view: AnyView, is_legal: Tensor) -> Targets:
        def tensor(array: NDArray[np.generic]) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array)).to(self.learner.device)

        tokens = view.clean_tokens
        return Targets(
            tokens=tensor(np.maximum(tokens, 0).astype(np.int64)),
            is_token=tensor(tokens != PAD),
            is_masked=tensor(view.is_masked),
            is_legal=is_legal,
            advantage=tensor(pool.advantage.astype(np.float32)),
            n_elites=self.config.n_elites,
        )


def _means(losses: list[Loss]) -> UpdateStats:
    def mean(name: str) -> float:
        return float(torch.stack([getattr(loss, name).detach() for loss in losses]).mean())

    return UpdateStats(mean("value"), mean("kl"), mean("entropy"), mean("clip_share"))
