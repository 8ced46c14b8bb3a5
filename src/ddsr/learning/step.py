"""One inner step of Algorithm 1: the loss of the pool under one corruption, its gradient, Adam."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor, nn
from torch.optim import Optimizer

from ddsr.learning.objective import EliteTensors, LossTerms, Objective

Inputs = tuple[Tensor, ...]
"""inputs of a network, one row per expression"""
LogProbs = Callable[[nn.Module, Inputs, Tensor], Tensor]
"""(network, inputs, is_legal) → (B, M, V) log-probabilities of the constrained distribution"""


@dataclass(frozen=True, eq=False)
class Example:
    """Data of a step; all but the inputs are arguments of `Objective.loss`."""

    inputs: Inputs
    targets: EliteTensors
    old: Tensor
    reference: Tensor


@dataclass(frozen=True, eq=False)
class Step:
    """Updates θ once, without a CUDA graph."""

    network: nn.Module
    log_probs: LogProbs
    objective: Objective
    optimizer: Optimizer

    def take(self, example: Example) -> LossTerms:
        """Take a step, and return the loss before it."""
        self.optimizer.zero_grad()
        new = self.log_probs(self.network, example.inputs, example.targets.is_legal)
        loss = self.objective.loss(new, example.old, example.reference, example.targets)
        loss.value.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return loss.detached()
