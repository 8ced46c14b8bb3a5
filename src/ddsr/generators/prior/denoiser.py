"""The conditional denoiser: from a partly masked expression and an encoding to logits at every position.

Variables have no weights of their own: the encoder's vector for a variable is its embedding, and the
variable's logit compares it with a position. A small code of its place distinguishes similar variables.

Positions count from the left of the breadth-first sequence. If the tokens before a position are known, it
also has its operator: the token, the operator's position, and whether it is the first operand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor, nn

from ddsr.generators.prior.attention import EVERYWHERE, CrossAttention, GeluFeedForward, Norm, SelfAttention
from ddsr.generators.prior.config import NetworkConfig
from ddsr.generators.prior.encoder import Encoding

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int

N_SIDES = 3  # first operand, second operand, unknown


class DenoiserLayer(nn.Module):
    """Pre-norm layer: attention over the expression, attention to the data, feed-forward."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        width, n_heads = config.width, config.n_heads
        self.self_norm, self.cross_norm, self.last_norm = (Norm(width) for _ in range(3))
        self.self_attention = SelfAttention(width, n_heads)
        self.cross_attention = CrossAttention(width, n_heads)
        self.feed_forward = GeluFeedForward(width, ratio=4)

    def forward(
        self,
        x: Float[Tensor, "R L D"],
        key: Float[Tensor, "B H K d"],
        value: Float[Tensor, "B H K d"],
        is_memory: Bool[Tensor, "B K"],
        asked: slice = EVERYWHERE,
    ) -> Float[Tensor, "R l D"]:
        """Apply the layer; R is a multiple of B, with R/B consecutive expressions per data set."""
        x = x[:, asked] + self.self_attention(self.self_norm(x), asked=asked)
        looking = self.cross_norm(x).reshape(len(key), -1, x.shape[-1])  # (B, R/B l, D)
        x = x + self.cross_attention.look(looking, key, value, is_memory).view_as(x)
        result: Tensor = x + self.feed_forward(self.last_norm(x))
        return result


@dataclass(frozen=True, eq=False)
class Recollection:
    """The part of the computation that depends on the encoding alone."""

    table: Float[Tensor, "B T D"]
    """embeddings of the fixed tokens, MASK and the variables"""
    parents: Float[Tensor, "B T D"]
    """embeddings of the same tokens as a position's operator"""
    names: Float[Tensor, "B V D"]
    """vectors to compare positions with for the variables' logits"""
    is_variable: Bool[Tensor, "B V"]
    keys_and_values: tuple[tuple[Tensor, Tensor], ...]
    """keys and values of each layer, (B, H, K, d)"""
    is_memory: Bool[Tensor, "B K"]


