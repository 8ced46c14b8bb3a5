"""The inner loop of Algorithm 1: C updates of θ on the pool, given θ_old and θ_ref."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ddsr.config import SearchConfig
from ddsr.deadline import NEVER, Deadline
from ddsr.expression import PAD
from ddsr.learning.captured_step import CapturedStep
from ddsr.learning.curves import UpdateStats
from ddsr.learning.memory import Pool
from ddsr.learning.objective import EliteTensors, LossTerms, Objective
from ddsr.learning.step import Example, Inputs, Step
from ddsr.storage.saved import Saved

# Stream of random numbers, different from the generators'.
MASKING = 1


class View(Protocol):
    """A corrupted pool in the form that the generator's network reads."""

    @property
    def clean_tokens(self) -> NDArray[np.int16]:
        """(B, M) tokens to predict, in the order in which the generator writes them."""
        ...

    @property
    def is_masked(self) -> NDArray[np.bool_]:
        """Positions whose token the network does not see."""
        ...


AnyView = TypeVar("AnyView", bound=View)


class Learner(Protocol[AnyView]):
    """Interface of a generator that a policy can train."""

    @property
    def network(self) -> nn.Module:
        """The network with the weights θ."""
        ...

    @property
    def device(self) -> torch.device:
        """Device of the network."""
        ...

    def corrupt(self, clean_tokens: NDArray[np.int16], rng: np.random.Generator) -> AnyView:
        """Corrupt breadth-first tokens for the network to predict."""
        ...

    def legal_tokens(self, clean_tokens: NDArray[np.int16]) -> NDArray[np.bool_]:
        """Return (B, M, V) tokens that are legal at each position of a view's clean tokens."""
        ...

    def inputs(self, view: AnyView) -> Inputs:
        """Return the network's inputs for a view, on its device."""
        ...

    def log_probs(self, network: nn.Module, inputs: Inputs, is_legal: Tensor) -> Tensor:
        """Return (B, M, V) log-probabilities of the constrained distribution."""
        ...


class Policy(Generic[AnyView]):
    """The optimizer and θ_ref; the generator has θ.

    If `is_captured`, the inner steps run as a CUDA graph.
    """

    def __init__(
        self,
        learner: Learner[AnyView],
        objective: Objective,
        config: SearchConfig,
        seed: int,
        deadline: Deadline = NEVER,
        is_captured: bool = False,
    ) -> None:
        self.learner, self.config, self.seed, self.deadline = learner, config, seed, deadline
        self.optimizer = torch.optim.Adam(
            learner.network.parameters(), lr=config.learning_rate, capturable=is_captured
        )
        self.reference = copy.deepcopy(learner.network)
        step = Step(learner.network, learner.log_probs, objective, self.optimizer)
        self.step = CapturedStep(step, 2 * config.n_elites) if is_captured else step

    def update(self, pool: Pool, epoch: int) -> UpdateStats:
        """Update θ_ref every G epochs; then take C steps, each on its own corruption."""
        if epoch % self.config.epochs_per_reference == 0:
            self.reference.load_state_dict(self.learner.network.state_dict())
        losses: list[LossTerms] = []
        for example in self.examples(pool, epoch):
            losses.append(self.step.take(example))
            if self.deadline.has_passed:  # no expressions are drawn after the remaining steps
                break
        return _means(losses)

    def saved(self) -> Saved:
        """Return θ, θ_ref and Adam's moments."""
        moments = self.optimizer.state_dict()["state"]
        return {
            "network": _arrays(self.learner.network.state_dict()),
            "reference": _arrays(self.reference.state_dict()),
            "moments": {str(index): _arrays(tensors) for index, tensors in moments.items()},
        }

    def restore(self, saved: Saved) -> None:
        """Restore a saved policy, including the learner's network."""
        self.learner.network.load_state_dict(_tensors(saved["network"]))
        self.reference.load_state_dict(_tensors(saved["reference"]))
        moments = {int(index): _tensors(arrays) for index, arrays in saved["moments"].items()}
        _check_moments(moments, [each for group in self.optimizer.param_groups for each in group["params"]])
        self.optimizer.load_state_dict(self.optimizer.state_dict() | {"state": moments})

    def examples(self, pool: Pool, epoch: int) -> list[Example]:
        """Return the pool under C corruptions, with log-probabilities by θ_old (the current θ) and θ_ref."""
        rng = np.random.default_rng((self.seed, MASKING, epoch))
        views = [self.learner.corrupt(pool.batch.tokens, rng) for _ in range(self.config.updates_per_epoch)]
        targets = self._targets(pool, views)
        inputs = [self.learner.inputs(view) for view in views]
        old, reference = (
            self._log_probs(network, inputs, targets[0].is_legal)
            for network in (self.learner.network, self.reference)
        )
        return [Example(*parts) for parts in zip(inputs, targets, old, reference, strict=True)]

    @torch.no_grad()
    def _log_probs(self, network: nn.Module, inputs: list[Inputs], is_legal: Tensor) -> Sequence[Tensor]:
        """Return the log-probabilities for every corruption, from one forward pass."""
        joined = tuple(torch.cat(parts) for parts in zip(*inputs, strict=True))
        every = self.learner.log_probs(network, joined, is_legal.repeat(len(inputs), 1, 1))
        return every.chunk(len(inputs))

    def _targets(self, pool: Pool, views: list[AnyView]) -> list[EliteTensors]:
        def tensor(array: NDArray[np.generic]) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array)).to(self.learner.device)

        # The views differ only in their noise: clean and legal tokens are the same in all.
        tokens = views[0].clean_tokens
        unmasked = EliteTensors(
            tokens=tensor(np.maximum(tokens, 0).astype(np.int64)),
            is_token=tensor(tokens != PAD),
            is_masked=tensor(np.zeros_like(tokens, dtype=np.bool_)),
            is_legal=tensor(self.learner.legal_tokens(tokens)),
            advantage=tensor(pool.advantage.astype(np.float32)),
            n_elites=self.config.n_elites,
        )
        return [replace(unmasked, is_masked=tensor(view.is_masked)) for view in views]


def _arrays(tensors: Mapping[str, Tensor]) -> Saved:
    """Return copies, which the next step does not change."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in tensors.items()}


def _tensors(arrays: Saved) -> dict[str, Tensor]:
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def _check_moments(moments: Mapping[int, Mapping[str, Tensor]], parameters: Sequence[Tensor]) -> None:
    """Raise an error unless moments match the parameters; Adam itself would fail only at the next step."""
    for index, tensors in moments.items():
        if not 0 <= index < len(parameters):
            raise ValueError(f"there are moments of parameter {index}, and {len(parameters)} parameters")
        for name, tensor in tensors.items():
            shape = torch.Size() if name == "step" else parameters[index].shape
            if tensor.shape != shape or not tensor.is_floating_point():
                raise ValueError(f"{name} of parameter {index} is of another shape or type")


def _means(losses: list[LossTerms]) -> UpdateStats:
    def mean(name: str) -> float:
        return float(torch.stack([getattr(loss, name) for loss in losses]).mean())

    return UpdateStats(mean("value"), mean("kl"), mean("entropy"), mean("clip_share"))
