"""DSR's network: from a slot's parent and sibling, and all earlier slots, to a distribution over tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

if TYPE_CHECKING:
    from jaxtyping import Float, Int

State = tuple[Tensor, Tensor]


class TokenLSTM(nn.Module):
    """One LSTM layer over the one-hot tokens of parent and sibling, either of which may be empty."""

    def __init__(self, vocab_size: int, hidden_size: int) -> None:
        super().__init__()
        self.n_inputs = vocab_size + 1  # the last one is `empty`
        self.lstm = nn.LSTM(2 * self.n_inputs, hidden_size, batch_first=True)
        self.to_logits = nn.Linear(hidden_size, vocab_size)

    def forward(
        self, parent: Int[Tensor, "B L"], sibling: Int[Tensor, "B L"], state: State | None = None
    ) -> tuple[Float[Tensor, "B L V"], State]:
        """Return logits at L positions, and the state after them to continue from."""
        self.lstm.flatten_parameters()  # a copy such as θ_ref has them fragmented, which is slow on CUDA
        inputs = torch.cat([one_hot(ids, self.n_inputs) for ids in (parent, sibling)], dim=-1)
        hidden, state = self.lstm(inputs.float(), state)
        return self.to_logits(hidden), state
