"""The prior conditioned on one data set: a masked diffusion over the user's vocabulary."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from ddsr.config import PaperConfig
from ddsr.deadline import NEVER, Deadline
from ddsr.expression import Tokens
from ddsr.expression.batch import Batch
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.generators.prior.conditioned_denoiser import ConditionedDenoiser
from ddsr.generators.prior.encoder import Encoding
from ddsr.generators.prior.network import PriorNetwork
from ddsr.generators.prior.screen import N_DRAWS, ShownData, choose_view
from ddsr.generators.prior.token_ids import ids_in_prior
from ddsr.grammar import Grammar


@torch.no_grad()
def encode(network: PriorNetwork, view: ShownData, device: torch.device) -> Encoding:
    """Encode all samples together: keep the latents of all, and average the vectors of the variables."""
    x, y = (torch.from_numpy(array.astype(np.float32)).to(device) for array in (view.x, view.scaled_target))
    is_row = torch.ones(y.shape, dtype=torch.bool, device=device)
    is_variable = torch.ones((len(x), x.shape[2]), dtype=torch.bool, device=device)
    found = network.encode(x, y, is_row, is_variable)
    memory = found.memory.flatten(0, 1)[None]
    variables = found.variables.mean(dim=0, keepdim=True)
    return Encoding(memory, found.is_memory.flatten(0, 1)[None], variables, is_variable[:1])


class ConditionedDiffusion(MaskedDiffusion):
    """Masked diffusion with the network of the prior instead of an untrained one.

    It draws by the paper's backward process, in a random order of the positions. The prior knows such inputs:
    half of the expressions that it was trained on were masked at random positions.
    """

    def __init__(
        self,
        network: PriorNetwork,
        X: ArrayLike,
        y: ArrayLike,
        grammar: Grammar,
        config: PaperConfig,
        seed: int,
        device: torch.device,
        n_threads: int = 1,
        deadline: Deadline = NEVER,
        n_draws: int = N_DRAWS,
    ) -> None:
        self.prior = network.to(device)
        sizes = network.config
        rows, target = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        self.view = choose_view(rows, target, sizes.max_variables, sizes.look_rows, n_draws, seed)
        self.user_grammar = grammar
        length = min(grammar.max_length, sizes.max_length)
        super().__init__(replace(grammar, max_length=length), config, seed, device, n_threads, deadline)

    def make_network(self) -> ConditionedDenoiser:
        """Return φ_θ(X_0 | X_t, data) for the user's vocabulary."""
        encoding = encode(self.prior, self.view, self.device)
        ids = ids_in_prior(self.grammar.vocabulary, self.view, self.prior.config)
        return ConditionedDenoiser(self.prior.denoiser, encoding, ids, self.grammar.max_length).to(
            self.device
        )

    def legal_tokens(self, clean_tokens: Tokens) -> NDArray[np.bool_]:
        """Return legal tokens by the user's grammar: elites may be longer than the prior's expressions."""
        return self.user_grammar.legal_tokens(clean_tokens, self.n_threads)

    def vary(
        self, batch: Batch, n_rows: int, epoch: int, masked_share: tuple[float, float] = (0.2, 0.6)
    ) -> Batch:
        """Vary as `MaskedDiffusion` does, without expressions that are too long for the prior."""
        fitting = batch.take(np.flatnonzero(batch.sizes <= self.grammar.max_length))
        return super().vary(fitting, n_rows, epoch, masked_share)
