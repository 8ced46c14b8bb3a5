"""DSR's generator: expressions are written in prefix order, each token given those before it.

With `RiskSeekingPolicyGradient` and `ShortTermMemory` it is deep symbolic regression as published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ddsr.config import DSRConfig
from ddsr.deadline import NEVER, Deadline
from ddsr.expression import PAD, Tokens
from ddsr.expression.batch import Batch
from ddsr.generators.categorical import SAMPLING, constrain, draw_tokens
from ddsr.generators.first_weights import first_weights
from ddsr.generators.recurrent.constraints import PrefixRules, PrefixWalk, Traversal, retrace
from ddsr.generators.recurrent.network import State, TokenLSTM
from ddsr.generators.recurrent.order import breadth_first_rows, prefix_rows
from ddsr.grammar import Grammar

if TYPE_CHECKING:
    from jaxtyping import Float


class RecurrentGenerator:
    """An LSTM with rules in prefix order; its batches are breadth-first, like those of all generators."""

    def __init__(
        self,
        grammar: Grammar,
        config: DSRConfig,
        seed: int,
        device: torch.device,
        deadline: Deadline = NEVER,
    ) -> None:
        self.grammar, self.config, self.seed = grammar, config, seed
        self.device, self.deadline = device, deadline
        self.rules = PrefixRules(grammar, config.min_length)
        with first_weights(seed):
            self.network = TokenLSTM(len(grammar.vocabulary), config.hidden_size).to(device)

    def sample(self, batch_size: int, epoch: int) -> Batch:
        """Return `batch_size` expressions, possibly repeated: DSR scores all that it draws."""
        prefix, _ = self.draw(batch_size, epoch)
        vocabulary = self.grammar.vocabulary
        return Batch.from_tokens(vocabulary, breadth_first_rows(vocabulary, prefix))

    @torch.no_grad()
    def draw(self, n_rows: int, epoch: int) -> tuple[Tokens, NDArray[np.float32]]:
        """Return (tokens, log_probs), both (B, M), in prefix order; PAD and 0 after the end."""
        shape = (n_rows, self.rules.max_length)
        tokens, log_probs = np.full(shape, PAD, dtype=np.int16), np.zeros(shape, dtype=np.float32)
        uniform = np.random.default_rng((self.seed, SAMPLING, epoch)).random(shape, dtype=np.float32)
        walk, state = PrefixWalk(self.rules, n_rows), None
        while walk.n_open.any():
            self.deadline.check()
            k, is_open = walk.position, walk.n_open > 0
            distribution, state = self._next(walk, state)
            drawn = draw_tokens(distribution.exp(), torch.from_numpy(uniform[:, k]))
            tokens[is_open, k] = drawn.numpy()[is_open]
            log_probs[is_open, k] = distribution.gather(-1, drawn[:, None])[:, 0].numpy()[is_open]
            walk.advance(tokens[:, k])
        return tokens, log_probs

    def _next(self, walk: PrefixWalk, state: State | None) -> tuple[Float[Tensor, "B V"], State]:
        """Return log-probabilities of the next token, on the host, and the network's next state."""
        parent, sibling = self._ids(walk.parent)[:, None], self._ids(walk.sibling)[:, None]
        logits, state = self.network(parent, sibling, state)
        preference = walk.length_preference(self.config.preferred_length, self.config.length_scale)
        preferred = logits[:, 0].cpu() + torch.from_numpy(preference)
        return constrain(preferred, torch.from_numpy(walk.legal())), state

    def corrupt(self, clean_tokens: Tokens, rng: np.random.Generator) -> Traversal:
        """Return the network's inputs for these expressions in prefix order, without noise."""
        return self._retrace(prefix_rows(self.grammar.vocabulary, clean_tokens))

    def legal_tokens(self, clean_tokens: Tokens) -> NDArray[np.bool_]:
        """Return which tokens are legal at each position in prefix order, given those before it."""
        return self._retrace(clean_tokens).is_legal

    def inputs(self, view: Traversal) -> tuple[Tensor, ...]:
        """Return parents, siblings and the soft length prior as tensors on the device."""
        arrays = (view.parent, view.sibling, view.preference)
        return tuple(torch.from_numpy(array).to(self.device) for array in arrays)

    def log_probs(
        self, network: nn.Module, inputs: tuple[Tensor, ...], is_legal: Tensor
    ) -> Float[Tensor, "B M V"]:
        """Return log-probabilities of all tokens under teacher forcing; −inf where not legal."""
        parent, sibling, preference = inputs
        logits, _ = network(parent, sibling)
        return constrain(logits + preference, is_legal)

    def _retrace(self, prefix: Tokens) -> Traversal:
        return retrace(self.rules, prefix, self.config.preferred_length, self.config.length_scale)

    def _ids(self, ids: NDArray[np.int64]) -> Tensor:
        return torch.from_numpy(ids).to(self.device)
