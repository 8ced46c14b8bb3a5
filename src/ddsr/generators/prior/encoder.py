"""The encoder of a data set: from rows of numbers to a few vectors for the target and for each variable.

A row has a vector for each of its values and one for its target. In every layer, the vectors of each
variable, and those of the target, attend to each other over all rows. Then, within each row, the target
attends to the values, and the result is added to all. No weight depends on the row or variable that it is
applied to: permuting rows changes nothing, and permuting variables permutes their vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from ddsr.generators.prior.attention import CrossAttention, GeluFeedForward, MixingLayer, Norm, SelfAttention
from ddsr.generators.prior.config import NetworkConfig
from ddsr.generators.prior.features import (
    N_TARGET_FEATURES,
    N_VALUE_FEATURES,
    target_features,
    value_features,
)

if TYPE_CHECKING:
    from jaxtyping import Bool, Float

N_HEADS = 4


@dataclass(frozen=True, eq=False)
class Encoding:
    """Encoding of B data sets."""

    memory: Float[Tensor, "B K D"]
    """vectors that the denoiser attends to: the target's latents, then those of each variable"""
    is_memory: Bool[Tensor, "B K"]
    """false for padding variables"""
    variables: Float[Tensor, "B V D"]
    """a vector for each variable"""
    is_variable: Bool[Tensor, "B V"]


class StarAttention(nn.Module):
    """Attention within a row: the target attends to all vectors, and the result goes to each."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.tell = nn.Linear(2 * width, width)

    def forward(
        self, cells: Float[Tensor, "B C N D"], is_column: Bool[Tensor, "B C"]
    ) -> Float[Tensor, "B 1 N D"]:
        """Return what is added to every vector of a row."""
        target = cells[:, 0]
        query = _in_heads(self.query(target))[:, None]  # (B, 1, N, H, d)
        key, value = (_in_heads(part) for part in self.key_value(cells).chunk(2, dim=-1))
        # There are many rows with few variables: sums of products are faster than small matrix products.
        agreement = (query * key).sum(dim=-1) * query.shape[-1] ** -0.5  # (B, C, N, H)
        weights = agreement.masked_fill(~is_column[:, :, None, None], -torch.inf).softmax(dim=1)
        seen = (weights[..., None].to(value.dtype) * value).sum(dim=1).flatten(-2)
        summary: Tensor = self.tell(torch.cat((target, seen), dim=-1))
        return summary[:, None]


def _in_heads(vectors: Float[Tensor, "... D"]) -> Float[Tensor, "... H d"]:
    return vectors.view(*vectors.shape[:-1], N_HEADS, -1)


class RowLayer(nn.Module):
    """Layer of attention over rows, attention within rows, and feed-forward."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.row_norm, self.star_norm, self.last_norm = (Norm(width) for _ in range(3))
        self.row_attention = SelfAttention(width, N_HEADS)
        self.star = StarAttention(width)
        self.feed_forward = GeluFeedForward(width, ratio=2)

    def forward(
        self, cells: Float[Tensor, "B C N D"], is_row: Bool[Tensor, "B N"], is_column: Bool[Tensor, "B C"]
    ) -> Float[Tensor, "B C N D"]:
        """Apply the layer; column 0 is the target, the others are the variables: C = V + 1."""
        columns = self.row_norm(cells).flatten(0, 1)  # (B C, N, D)
        is_there = is_row.repeat_interleave(cells.shape[1], dim=0)
        cells = cells + self.row_attention(columns, is_there).view_as(cells)
        cells = cells + self.star(self.star_norm(cells), is_column)
        result: Tensor = cells + self.feed_forward(self.last_norm(cells))
        return result


class Encoder(nn.Module):
    """Network from rows to an `Encoding`."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        width = config.cell_width
        self.read_value = nn.Linear(N_VALUE_FEATURES, width)
        self.read_target = nn.Linear(N_TARGET_FEATURES, 2 * width)
        self.cell = nn.Linear(width, width)
        self.is_target = nn.Parameter(torch.zeros(width))
        self.layers = nn.ModuleList(RowLayer(width) for _ in range(config.n_row_layers))
        self.norm = Norm(width)
        self.target_queries = nn.Parameter(torch.randn(config.n_row_latents, width))
        self.variable_queries = nn.Parameter(torch.randn(config.n_variable_latents, width))
        self.pool = CrossAttention(width, N_HEADS)
        self.widen = nn.Linear(width, config.width)
        self.is_variables = nn.Parameter(torch.zeros(config.width))
        self.latent_codes = nn.Parameter(0.1 * torch.randn(config.n_variable_latents, config.width))
        self.memory_layers = nn.ModuleList(
            MixingLayer(config.width, config.n_heads) for _ in range(config.n_memory_layers)
        )
        self.memory_norm = Norm(config.width)
        self.name = nn.Linear(config.n_variable_latents * config.width, config.width)

    def forward(
        self,
        x: Float[Tensor, "B N V"],
        y: Float[Tensor, "B N"],
        is_row: Bool[Tensor, "B N"],
        is_variable: Bool[Tensor, "B V"],
    ) -> Encoding:
        """Encode inputs of moderate scale and a target of any scale. Rows and variables may be padding."""
        cells = self._read(x, y, is_row)
        is_column = torch.cat((is_variable.new_ones(len(x), 1), is_variable), dim=1)
        for layer in self.layers:
            cells = layer(cells, is_row, is_column)
        return self._sum_up(self.norm(cells), is_row, is_variable)

    def _read(self, x: Tensor, y: Tensor, is_row: Tensor) -> Float[Tensor, "B C N D"]:
        # Use full precision: digits rounded here are lost to all layers.
        with torch.autocast(x.device.type, enabled=False):
            of_target, of_all = self.read_target(target_features(y, is_row)).chunk(2, dim=-1)
            of_values = self.read_value(value_features(x, is_row).transpose(1, 2)) + of_all[:, None]
            read = torch.cat(((of_target + self.is_target)[:, None], of_values), dim=1)
        cells: Tensor = self.cell(gelu(read, approximate="tanh"))
        return cells

    def _sum_up(self, cells: Tensor, is_row: Tensor, is_variable: Tensor) -> Encoding:
        batch, n_variables = is_variable.shape
        target, values = cells[:, 0], cells[:, 1:].flatten(0, 1)  # (B V, N, D)
        of_target = self.pool(self.target_queries.expand(batch, -1, -1), target, is_row)
        of_values = self.pool(
            self.variable_queries.expand(len(values), -1, -1),
            values,
            is_row.repeat_interleave(n_variables, dim=0),
        )
        n_latents = of_values.shape[1]
        widened = self.widen(of_values) + self.is_variables + self.latent_codes
        memory = torch.cat(
            (self.widen(of_target), widened.reshape(batch, n_variables * n_latents, -1)), dim=1
        )
        always = is_variable.new_ones(batch, of_target.shape[1])
        is_memory = torch.cat((always, is_variable.repeat_interleave(n_latents, dim=1)), dim=1)
        for layer in self.memory_layers:
            memory = layer(memory, is_memory)
        memory = self.memory_norm(memory)
        of_variables = memory[:, of_target.shape[1] :].reshape(batch, n_variables, -1)
        return Encoding(memory, is_memory, self.name(of_variables), is_variable)
