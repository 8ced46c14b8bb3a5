"""The prior on one data set: a masked diffusion over the user's vocabulary, to draw from and to teach."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from ddsr._core import MASK
from ddsr.categorical import SAMPLING
from ddsr.config import PaperConfig
from ddsr.deadline import NEVER, Deadline
from ddsr.diffusion.denoiser import TokenNetwork
from ddsr.diffusion.denoising import Tokens
from ddsr.diffusion.generator import MaskedDiffusion
from ddsr.diffusion.predictor import CpuPredictor
from ddsr.expression.batch import Batch
from ddsr.expression.vocabulary import Vocabulary
from ddsr.grammar import Grammar
from ddsr.prior.attention import EVERYWHERE
from ddsr.prior.config import NetworkConfig
from ddsr.prior.denoiser import ConditionalDenoiser, Recollection
from ddsr.prior.distinct import NextLogits, draw_distinct
from ddsr.prior.encoder import Encoding
from ddsr.prior.network import PriorNetwork
from ddsr.prior.next_token import LENGTH_STEP, NextToken
from ddsr.prior.screen import View, choose_view

if TYPE_CHECKING:
    from jaxtyping import Float, Int

N_DRAWS = 4
"""looks at the data, where they have more rows than one look takes in"""
UNKNOWN_LOGIT = -8.0
"""of tokens that the prior does not know: they are drawn where rules ask for them, and seldom else"""


class ConditionedDenoiser(TokenNetwork):
    """The denoiser with the encoding of one data set; tokens are the user's."""

    def __init__(
        self, denoiser: ConditionalDenoiser, encoding: Encoding, prior_ids: list[int], max_length: int
    ) -> None:
        super().__init__()
        self.vocab_size, self.max_length = len(prior_ids), max_length
        self.denoiser = denoiser
        self.memory: Tensor
        self.variables: Tensor
        self.prior_ids: Tensor
        self.register_buffer("memory", encoding.memory, persistent=False)
        self.register_buffer("variables", encoding.variables, persistent=False)
        self.register_buffer("prior_ids", torch.tensor([*prior_ids, MASK]), persistent=False)
        is_unknown = torch.tensor(prior_ids) < 0
        self.unknown_logits = nn.Parameter(torch.where(is_unknown, UNKNOWN_LOGIT, 0.0))

    def forward(self, noisy_tokens: Int[Tensor, "B M"], step: Int[Tensor, " B"]) -> Float[Tensor, "B M V"]:
        """Logits of q(X_0), zeros behind the prior's length; the step says no more than the tokens do."""
        length = noisy_tokens.shape[1]
        known = min(length, self.denoiser.max_length)
        logits = self.predict(noisy_tokens[:, :known], self.denoiser.recall(self.encoding))
        return nn.functional.pad(logits, (0, 0, 0, length - known))

    def predict(
        self, noisy_tokens: Int[Tensor, "B M"], recalled: Recollection, asked: slice = EVERYWHERE
    ) -> Float[Tensor, "B m V"]:
        """Logits at the positions that are asked for, with what the denoiser recalls of the encoding."""
        ids = torch.where(noisy_tokens < 0, self.vocab_size, noisy_tokens.long())
        logits = self.denoiser.predict(self.prior_ids[ids], recalled, asked)
        columns = self.prior_ids[:-1]
        return torch.where(columns >= 0, logits[..., columns.clamp(min=0)], self.unknown_logits)

    @property
    def encoding(self) -> Encoding:
        """Of the data set, all of it there."""

        def all_true(tensor: Tensor) -> Tensor:
            return torch.ones(tensor.shape[:2], dtype=torch.bool, device=tensor.device)

        return Encoding(self.memory, all_true(self.memory), self.variables, all_true(self.variables))


def ids_in_prior(vocabulary: Vocabulary, view: View, config: NetworkConfig) -> list[int]:
    """What each token of the user's is called by the prior; MASK for those that it does not know."""
    own = config.vocabulary
    ids = [own.operators.index(name) if name in own.operators else MASK for name in vocabulary.operators]
    if vocabulary.has_one:
        ids.append(MASK if own.one is None else own.one)
    if vocabulary.has_constant:
        ids.append(MASK if own.constant is None else own.constant)
    places = {int(column): place for place, column in enumerate(view.columns)}
    return ids + [
        own.first_variable + places[column] if column in places else MASK
        for column in range(len(vocabulary.variables))
    ]


