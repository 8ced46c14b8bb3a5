"""Base of both diffusions: a denoiser and the grammar that constrains its predictions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ddsr.config import PaperConfig
from ddsr.deadline import NEVER, Deadline
from ddsr.expression import Tokens
from ddsr.expression.batch import Batch
from ddsr.generators.categorical import constrain
from ddsr.generators.diffusion.corrupted import Corrupted
from ddsr.generators.diffusion.denoiser import Denoiser, TokenNetwork
from ddsr.generators.diffusion.predictor import make_predictor
from ddsr.generators.first_weights import first_weights
from ddsr.grammar import Grammar

if TYPE_CHECKING:
    from jaxtyping import Float


class DenoisingGenerator(ABC):
    """A network that predicts q(X_0) from X_t and t; subclasses define the process from X_0 to X_t."""

    def __init__(
        self,
        grammar: Grammar,
        config: PaperConfig,
        seed: int,
        device: torch.device,
        n_threads: int = 1,
        deadline: Deadline = NEVER,
    ) -> None:
        self.grammar, self.config, self.seed = grammar, config, seed
        self.device, self.n_threads, self.deadline = device, n_threads, deadline
        self.network = self.make_network()
        self.predictor = make_predictor(self.network, device, n_threads, deadline)

    def make_network(self) -> TokenNetwork:
        """Return φ_θ on the device, untrained."""
        vocabulary, settings = self.grammar.vocabulary, self.config.denoiser
        with first_weights(self.seed):
            network = Denoiser(len(vocabulary), self.grammar.max_length, settings).to(self.device)
        network.start_from(vocabulary.arities, settings.first_arities)
        return network

    @abstractmethod
    def draw(self, n_rows: int, epoch: int) -> Tokens:
        """Run the backward process to X_0: legal expressions, (B, M)."""

    @abstractmethod
    def corrupt(self, clean_tokens: Tokens, rng: np.random.Generator) -> Corrupted:
        """Return X_t at a random step t, for the objective."""

    def sample(self, batch_size: int, epoch: int) -> Batch:
        """Draw `oversampling` times as many expressions, and keep the first `batch_size` distinct ones."""
        drawn = self.draw(self.config.oversampling * batch_size, epoch)
        return Batch.from_tokens(self.grammar.vocabulary, drawn).first_distinct(batch_size, self.n_threads)

    def legal_tokens(self, clean_tokens: Tokens) -> NDArray[np.bool_]:
        """Return which tokens are legal at each position, given those before it."""
        return self.grammar.legal_tokens(clean_tokens, self.n_threads)

    def inputs(self, view: Corrupted) -> tuple[Tensor, ...]:
        """Return X_t and t as tensors on the device."""
        return tuple(torch.from_numpy(array).to(self.device) for array in (view.noisy_tokens, view.step))

    def log_probs(
        self, network: nn.Module, inputs: tuple[Tensor, ...], is_legal: Tensor
    ) -> Float[Tensor, "B M V"]:
        """Return the log-probabilities of q(X_0), renormalised over legal tokens; −inf elsewhere."""
        noisy_tokens, step = inputs
        return constrain(network(noisy_tokens, step), is_legal)