class ConditionalDenoiser(nn.Module):
    """Logits over the prior's vocabulary: its fixed tokens, then the encoding's variables."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        vocabulary, width = config.vocabulary, config.width
        self.n_fixed, self.max_length = vocabulary.first_variable, config.max_length
        self.fixed = nn.Parameter(torch.randn(self.n_fixed + 1, width))  # the last one is MASK
        self.variable_in = nn.Linear(width, width)
        self.variable_codes = nn.Parameter(torch.randn(config.max_variables, width))
        self.positions = nn.Parameter(torch.randn(config.max_length, width))
        self.parent_positions = nn.Parameter(torch.randn(config.max_length + 1, width))  # last: unknown
        self.sides = nn.Parameter(torch.randn(N_SIDES, width))
        self.parent_in = nn.Linear(width, width)
        self.layers = nn.ModuleList(DenoiserLayer(config) for _ in range(config.n_layers))
        self.norm = Norm(width)
        self.fixed_out = nn.Linear(width, self.n_fixed)
        self.point = nn.Linear(width, width)
        self.variable_out = nn.Linear(width, width)
        self.arities: Tensor
        arities = torch.tensor([*vocabulary.arities[: self.n_fixed], 0])
        self.register_buffer("arities", arities, persistent=False)

    def forward(self, noisy_tokens: Int[Tensor, "R L"], encoding: Encoding) -> Float[Tensor, "R L T"]:
        """Return logits, with T = fixed tokens + V; MASK is any negative id, R a multiple of B.

        Masked positions at the end may be omitted, since they carry no information.
        """
        return self.predict(noisy_tokens, self.recall(encoding))

    def recall(self, encoding: Encoding) -> Recollection:
        """Compute everything that does not depend on the expressions."""
        layers = cast("Iterable[DenoiserLayer]", self.layers)
        codes = self.variable_codes[: encoding.variables.shape[1]]
        of_variables = self.variable_in(encoding.variables) + codes
        table = torch.cat((self.fixed.expand(len(of_variables), -1, -1), of_variables), dim=1)
        return Recollection(
            table,
            self.parent_in(table),
            self.variable_out(encoding.variables + codes),
            encoding.is_variable,
            tuple(layer.cross_attention.keys_and_values(encoding.memory) for layer in layers),
            encoding.is_memory,
        )

    def predict(
        self, noisy_tokens: Int[Tensor, "R L"], recalled: Recollection, asked: slice = EVERYWHERE
    ) -> Float[Tensor, "R l T"]:
        """Return logits at the positions in `asked`, the only ones that the last layer computes."""
        hidden = self._embed(noisy_tokens, recalled)
        for number, layer in enumerate(self.layers):
            key, value = recalled.keys_and_values[number]
            is_last = number == len(self.layers) - 1
            hidden = layer(hidden, key, value, recalled.is_memory, asked if is_last else EVERYWHERE)
        hidden = self.norm(hidden)
        batch, width = len(recalled.table), hidden.shape[-1]
        names = recalled.names.transpose(1, 2)
        pointed = self.point(hidden).reshape(batch, -1, width) @ names * width**-0.5
        of_variables = pointed.masked_fill(~recalled.is_variable[:, None], -30.0)
        of_variables = of_variables.reshape(*hidden.shape[:2], -1)
        return torch.cat((self.fixed_out(hidden), of_variables), dim=-1).float()

    def _table_rows(self, noisy_tokens: Tensor) -> Tensor:
        """Return rows of the table, in which variables come after MASK."""
        ids = noisy_tokens.long()
        ids = torch.where(ids >= self.n_fixed, ids + 1, ids)
        return torch.where(ids < 0, self.n_fixed, ids)

    def _embed(self, noisy_tokens: Tensor, recalled: Recollection) -> Float[Tensor, "R L D"]:
        ids, length = self._table_rows(noisy_tokens), noisy_tokens.shape[1]
        parents, sides = find_parents(noisy_tokens, self.arities)
        is_found = parents < self.max_length
        parent_ids = ids.gather(1, parents.clamp(max=length - 1))
        parent_ids = torch.where(is_found, parent_ids, self.n_fixed)
        return (
            _look_up(recalled.table, ids)
            + _look_up(recalled.parents, parent_ids)
            + self.positions[:length]
            + _one_hot(parents.clamp(max=self.max_length), self.max_length + 1) @ self.parent_positions
            + _one_hot(sides, N_SIDES) @ self.sides
        )


def _look_up(table: Float[Tensor, "B T D"], ids: Int[Tensor, "R L"]) -> Float[Tensor, "R L D"]:
    """Return rows of the table of the data set that each expression belongs to."""
    batch, n_tokens, width = table.shape
    chosen = _one_hot(ids, n_tokens).reshape(batch, -1, n_tokens)  # (B, R/B L, T)
    return (chosen @ table).view(*ids.shape, width)


def _one_hot(ids: Int[Tensor, "R L"], n: int) -> Float[Tensor, "R L n"]:
    """Return one-hot vectors, whose products have a faster backward pass than indexing, which sorts."""
    return (ids[..., None] == torch.arange(n, device=ids.device)).float()


UNKNOWN = 2**15
"""position of an operator that the tokens before it do not determine"""


def find_parents(
    noisy_tokens: Int[Tensor, "R L"], arities: Int[Tensor, " F"]
) -> tuple[Int[Tensor, "R L"], Int[Tensor, "R L"]]:
    """Return the position of each position's operator, UNKNOWN if not known, and which operand it is.

    The operands of position i end at 1 + Σ arities of all positions up to i. `arities` has those of the fixed
    tokens and, at its end, 0 for every variable. The root is its own parent.
    """
    length = noisy_tokens.shape[1]
    ids = noisy_tokens.long()
    is_known: Bool[Tensor, "R L"] = (ids >= 0).long().cumprod(dim=1).bool()
    n_operands = arities[ids.clamp(min=0, max=len(arities) - 1)]
    ends = 1 + n_operands.cumsum(dim=1)  # (R, L)
    places = torch.arange(length, device=ids.device)
    is_before = (ends[:, None, :] <= places[None, :, None]) & is_known[:, None, :]  # (R, place, i)
    parents = is_before.sum(dim=-1)
    is_found = parents < is_known.sum(dim=1, keepdim=True)
    # The first operand is where the operands of the position before the parent end.
    starts = torch.cat((torch.ones_like(ends[:, :1]), ends[:, :-1]), dim=1)
    sides = places - starts.gather(1, parents.clamp(max=length - 1))
    is_root = places == 0
    sides = torch.where(is_found, sides.clamp(0, 1), 2)
    parents = torch.where(is_found, parents, UNKNOWN)
    return torch.where(is_root, 0, parents), torch.where(is_root, 2, sides)