@torch.no_grad()
def encode(network: PriorNetwork, view: View, device: torch.device) -> Encoding:
    """One encoding of all draws: the denoiser looks at every draw's latents; variables are their means."""
    x, y = (
        torch.from_numpy(array.astype(np.float32)).to(device)
        for array in (view.x, view.y / np.abs(view.y).max())
    )
    is_row = torch.ones(y.shape, dtype=torch.bool, device=device)
    is_variable = torch.ones((len(x), x.shape[2]), dtype=torch.bool, device=device)
    found = network.encode(x, y, is_row, is_variable)
    memory = found.memory.flatten(0, 1)[None]
    variables = found.variables.mean(dim=0, keepdim=True)
    return Encoding(memory, found.is_memory.flatten(0, 1)[None], variables, is_variable[:1])


class ConditionedDiffusion(MaskedDiffusion):
    """The package's masked diffusion with the prior's network in place of one that starts from nothing."""

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
        """φ_θ(X_0 | X_t, data), for the user's vocabulary."""
        encoding = encode(self.prior, self.view, self.device)
        ids = ids_in_prior(self.grammar.vocabulary, self.view, self.prior.config)
        return ConditionedDenoiser(self.prior.denoiser, encoding, ids, self.grammar.max_length).to(
            self.device
        )

    def legal_tokens(self, clean_tokens: Tokens) -> NDArray[np.bool_]:
        """By the user's grammar: elites may be longer than what the prior draws."""
        return self.user_grammar.legal_tokens(clean_tokens, self.n_threads)

    def sample(self, batch_size: int, epoch: int) -> Batch:
        """Drawn without repetition, and of those that differ by the order of operands alone the first."""
        drawn = self.draw_distinct(self.config.oversampling * batch_size, stream=epoch)
        return Batch.from_tokens(self.grammar.vocabulary, drawn).first_distinct(batch_size, self.n_threads)

    def vary(
        self, batch: Batch, n_rows: int, epoch: int, masked_share: tuple[float, float] = (0.2, 0.6)
    ) -> Batch:
        """As the package's diffusion does; expressions longer than the prior's are left out."""
        fitting = batch.take(np.flatnonzero(batch.sizes <= self.grammar.max_length))
        return super().vary(fitting, n_rows, epoch, masked_share)

    def draw_in_order(
        self, n_rows: int, stream: int, tokens_per_step: int = 1, temperature: float = 1.0
    ) -> Tokens:
        """Legal expressions, (B, M), whose tokens are drawn from left to right, some at a step.

        Positions behind those drawn next are left out of the sequence: they are masked, and say nothing.
        """
        max_length = self.grammar.max_length
        kept = np.full((n_rows, max_length), MASK, dtype=np.int16)
        drawn = kept.copy()
        active = np.arange(n_rows)
        for begin in range(0, max_length, tokens_per_step):
            end = min(begin + tokens_per_step, max_length)
            logits = self._logits_up_to(kept[active], end) / temperature
            filled = self.grammar.fill_tokens(
                logits, kept[active], self.seed, stream * max_length + begin, self.n_threads
            )
            drawn[active] = filled
            kept[active, begin:end] = filled[:, begin:end]
            sizes = (filled >= 0).sum(axis=1)
            active = active[sizes > end]
            if not len(active):
                break
        return drawn

    def draw_distinct(self, n_rows: int, stream: int) -> Tokens:
        """At most `n_rows` legal expressions, (B, M), none twice: a sample without repetition."""
        rng = np.random.default_rng((self.seed, SAMPLING, stream))
        return draw_distinct(self.grammar, self._next_logits(), n_rows, rng, self.n_threads)

    def _next_logits(self) -> NextLogits:
        if isinstance(self.predictor, CpuPredictor) and isinstance(self.network, ConditionedDenoiser):
            return NextToken(self.network, self.predictor).logits
        return lambda beginnings, position: self._logits_up_to(beginnings, position + 1)[:, position]

    def _logits_up_to(self, kept: Tokens, end: int) -> NDArray[np.float32]:
        """Logits of the first positions; those behind `end` are of no use to the caller."""
        self.deadline.check()
        max_length = self.grammar.max_length
        is_cut = self.device.type == "cpu"  # on a GPU every length would be a graph of its own
        length = min(-(-end // LENGTH_STEP) * LENGTH_STEP, max_length) if is_cut else max_length
        shown = np.ascontiguousarray(kept[:, :length])
        logits = self.predictor.start(0, shown, max_length - end)().of_rows
        return np.pad(logits, ((0, 0), (0, max_length - length), (0, 0)))
